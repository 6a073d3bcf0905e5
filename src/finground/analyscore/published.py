"""The papers' printed numbers, as data, and what they come to when added up again (PAPERS P1, P2, P3, P5,
P14).
"""

import json
from dataclasses import dataclass
from importlib import resources
from statistics import fmean
from typing import Any

from finground.analyscore.rubric import violations

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
            "P5", "mandatory gate passed", f"{ours['qualified']:.0%}", f"{len(eligible)} of {len(rows)}"
        ),
        Recomputed("P5", "mean of eligible reports only", "–", f"{fmean(eligible):.2f}"),
    )


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
