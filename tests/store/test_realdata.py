"""The issue's own numbers, on the real files."""

import json
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest
from store_by_hand import end_of

from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies
from finground.catalog.metrics import Metrics
from finground.records.request import Entity, Interval, Request, RequestedMetric
from finground.store.ingest import ingest
from finground.store.lookup import lookup
from finground.store.reader import Store

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "data"
APPLE, ALPHABET = "cik:0000320193", "cik:0001652044"
pytestmark = [pytest.mark.realdata, pytest.mark.skipif(not REAL.is_dir(), reason="no ../shared/data")]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    folder = tmp_path_factory.mktemp("real")
    raw = folder / "raw"
    raw.mkdir()
    (raw / "sec").mkdir()
    for name in ("company_tickers.json.gz", "companyfacts"):
        (raw / "sec" / name).symlink_to(REAL / "sec" / name)
    with Store.open(folder / "s.db", create=True) as store:
        read = ingest(
            store,
            raw,
            now=datetime(2026, 1, 1, tzinfo=UTC),
            metrics=Metrics.load(),
            embed=lambda texts: np.ones((len(texts), 8)),
        )
        assert len(read.hashes) == 4, json.dumps(read.hashes)
        yield store, Catalog(Companies(store.companies()))


def net_income(opened, as_of):
    store, catalog = opened
    entities = tuple(Entity("company", id, id) for id in (APPLE, ALPHABET))
    asked = (RequestedMetric("net-income", True),)
    request = Request("comparative", entities, asked, Interval(date(2023, 4, 1), date(2023, 6, 30)))
    return lookup(store, request, {}, as_of=as_of, catalog=catalog, vector=None, k=1, threshold=0)


def test_net_income_of_apple_and_alphabet_in_the_second_quarter_of_2023(opened):
    bundle = net_income(opened, end_of(2023, 9, 15))
    assert [(fact.entity, fact.value, fact.currency, fact.period_end) for fact in bundle.facts] == [
        (APPLE, 19_881e6, "USD", date(2023, 7, 1)), (ALPHABET, 18_368e6, "USD", date(2023, 6, 30)),
    ]  # fmt: skip
    assert bundle.gaps == ()


def test_before_apple_files_there_is_a_gap_that_shows_the_quarter_before(opened):
    bundle = net_income(opened, end_of(2023, 7, 30))
    assert [(fact.entity, fact.filed_at.date()) for fact in bundle.facts] == [(ALPHABET, date(2023, 7, 26))]
    (gap,) = bundle.gaps
    assert (gap.entity, gap.nearest.period_end) == (APPLE, date(2023, 4, 1))
