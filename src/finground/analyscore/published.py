"""The papers' printed numbers, as data, and what they come to when added up again (PAPERS P1 to P6)."""

import json
from dataclasses import dataclass
from importlib import resources
from itertools import pairwise
from statistics import fmean
from typing import Any

from finground.analyscore.rubric import ceiling, violations

LINES = ("conclusion", "content", "expression", "data")


@dataclass(frozen=True, slots=True)
class Recomputed:
    """A printed number beside the one that follows from the paper's own figures."""

    id: str
    what: str
    printed: str
    recomputed: str


@dataclass(frozen=True, slots=True)
class Graded:
    """One of FinSphere's 100 test queries with the experts' points (tables 7 to 9)."""

    query: str
    eligible: bool
    points: dict[str, int]
    total: int


def tables() -> dict[str, list[dict[str, Any]]]:
    """Rows by table: finsphere_2, finsphere_3, finbloom_4, finbloom_5, finbloom_6, finbloom_6_7,
    finbloom_7, finbloom_8.
    """
    found: dict[str, list[dict[str, Any]]] = _data()["tables"]
    return found


def graded() -> tuple[Graded, ...]:
    """The 100 queries in the paper's order."""
    return tuple(
        Graded(query, bool(eligible), dict(zip(LINES, points, strict=True)), total)
        for query, eligible, *points, total in _data()["finsphere_7_9"]
    )


def recomputed() -> tuple[Recomputed, ...]:
    """What the papers print against what their own figures come to."""
    rows, printed = graded(), {row["system"]: row for row in tables()["finsphere_2"]}
    ours = printed["FinSphere"]
    eligible = [row.total for row in rows if row.eligible]
    impossible = sum(bool(violations(row.points)) for row in rows)
    sums = [row.query for row in rows if sum(row.points.values()) != row.total]
    wrong = _wrong_sums(printed)
    highest = max(row.total for row in rows)
    return (
        Recomputed(
            "P1", "FinSphere, mean of the 100 listed scores", f"{ours['total']:.2f}", f"{_mean(rows):.2f}"
        ),
        Recomputed(
            "P1", "FinSphere, mean Content", f"{ours['content']:.2f}", f"{_mean(rows, 'content'):.2f}"
        ),
        *(Recomputed("P2", f"{system}, sum of its row in table 2", *pair) for system, pair in wrong.items()),
        Recomputed("P3", "listed points that table 5 cannot give", "–", f"{impossible} of {len(rows)}"),
        Recomputed(
            "P3", "listed scores that differ from the sum of their points", "–", f"{len(sums)} of {len(rows)}"
        ),
        Recomputed(
            "P4",
            "most points open to a report that knows no reader; the highest listed",
            f"{ceiling(personal=True)}",
            f"{ceiling(personal=False)}; {highest}",
        ),
        Recomputed(
            "P5", "mandatory gate passed", f"{ours['qualified']:.0%}", f"{len(eligible)} of {len(rows)}"
        ),
        Recomputed("P5", "mean of eligible reports only", "–", f"{fmean(eligible):.2f}"),
        Recomputed(
            "P6",
            "gain of each step of the ablation (20, 50, 80, 100%), one run each, not said to be nested",
            "3.78, 3.99, 4.21",
            ", ".join(f"{gain:.2f}" for gain in _gains()),
        ),
    )


def _gains() -> list[float]:
    """Table 3, each total over the one before."""
    totals = [row["total"] for row in tables()["finsphere_3"]]
    return [after - before for before, after in pairwise(totals)]


def _mean(rows: tuple[Graded, ...], line: str = "") -> float:
    return fmean(row.points[line] if line else row.total for row in rows)


def _wrong_sums(printed: dict[str, dict[str, Any]]) -> dict[str, tuple[str, str]]:
    """Rows of table 2 whose four lines do not add up to the printed total."""
    sums = {system: sum(row[line] for line in LINES) for system, row in printed.items()}
    return {
        system: (f"{printed[system]['total']:.2f}", f"{total:.2f}")
        for system, total in sums.items()
        if abs(total - printed[system]["total"]) > 0.005
    }


def _data() -> dict[str, Any]:
    text = resources.files("finground.analyscore").joinpath("data/published.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
