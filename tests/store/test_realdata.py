"""Figures of Apple, Snowflake and Alphabet checked by hand in their filings' data, and twenty snapshots."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select
from store_by_hand import end_of

from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies
from finground.catalog.metrics import Metrics
from finground.records.request import Entity, Interval, Request, RequestedMetric
from finground.store import schema
from finground.store.ingest import ingest
from finground.store.lookup import lookup
from finground.store.reader import Store

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "data"
APPLE, SNOWFLAKE, ALPHABET = "cik:0000320193", "cik:0001640147", "cik:0001652044"
pytestmark = [pytest.mark.realdata, pytest.mark.skipif(not REAL.is_dir(), reason="no ../shared/data")]


def opened_with(folder, *names):
    """A store of some of the real files, linked and not copied."""
    raw = folder / "raw"
    for name in names:
        (raw / name).parent.mkdir(parents=True, exist_ok=True)
        (raw / name).symlink_to(REAL / name)
    store = Store.open(folder / "s.db", create=True)
    read = ingest(
        store,
        raw,
        now=datetime(2026, 11, 1, tzinfo=UTC),
        metrics=Metrics.load(),
        embed=lambda texts: np.ones((len(texts), 8)),
    )
    return store, read


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    names = ("sec/company_tickers.json.gz", "sec/companyfacts", "sec/submissions")
    store, read = opened_with(tmp_path_factory.mktemp("real"), *names)
    with store:
        assert len(read.hashes) == 5, json.dumps(read.hashes)
        # Snowflake's other comprehensive income did jump so; it is set aside and shown, not lost
        assert read.quarantined == {"more than 50 times its own history": 1}
        yield store, Catalog(Companies(store.companies()))


def asked(opened, companies, slugs, interval, as_of):
    store, catalog = opened
    entities = tuple(Entity("company", id, id) for id in companies)
    metrics = tuple(RequestedMetric(slug, True) for slug in slugs)
    request = Request("comparative", entities, metrics, interval)
    return lookup(store, request, {}, as_of=as_of, catalog=catalog, vector=None, k=1, threshold=0)


def quarter(end):
    """A calendar-like quarter that ends that day."""
    return Interval(end - timedelta(days=89), end)


# Each value was read in the company facts file by eye: of the row of that period (or as the difference of the
# two rows named), the value last filed by `as_of`.
CHECKED = [
    (APPLE, "net-income", "2023-07-01", "2023-09-15", 19_881e6),
    (APPLE, "total-revenue", "2023-07-01", "2023-09-15", 81_797e6),
    (APPLE, "net-income", "2009-06-27", "2009-12-31", 1_229e6),
    (APPLE, "net-income", "2009-06-27", "2010-12-31", 1_828e6),  # restated on 2010-07-21
    (APPLE, "earnings-per-share", "2009-06-27", "2009-12-31", 1.35),
    (APPLE, "earnings-per-share", "2009-06-27", "2010-12-31", 2.01),  # restated
    (APPLE, "total-revenue", "2023-09-30", "2023-12-31", 89_498e6),  # 383,285 - 293,787
    (APPLE, "operating-cash-flow", "2023-07-01", "2023-09-15", 26_380e6),  # 88,945 - 62,565
    (APPLE, "operating-cash-flow", "2017-07-01", "2018-09-01", 8_672e6),  # restated: 48,476 - 39,804
    (APPLE, "gross-profit", "2024-03-30", "2024-06-01", 42_271e6),
    (SNOWFLAKE, "total-revenue", "2023-07-31", "2023-09-15", 674.018e6),
    (SNOWFLAKE, "net-income", "2023-07-31", "2023-09-15", -226.867e6),
    (SNOWFLAKE, "total-revenue", "2024-01-31", "2024-04-01", 774.699e6),  # 2,806.489 - 2,031.790
    (SNOWFLAKE, "net-income", "2024-01-31", "2024-04-01", -169.352e6),  # -836.097 + 666.745
    (SNOWFLAKE, "total-revenue", "2021-01-31", "2021-04-01", 190.465e6),  # 592.049 - 401.584
    (SNOWFLAKE, "operating-cash-flow", "2023-07-31", "2023-09-15", 83.191e6),  # 382.635 - 299.444
    (SNOWFLAKE, "research-and-development", "2024-10-31", "2024-12-31", 442.435e6),
    (SNOWFLAKE, "earnings-per-share", "2024-07-31", "2024-09-15", -0.95),
    (SNOWFLAKE, "total-assets", "2024-07-31", "2024-09-15", 6_943.886e6),
    (SNOWFLAKE, "operating-income", "2023-10-31", "2023-12-31", -260.623e6),
    (ALPHABET, "net-income", "2023-06-30", "2023-09-15", 18_368e6),
    (ALPHABET, "total-revenue", "2023-06-30", "2023-09-15", 74_604e6),
    (ALPHABET, "total-revenue", "2023-12-31", "2024-03-01", 86_310e6),  # 307,394 - 221,084
    (ALPHABET, "net-income", "2023-12-31", "2024-03-01", 20_687e6),  # 73,795 - 53,108
    (ALPHABET, "operating-income", "2018-06-30", "2018-12-31", 2_807e6),
    (ALPHABET, "operating-income", "2018-06-30", "2019-12-31", 3_045e6),  # restated on 2019-07-26
    (ALPHABET, "earnings-per-share", "2021-06-30", "2021-12-31", 27.26),
    (ALPHABET, "earnings-per-share", "2021-06-30", "2022-12-31", 1.36),  # restated for the split of 2022
    (ALPHABET, "operating-cash-flow", "2023-06-30", "2023-09-15", 28_666e6),  # 52,175 - 23,509
    (ALPHABET, "shareholders-equity", "2023-06-30", "2023-09-15", 267_141e6),
]


@pytest.mark.parametrize(("company", "slug", "end", "as_of", "value"), CHECKED)
def test_a_quarterly_value_checked_by_hand(opened, company, slug, end, as_of, value):
    day = date.fromisoformat(as_of)
    bundle = asked(
        opened, [company], [slug], quarter(date.fromisoformat(end)), end_of(day.year, day.month, day.day)
    )
    (fact,) = bundle.facts
    assert fact.value == pytest.approx(value, rel=1e-12)
    assert (fact.period_end.isoformat(), fact.filed_at.date() <= day, bundle.gaps) == (end, True, ())


def test_a_restated_figure_says_what_it_restates(opened):
    (fact,) = asked(opened, [APPLE], ["net-income"], quarter(date(2009, 6, 27)), end_of(2010, 12, 31)).facts
    assert fact.rule.startswith("fiscal Q3 2009 (calendar Q2 2009); restates 1229000000 filed 2009-07-22")
    assert (fact.filed_at.date(), fact.source) == (date(2010, 7, 21), "EDGAR 10-Q 0001193125-10-162840")


def test_twelve_months_of_apple_are_four_quarters(opened):
    year = Interval(date(2022, 7, 8), date(2023, 7, 7))
    (fact,) = asked(opened, [APPLE], ["total-revenue"], year, end_of(2023, 9, 15)).facts
    # fiscal 2022 394,328 less its nine months 304,182 = 90,146, then 117,154, 94,836 and 81,797
    assert (fact.value, fact.period_end) == (383_933e6, date(2023, 7, 1))


def test_before_apple_files_there_is_a_gap_that_shows_the_quarter_before(opened):
    second = Interval(date(2023, 4, 1), date(2023, 6, 30))
    bundle = asked(opened, [APPLE, ALPHABET], ["net-income"], second, end_of(2023, 7, 30))
    assert [(fact.entity, fact.filed_at.date()) for fact in bundle.facts] == [(ALPHABET, date(2023, 7, 26))]
    (gap,) = bundle.gaps
    assert (gap.entity, gap.nearest.period_end) == (APPLE, date(2023, 4, 1))


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory):
    names = ("sec/company_tickers.json.gz", "market/snapshots-sp500-financials")
    store, _ = opened_with(tmp_path_factory.mktemp("snapshots"), *names)
    with store:
        yield store, Catalog(Companies(store.companies()))


def test_the_snapshots_are_twenty_dated_versions_and_each_is_what_was_known_then(snapshots):
    store, catalog = snapshots
    with store.reading() as connection:
        table = schema.metric_values.c
        days = connection.scalars(select(table.period_end).distinct().order_by(table.period_end)).all()
        of_apple = select(table.period_end, table.value).where(
            table.company == APPLE, table.metric == "price-to-book"
        )
        told = dict(connection.execute(of_apple).tuples().all())
    assert len(days) == len(told) == 20 and (days[0], days[-1]) == (date(2012, 12, 27), date(2015, 9, 22))
    for day in days:
        (fact,) = asked(
            snapshots, [APPLE], ["price-to-book"], None, end_of(day.year, day.month, day.day)
        ).facts
        assert (fact.value, fact.period_end, fact.filed_at.date()) == (told[day], day, day)
        assert fact.rule == f"a vendor's snapshot of {day}"
    assert catalog.companies.by_id(APPLE).name == "Apple Inc."


def test_a_margin_balance_in_hundred_millions_of_yuan_is_in_yuan(tmp_path):
    raw = tmp_path / "raw/market/company-flows"
    raw.mkdir(parents=True)
    (raw / "MARGIN.csv").symlink_to(REAL / "market/flows/ashare_margin_balance_2026-04_09.csv")
    with Store.open(tmp_path / "s.db", create=True) as store:
        ingest(
            store,
            tmp_path / "raw",
            now=datetime(2026, 11, 1, tzinfo=UTC),
            metrics=Metrics.load(),
            embed=np.ones,
        )
        with store.reading() as connection:
            first = select(schema.flows).order_by("closed_at").limit(1)
            row = connection.execute(first).mappings().one()
    assert (row["margin_balance"], row["currency"]) == (pytest.approx(2.591196089526e12), "CNY")
    assert schema.moment(row["closed_at"]) == datetime(2026, 4, 1, 7, tzinfo=UTC)  # 15:00 in Shanghai


def test_lookup_on_the_real_files_gives_the_filed_figures(finground, tmp_path):
    raw = tmp_path / "raw"
    (raw / "sec").mkdir(parents=True)
    for name in ("company_tickers.json.gz", "companyfacts"):
        (raw / "sec" / name).symlink_to(REAL / "sec" / name)
    root = tmp_path / "root"
    assert finground("init", root, "--profile", "small", "--raw", raw).code == 0
    assert finground("run", "ingest", "--root", root).code == 0
    request = "(Apple Inc.; Alphabet Inc.) (Net Income; Total Revenue) (1/4/2023 - 30/6/2023)"
    said = finground("lookup", request, "--as-of", "2023-09-15", "--root", root)
    assert said.code == 0
    assert [line.split(" | ")[:5] for line in said.out.splitlines()] == [
        ["Company", "Metric", "Value", "Period", "Filed"],
        ["Apple Inc.", "Net Income", "19,881 million USD", "2023-04-02 to 2023-07-01", "2023-08-04"],
        ["Alphabet Inc.", "Net Income", "18,368 million USD", "2023-04-01 to 2023-06-30", "2023-07-26"],
        ["Apple Inc.", "Total Revenue", "81,797 million USD", "2023-04-02 to 2023-07-01", "2023-08-04"],
        ["Alphabet Inc.", "Total Revenue", "74,604 million USD", "2023-04-01 to 2023-06-30", "2023-07-26"],
    ]
