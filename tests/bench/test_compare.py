"""Two systems on the same questions; who imitates the template is compared with nobody as quality."""

import pytest

from finground.bench.compare import Measured, compare
from finground.bench.statistics import paired, t_interval, wilson
from finground.bench.writers import analyscore, compared
from finground.records.score import ScoreRow

METRICS = ("ungrounded", "figures_right", "coverage", "eligible", "total")


def measured(system, labels, *values):
    return Measured(system, labels, tuple(dict.fromkeys(METRICS, value) for value in values))


def test_the_difference_is_the_first_minus_the_second_with_its_p():
    first, second = measured("a", "rules", 3, 4, 5, 6, 7, 8), measured("b", "rules", 2, 3, 4, 5, 6, 7)
    row = compare([first, second], "part", seed=1)[0]
    assert (row.first, row.second, row.difference, row.low, row.high, row.n) == ("a", "b", 1, 1, 1, 6)
    assert row.p == 2 / 2**6  # all six signs alike: 2 of 64 patterns are as extreme


def test_analyscore_is_compared_only_between_systems_that_imitate_nobody():
    systems = [
        measured("template", "template-writer", 1, 2),
        measured("a", "rules", 1, 2),
        measured("b", "expert", 2, 1),
    ]
    found = compare(systems, "part", seed=1)
    quality = {(row.first, row.second) for row in found if row.metric in ("eligible", "total")}
    assert quality == {("a", "b")}
    assert {(row.first, row.second) for row in found} == {("template", "a"), ("template", "b"), ("a", "b")}


def row(system, metric, value, *, labels="rules", n=100, truncated=0):
    return ScoreRow(
        system, "analyscore", 2, "paper-questions", metric, value, 0.1, n, 1, truncated, 7, "c", labels
    )


def test_table_2_names_imitation_intervals_and_scores_that_are_not_valid():
    systems = {"base": {}, "tuned": {"labels": "template-writer"}, "long": {"truncated": 2}}
    rows = [
        row(name, metric, 0.5 if metric == "eligible" else 10.0, **more)
        for name, more in systems.items()
        for metric in ("eligible", "conclusion", "content", "expression", "data", "total")
    ]
    lines = [line for line in analyscore(rows).splitlines() if line.startswith("| ")]
    base, tuned, long = (
        next(line for line in lines if line.startswith(f"| {name}")) for name in ("base", "tuned", "long")
    )
    assert base.startswith("| base | 0.50 (0.40 … 0.60) | 10.00 (9.80 … 10.20)") and base.endswith(
        "| 100 | 1 | 0 |"
    )
    assert "*imitation*" in tuned and "*imitation*" not in base
    assert "invalid" in long and "invalid" not in base
    assert any(line.startswith("| FinSphere | 0.89 |") for line in lines)


def test_differences_are_printed_with_their_p_and_without_a_verdict():
    first, second = measured("a", "rules", 3, 4, 5), measured("b", "rules", 2, 3, 4)
    text = compared(compare([first, second], "part", seed=1))
    assert "| a − b | total | +1.000 | +1.000 … +1.000 | 0.2500 | 3 |" in text and "better" not in text


def test_students_interval_of_three_seeds():
    # t(.975, 2) = 4.3027
    assert t_interval(10, 1, 3) == (
        pytest.approx(10 - 4.3027, abs=1e-4),
        pytest.approx(10 + 4.3027, abs=1e-4),
    )
    assert t_interval(10, None, 1) is None


def test_wilsons_interval_has_a_width_at_the_ends():
    assert wilson(1.0, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)  # z²/(n + z²) below 1
    assert wilson(0.0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)


def test_the_bootstrap_of_a_difference_is_seeded():
    first, second = [1.0, 2.0, 4.0, 8.0], [0.0, 1.0, 1.0, 1.0]
    assert paired(first, second, seed=1) == paired(first, second, seed=1)
    difference, p = paired(first, second, seed=1)
    assert difference.low <= difference.value == 3.0 <= difference.high and 0 < p <= 1
