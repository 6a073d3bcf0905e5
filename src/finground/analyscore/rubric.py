"""AnalyScore's 100 points as data (FinSphere, table 5), and whether given points can come from it at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True, slots=True)
class Level:
    """Points, what they are given for, and whether that takes the reader's preferences or history."""

    points: int
    standard: str
    personal: bool = False


LEVELS: dict[str, tuple[Level, ...]] = {
    "conclusion": (
        Level(20, "conclusions fit the reader's preferences, risk and horizon", personal=True),
        Level(10, "not personal; covers conservative to aggressive styles, the reader can choose"),
        Level(5, "one style, limited perspective"),
        Level(0, "no conclusion"),
    ),
    "dimensions": (
        Level(
            30, "uses the interaction history, at most two dimensions that are not personal", personal=True
        ),
        Level(25, "uses the interaction history, accurate and targeted", personal=True),
        Level(20, "five dimensions, accurate and rigorous"),
        Level(18, "four core dimensions with the live market"),
        Level(15, "four core dimensions"),
        Level(10, "three core dimensions"),
        Level(5, "two core dimensions"),
        Level(0, "one dimension"),
    ),
    "logic": (Level(15, "consistent across all parts"), Level(0, "inconsistent")),
    "structure": (Level(5, "systematic"), Level(0, "none")),
    "language": (
        Level(10, "clear, with emphasis by rank, rigorous, deep"),
        Level(8, "clear, the essentials, basic logic"),
        Level(5, "comprehensible, discontinuous"),
        Level(0, "unclear or without substance"),
    ),
    "data": (
        Level(20, "more than three dimensions of data"),
        Level(15, "three dimensions"),
        Level(10, "two dimensions"),
        Level(5, "one dimension"),
        Level(0, "none"),
    ),
}
LINES = {
    "conclusion": ("conclusion",),
    "content": ("dimensions", "logic"),
    "expression": ("structure", "language"),
    "data": ("data",),
}
MAXIMA = {"conclusion": 20, "content": 45, "expression": 15, "data": 20}


def possible(line: str, *, personal: bool = True) -> frozenset[int]:
    """The points a line of the table can come to; without `personal`, those open to a report that knows no
    reader.
    """
    levels = [
        [level.points for level in LEVELS[part] if personal or not level.personal] for part in LINES[line]
    ]
    return frozenset(sum(chosen) for chosen in product(*levels))


def violations(points: Mapping[str, int]) -> tuple[str, ...]:
    """Lines whose points the rubric cannot give, each in a sentence."""
    return tuple(
        f"{line} of {value} cannot be given; the levels come to {', '.join(map(str, sorted(possible(line))))}"
        for line, value in points.items()
        if value not in possible(line)
    )


def ceiling(*, personal: bool) -> int:
    """The most a report can reach."""
    return sum(max(possible(line, personal=personal)) for line in LINES)
