"""What is wrong with a catalogue of metrics, all of it at once, in sentences.

A formula must be one that the store can compute: over metrics that exist, without going round in a circle, of
the unit it should have, and over figures that there are for the same day or period.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from typing import cast

from finground.catalog import formula
from finground.catalog.metrics import Metric
from finground.catalog.names import normal

LONGEST = 10  # words of a name that people would still say
SLUG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
TAG = re.compile(r"[A-Z][A-Za-z0-9]+")
MOST_RELATED = 6


class UnitError(ValueError):
    """Units that cannot be added."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """Powers of money, shares and counted things; a formula worked out over these instead of numbers tells
    its unit."""

    money: int = 0
    shares: int = 0
    counted: int = 0

    def __add__(self, other: "Dimension | float") -> "Dimension":
        if _of(other) != self:
            raise UnitError(f"adds {self} and {_of(other)}")
        return self

    def __mul__(self, other: "Dimension | float") -> "Dimension":
        by = _of(other)
        return Dimension(self.money + by.money, self.shares + by.shares, self.counted + by.counted)

    def __truediv__(self, other: "Dimension | float") -> "Dimension":
        by = _of(other)
        return Dimension(self.money - by.money, self.shares - by.shares, self.counted - by.counted)

    def __rtruediv__(self, other: float) -> "Dimension":
        return Dimension() / self

    __radd__ = __add__
    __rmul__ = __mul__

    def __str__(self) -> str:
        unit = next((unit for unit, dimension in DIMENSIONS.items() if dimension == self), None)
        return unit or f"money^{self.money} shares^{self.shares} count^{self.counted}"


DIMENSIONS = {
    "currency": Dimension(money=1), "ratio": Dimension(), "per-share": Dimension(money=1, shares=-1),
    "shares": Dimension(shares=1), "count": Dimension(counted=1),
}  # fmt: skip


def validate(metrics: Iterable[Metric]) -> list[str]:
    """Every fault of a catalogue, in sentences that name the metric; none if it is sound."""
    listed = tuple(metrics)
    known = {metric.slug: metric for metric in listed}
    faults = [*_names(listed), *_run_together(listed, known), *_circles(known)]
    for metric in listed:
        found = (*_kind(metric), *_related(metric, known), *_tags(metric), *_formula(metric, known))
        faults += [f"{metric.slug}: {fault}" for fault in found]
    return faults


def _names(metrics: tuple[Metric, ...]) -> Iterator[str]:
    """Slugs, names and aliases each mean one metric, and can be found in a question."""
    for slug, count in Counter(metric.slug for metric in metrics).items():
        if count > 1:
            yield f"{slug}: the slug of {count} metrics; each metric has its own"
        if SLUG.fullmatch(slug) is None:
            yield f"{slug}: not a slug; write lower case words joined by hyphens"
    meant: dict[str, str] = {}
    for metric in metrics:
        named = [normal(name) for name in (metric.name, *metric.aliases)]
        for key in dict.fromkeys([*named, normal(metric.slug)]):
            if meant.setdefault(key, metric.slug) != metric.slug:
                yield f"{metric.slug}: {key!r} also means {meant[key]}; a name means one metric"
        for name, count in Counter((metric.name, *metric.aliases)).items():
            if count > 1:
                yield f"{metric.slug}: {name!r} is there {count} times; once is enough"
        for key in dict.fromkeys(named):
            if not 1 <= len(key.split()) <= LONGEST:
                yield f"{metric.slug}: {key!r} has {len(key.split())} words; a name has 1 to {LONGEST}"


def _run_together(metrics: tuple[Metric, ...], known: Mapping[str, Metric]) -> Iterator[str]:
    """Related metrics are written in a row with commas between; no two of them may read as one name."""
    meant = {normal(name): metric.slug for metric in metrics for name in (metric.name, *metric.aliases)}
    for metric in metrics:
        rows = [known[slug].name for slug in metric.related if slug in known]
        for pair in combinations(rows, 2):
            one = meant.get(normal(" ".join(pair)))
            if one:
                yield f"{metric.slug}: its related {', '.join(pair)} read as {one}; turn them round"


def _circles(known: Mapping[str, Metric]) -> Iterator[str]:
    """Formulas that need themselves."""
    needs = {slug: {one for one in _inputs(metric) if one in known} for slug, metric in known.items()}
    while True:
        try:
            TopologicalSorter(needs).prepare()
            return
        except CycleError as error:
            circle = error.args[1][::-1]
            needs[circle[0]].discard(circle[1])
            yield f"{circle[0]}: its formula needs itself: {' -> '.join(circle)}"


def _kind(metric: Metric) -> Iterator[str]:
    """What is told in words is no number, and the other way round."""
    if metric.numeric == (metric.unit == "text"):
        yield f"numeric is {metric.numeric} and its unit {metric.unit}; text, and only text, is not numeric"
    if not metric.numeric and metric.trackable:
        yield "trackable, though it is no number that could rise and fall"
    if not metric.numeric and metric.formula:
        yield "has a formula, though it is no number"
    if not metric.numeric and metric.tags:
        yield "has tags, though it is no number"
    if metric.frequency == "daily" and metric.instant:
        yield "daily and instant; every daily value is of its day, so leave instant out"


def _related(metric: Metric, known: Mapping[str, Metric]) -> Iterator[str]:
    for slug, count in Counter(metric.related).items():
        if slug not in known:
            yield f"related to {slug}, which is no metric"
        if slug == metric.slug:
            yield "related to itself"
        if count > 1:
            yield f"related to {slug} {count} times"
    if metric.numeric and not 1 <= len(metric.related) <= MOST_RELATED:
        yield f"has {len(metric.related)} related metrics; a number has 1 to {MOST_RELATED}"


def _tags(metric: Metric) -> Iterator[str]:
    for tag, count in Counter(metric.tags).items():
        if TAG.fullmatch(tag) is None:
            yield f"tag {tag!r} is no us-gaap concept; they are written like NetIncomeLoss"
        if count > 1:
            yield f"tag {tag} is there {count} times"
    if metric.tags and metric.frequency == "daily":
        yield "has tags and is daily; what is filed is quarterly or annual"


def _formula(metric: Metric, known: Mapping[str, Metric]) -> Iterator[str]:
    """A formula can be read, is of the metric's unit, and over what there is for the same time."""
    if metric.formula is None or metric.unit not in DIMENSIONS:
        return
    try:
        slugs = formula.inputs(metric.formula)
        unknown = [slug for slug in slugs if slug not in known]
        if unknown:
            yield f"its formula takes {', '.join(unknown)}, which is no metric"
            return
        words = [slug for slug in slugs if known[slug].unit not in DIMENSIONS]
        if words:
            yield f"its formula takes {', '.join(words)}, which is no number"
            return
        found = _worked_out(metric.formula, {slug: DIMENSIONS[known[slug].unit] for slug in slugs})
    except UnitError as error:
        yield f"formula {metric.formula!r} {error}"
        return
    except ValueError as error:
        yield f"its formula cannot be read: {error}"
        return
    if not _fits(found, metric):
        yield f"formula {metric.formula!r} gives {found}; its unit is {metric.unit}"
    yield from _times(metric, [known[slug] for slug in slugs])


def _worked_out(text: str, dimensions: Mapping[str, Dimension]) -> Dimension:
    """The dimension of a formula; all that its arithmetic asks of values is to be added and multiplied."""
    return _of(cast("Dimension | float", formula.value(text, cast("Mapping[str, float]", dimensions))))


def _of(value: Dimension | float) -> Dimension:
    return value if isinstance(value, Dimension) else Dimension()


def _fits(found: Dimension, metric: Metric) -> bool:
    """An amount of money may be one per head: revenue per employee."""
    per_head = Dimension(money=1, counted=-1)
    return found == DIMENSIONS[metric.unit] or (metric.unit == "currency" and found == per_head)


def _times(metric: Metric, inputs: list[Metric]) -> Iterator[str]:
    """A period's figure is over periods, a day's over days; a day's takes years, not the last quarter."""
    daily = [one.slug for one in inputs if one.frequency == "daily"]
    periods = [one for one in inputs if one.frequency != "daily" and not one.instant]
    if metric.frequency != "daily":
        if daily:
            yield f"{metric.frequency}, but its formula takes {', '.join(daily)}, which is daily"
        elif metric.instant and periods:
            yield f"holds on a day, but its formula takes {periods[0].slug}, which is of a period"
        elif not metric.instant and not periods:
            yield "of a period, but all that its formula takes holds on a day"
        return
    if not daily:
        yield "daily, but nothing that its formula takes is"
    for one in inputs:
        if one.slug in daily and one.formula:
            yield f"its formula takes {one.slug}, which is computed daily itself; write that out"
    for one in periods:
        if one.frequency == "quarterly" and one.unit != "shares":
            yield f"daily, but its formula takes one quarter's {one.slug}; take that of a full year"


def _inputs(metric: Metric) -> tuple[str, ...]:
    try:
        return formula.inputs(metric.formula or "")
    except ValueError:
        return ()
