"""Score rows of an agent: every question counts, those that got no request too."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest

from finground.bench.requests import judge, score_rows
from finground.core.errors import CatalogError
from finground.records.request import Pair, Reading, Request

AS_OF = datetime(2019, 1, 31, 23, 59, 59, tzinfo=UTC)


@dataclass(frozen=True)
class Reply:
    request: Request | None
    text: str = ""
    truncated: bool = False
    sure: float = 0.0
    passes: int = 0
    tokens: int = 0


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
    rows = score_rows("agent", judge(outputs, pairs, catalog), part="test-seen", seed=7, commit="c0ffee")
    return {row.metric: row for row in rows if "/" not in row.part}


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


def test_sureness_that_tells_right_from_wrong_has_an_area_of_one(pairs, catalog):
    wrong = pairs[1].request
    outputs = [Reading(pairs[0].request, 0.9), Reading(wrong, 0.9), Reading(wrong, 0.2), Reading(wrong, 0.1)]
    assert scored(outputs, pairs, catalog)["auroc"].value == 1.0
    turned = [Reading(pairs[0].request, 0.1), Reading(wrong, 0.1), Reading(wrong, 0.9), Reading(wrong, 0.9)]
    assert scored(turned, pairs, catalog)["auroc"].value == 0.0
    assert "auroc" not in scored([pair.request for pair in pairs], pairs, catalog)


def test_exact_match_is_told_by_kind_noise_and_channel_too(pairs, catalog):
    parted = [replace(pair, kind=kind) for pair, kind in zip(pairs, ["ranking", "peers"] * 2, strict=True)]
    outputs = [parted[0].request, parted[0].request, parted[2].request, parted[0].request]
    rows = score_rows("agent", judge(outputs, parted, catalog), part="test-seen", seed=7, commit="c")
    exact = [row for row in rows if row.metric == "exact_match"]
    found = {row.part: (row.value, row.n) for row in exact if "noise" not in row.part}
    assert found == {
        "test-seen": (0.5, 4), "test-seen/kind=peers": (0.0, 2), "test-seen/kind=ranking": (1.0, 2),
        "test-seen/channel=technology": (0.5, 4),
    }  # fmt: skip


def test_a_missing_output_is_not_skipped(pairs, catalog):
    with pytest.raises(ValueError, match="3 outputs for 4 pairs"):
        scored([pair.request for pair in pairs[:3]], pairs, catalog)
