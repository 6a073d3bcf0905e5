"""Figures as filed become facts of a company's own periods, aligned with the calendar that was asked.

Pure functions: rows known at `as_of` in, facts or a gap out. Of several filings of a period the last counts
(case S1). A figure of a quarter is the quarter's own: filed as such, or a longer period less a shorter one
with the same start, and then its rule says so (case S2). A balance-sheet value stands for the quarter that
ends on its day.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from finground.catalog.metrics import Metric
from finground.records.bundle import Fact, Gap
from finground.records.request import Interval
from finground.store import schema

Kind = Literal["quarter", "year", "instant"]
Figures = dict[Kind, list[Fact]]  # by kind, the earliest first, one a period end
QUARTER, YEAR = range(80, 101), range(350, 381)  # days of a period of 12 to 14 weeks, of 52 or 53
REST = range(75, 121)  # days of a quarter that is what a longer period leaves over
QUARTER_DAYS, YEAR_DAYS = 91, 365
SPANS = {1: "three months", 2: "six months", 3: "nine months", 4: "year"}


@dataclass(frozen=True, slots=True)
class Reported:
    """A row of `metric_values`; an instant's start is its end."""

    company: str
    metric: str
    tag: str
    preference: int
    period_start: date
    period_end: date
    value: float
    unit: str
    currency: str | None
    filed_at: int
    accession: str
    form: str
    source: str
    recorded_at: int

    @property
    def days(self) -> int:
        return (self.period_end - self.period_start).days + 1


def figures(metric: Metric, rows: Iterable[Reported]) -> Figures:
    """The facts of one company and metric, out of all its rows known by then."""
    rows = list(rows)
    last = _last_filed(rows)
    if metric.instant:
        return {"instant": _best([(row.preference, _fact(row, "instant", metric)) for row in last])}
    years = [(row.preference, _fact(row, "year", metric)) for row in last if row.days in YEAR]
    quarters = [(row.preference, _fact(row, "quarter", metric)) for row in last if row.days in QUARTER]
    if metric.unit == "currency":
        quarters += [
            (1000 + longer.preference, _rest(longer, shorter))
            for longer, shorter in _leaving_a_quarter(last)
            if _one_vintage(longer, shorter, rows)
        ]
    return {"quarter": _best(quarters), "year": _best(years)}


def align(
    metric: Metric, known: Figures, interval: Interval, entity: str, as_of: date
) -> tuple[list[Fact], Gap | None]:
    """The facts of the fiscal periods that overlap the calendar interval by half, and what of it is not filed
    yet.
    """
    days = _days(interval.start, interval.end)
    kind = _kind(metric, days)
    facts = known.get(kind, [])
    one = days <= 1.5 * QUARTER_DAYS or YEAR_DAYS - 30 <= days <= YEAR_DAYS + 35
    if one:
        found = sorted(
            (fact for fact in facts if _covers(fact, interval, days)),
            key=lambda f: (_overlap(f, interval), f.period_end),
        )
        chosen = found[-1:]
    else:
        chosen = [fact for fact in facts if 2 * _overlap(fact, interval) >= _length(fact)]
    noted = [
        _noted(fact, f"{_word(fact, kind)} with {_overlap(fact, interval)} of its days in {_text(interval)}")
        for fact in chosen
    ]
    if chosen and (one or not _next_is_due(facts[-1], interval)):
        return noted, None
    return noted, _not_filed(metric, known, kind, interval, entity, as_of)


def latest(metric: Metric, known: Figures, n: int = 1) -> list[Fact]:
    """The last `n` periods filed; years only where there are no quarters or the metric is annual."""
    order: tuple[Kind, ...] = (
        ("year", "instant", "quarter") if metric.frequency == "annual" else ("quarter", "instant", "year")
    )
    kind: Kind = next((kind for kind in order if known.get(kind)), "quarter")
    return [
        _noted(fact, f"latest {_word(fact, kind)} filed" if n == 1 else "")
        for fact in known.get(kind, [])[-n:]
    ]


def nearest(known: Figures, day: date) -> Fact | None:
    """The fact whose period ends nearest to the day, of any kind."""
    facts = [fact for kind in known.values() for fact in kind]
    return min(facts, key=lambda fact: (abs((fact.period_end - day).days), fact.period_end), default=None)


def _last_filed(rows: Iterable[Reported]) -> list[Reported]:
    """Of each tag and period the value last filed, as first filed with it: repeating a figure is no news."""
    filings: dict[tuple[str, date, date], list[Reported]] = {}
    for row in rows:
        filings.setdefault((row.tag, row.period_start, row.period_end), []).append(row)
    found = []
    for filed in filings.values():
        filed.sort(key=lambda row: (row.filed_at, row.accession))
        at = len(filed) - 1
        while at and filed[at - 1].value == filed[-1].value:
            at -= 1
        found.append(filed[at])
    return found


def _leaving_a_quarter(rows: Sequence[Reported]) -> list[tuple[Reported, Reported]]:
    """Pairs of one tag with the same start, of which the longer has a quarter more: the year and its nine
    months.
    """
    starts: dict[tuple[str, date], list[Reported]] = {}
    for row in rows:
        starts.setdefault((row.tag, row.period_start), []).append(row)
    return [
        (longer, shorter)
        for same in starts.values()
        for longer in same
        for shorter in same
        if longer.days <= YEAR[-1] and shorter.days >= QUARTER[0] and longer.days - shorter.days in REST
    ]


def _one_vintage(longer: Reported, shorter: Reported, rows: Sequence[Reported]) -> bool:
    """Whether both are figures of one state of the books: a year that a later year's report restates, minus
    nine months as first filed, is no quarter's figure. An amendment (10-K/A) corrects the year itself.
    """
    year, part = (_restated_later(row, rows) for row in (longer, shorter))
    return year == part or (part and shorter.filed_at <= longer.filed_at)


def _restated_later(row: Reported, rows: Sequence[Reported]) -> bool:
    """Whether a report of a later period gave another value than one filed before."""
    period = (row.tag, row.period_start, row.period_end)
    before = (
        old
        for old in rows
        if (old.tag, old.period_start, old.period_end) == period and old.filed_at < row.filed_at
    )
    return not row.form.endswith("/A") and any(old.value != row.value for old in before)


def _rest(longer: Reported, shorter: Reported) -> Fact:
    rule = f"{_span(longer)} minus {_span(shorter)}"
    fact = replace(
        longer,
        value=longer.value - shorter.value,
        period_start=shorter.period_end + timedelta(days=1),
        filed_at=max(longer.filed_at, shorter.filed_at),
        recorded_at=max(longer.recorded_at, shorter.recorded_at),
    )
    return replace(_fact(fact, "quarter", None), rule=rule, source=f"{_source(longer)}; {_source(shorter)}")


def _fact(row: Reported, kind: Kind, metric: Metric | None) -> Fact:
    return Fact(
        id=f"{row.company}/{row.metric}/{row.period_end}/{kind}",
        entity=row.company,
        metric=row.metric,
        value=row.value,
        unit=row.unit,
        currency=row.currency,
        period_start=None if metric and metric.instant else row.period_start,
        period_end=row.period_end,
        filed_at=schema.moment(row.filed_at),
        recorded_at=schema.moment(row.recorded_at),
        source=_source(row),
        rule="",
    )


def _best(facts: list[tuple[int, Fact]]) -> list[Fact]:
    """One fact a period end: filed as such before computed, the preferred tag first, then the last filed."""
    by_end: dict[date, tuple[int, Fact]] = {}
    for rank, fact in sorted(facts, key=lambda pair: (-pair[0], pair[1].filed_at)):
        by_end[fact.period_end] = (rank, fact)
    return [by_end[end][1] for end in sorted(by_end)]


def _not_filed(
    metric: Metric, known: Figures, kind: Kind, interval: Interval, entity: str, as_of: date
) -> Gap:
    near = nearest({kind: known[kind]} if known.get(kind) else known, interval.end)
    what = f"{metric.name} of {_text(interval)}"
    if near is None:
        return Gap(entity, what, f"no {metric.name.lower()} on file by {as_of}")
    if near.period_end < interval.end:
        return Gap(entity, what, f"not filed by {as_of}; the last filed is of {_period_text(near)}", near)
    return Gap(entity, what, f"no {kind} on file has half of its days in {_text(interval)}", near)


def _next_is_due(last: Fact, interval: Interval) -> bool:
    """Whether the period after the last one filed would lie in the interval by half."""
    length = _length(last)
    start = last.period_end + timedelta(days=1)
    return 2 * _common(start, start + timedelta(days=length - 1), interval) >= length


def _kind(metric: Metric, days: int) -> Kind:
    if metric.instant:
        return "instant"
    is_year = YEAR_DAYS - 30 <= days <= YEAR_DAYS + 35
    return "year" if is_year or metric.frequency == "annual" else "quarter"


def _covers(fact: Fact, interval: Interval, days: int) -> bool:
    """Half of the shorter of period and interval is in both."""
    return 2 * _overlap(fact, interval) >= min(_length(fact), days)


def _start(fact: Fact) -> date:
    return fact.period_start or fact.period_end - timedelta(days=QUARTER_DAYS - 1)


def _length(fact: Fact) -> int:
    return _days(_start(fact), fact.period_end)


def _overlap(fact: Fact, interval: Interval) -> int:
    return _common(_start(fact), fact.period_end, interval)


def _common(start: date, end: date, interval: Interval) -> int:
    return max(0, _days(max(start, interval.start), min(end, interval.end)))


def _days(start: date, end: date) -> int:
    return (end - start).days + 1


def _noted(fact: Fact, note: str) -> Fact:
    return replace(fact, rule="; ".join(part for part in (fact.rule, note) if part))


def _word(fact: Fact, kind: Kind) -> str:
    return "balance-sheet date" if fact.period_start is None else f"fiscal {kind}"


def _span(row: Reported) -> str:
    return SPANS[round(row.days / QUARTER_DAYS)]


def _source(row: Reported) -> str:
    return f"{row.source} {row.form} {row.accession}"


def _period_text(fact: Fact) -> str:
    return f"{fact.period_end}" if fact.period_start is None else f"{fact.period_start} to {fact.period_end}"


def _text(interval: Interval) -> str:
    return f"{interval.start} to {interval.end}"
