"""Score rows of an agent: every question counts, those that got no request too."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from finground.bench.requests import score_requests
from finground.core.errors import CatalogError
from finground.records.request import Pair, Request

AS_OF = datetime(2019, 1, 31, 23, 59, 59, tzinfo=UTC)


@dataclass(frozen=True)
class Reply:
    request: Request | None
    text: str = ""
    truncated: bool = False


@pytest.fixture(scope="module")
def pairs(asks, three):
    bolt = three[1]
    golds = [
        asks("net-income"),
        asks("total-assets"),
        asks("net-income", of=(bolt,)),
        asks("total-assets", of=(bolt,)),
    ]
    return [
        Pair(f"question {n}", AS_OF, gold, "t", "technology", "open-ended", "none", "test-seen")
        for n, gold in enumerate(golds)
    ]


def scored(outputs, pairs, catalog):
    rows = score_requests("agent", outputs, pairs, catalog, part="test-seen", seed=7, commit="c0ffee")
    return {row.metric: row for row in rows}


def test_unread_and_refused_questions_stay_in_the_denominator(pairs, catalog):
    outputs = [pairs[0].request, Reply(pairs[1].request), Reply(None, "(Acme", True), CatalogError("who?")]
    row = scored(outputs, pairs, catalog)["exact_match"]
    assert (row.value, row.n, row.n_unread, row.n_truncated) == (0.5, 4, 2, 1)
    assert row.stderr == pytest.approx((1 / 3) ** 0.5 / 2)
    assert (row.system, row.part, row.seed, row.commit, row.task) == (
        "agent",
        "test-seen",
        7,
        "c0ffee",
        "request",
    )


def test_gold_scores_one_in_every_row(pairs, catalog):
    rows = scored([pair.request for pair in pairs], pairs, catalog)
    assert {round(row.value, 9) for row in rows.values()} == {1.0}
    assert {"bleu", "rouge_1", "rouge_2", "rouge_l", "validity", "f1_dates"} <= set(rows)
    assert rows["bleu"].stderr is None


def test_a_missing_output_is_not_skipped(pairs, catalog):
    with pytest.raises(ValueError, match="3 outputs for 4 pairs"):
        scored([pair.request for pair in pairs[:3]], pairs, catalog)
