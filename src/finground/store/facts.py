"""Figures as filed become facts of a company's own periods, aligned with the calendar that was asked.

Pure functions: rows known at `as_of` in, facts or a gap out. Of several filings of a period the last counts
and its rule names the one before (case S1). A figure of a quarter is the quarter's own: filed as such, or a
longer period less a shorter one with the same start, and then its rule says so (case S2); six and nine months
as filed are year-to-date. A balance-sheet value stands for the quarter that ends on its day. Twelve months
that are no calendar year are the last four quarters, summed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from operator import attrgetter
from typing import Literal

from finground.catalog.metrics import Metric
from finground.records.bundle import Fact, Gap
from finground.records.request import Interval
from finground.store import schema
from finground.store.chains import YEAR, Chain, Reported, chains

Kind = Literal["quarter", "year", "instant", "year-to-date"]
Figures = dict[Kind, list[Fact]]  # by kind, the earliest first, one a period end
QUARTER = range(75, 121)  # days of a period of 11 to 17 weeks
PARTS = (*range(155, 205), *range(240, 295))  # of two and of three quarters
KINDS: Mapping[int, Kind] = {  # what a period of so many days is
    **dict.fromkeys(QUARTER, "quarter"),
    **dict.fromkeys(YEAR, "year"),
    **dict.fromkeys(PARTS, "year-to-date"),
}
QUARTER_DAYS, YEAR_DAYS = 91, 365
NEAR = 20  # days by which a period may begin or end beside what was asked, to be it
FIELDS = attrgetter(*list(Fact.__dataclass_fields__)[:-1])  # all but the rule, which is the last
SPANS = {1: "three months", 2: "six months", 3: "nine months", 4: "year"}


def figures(metric: Metric, rows: Iterable[Reported], since: date = date.min) -> Figures:
    """The facts of one company and metric, out of all its rows known by then; of periods that end from
    `since` on, what came before only lessens longer ones.
    """
    filed = chains(rows)
    if metric.instant:
        instants = [one for one in filed if one.last.period_end >= since]
        return {"instant": _best([(one.last.preference, _fact(one, "instant", True)) for one in instants])}
    by_kind: dict[Kind, list[tuple[int, Fact]]] = {"quarter": [], "year": [], "year-to-date": []}
    longest = 0
    for one in filed:
        last = one.last
        days = last.days
        longest = max(longest, days)
        if last.period_end >= since and days in KINDS:
            by_kind[KINDS[days]].append((last.preference, _fact(one, KINDS[days])))
    if longest > QUARTER[-1] and metric.unit == "currency":
        by_kind["quarter"] += [
            (1000 + longer.last.preference, _rest(longer, shorter))
            for longer, shorter in _leaving_a_quarter(filed)
            if longer.last.period_end >= since and _one_vintage(longer, shorter)
        ]
    return {kind: _best(facts) if facts else [] for kind, facts in by_kind.items()}


def trailing(quarters: Sequence[Fact], years: Sequence[Fact]) -> list[Fact]:
    """Twelve months to each quarter's end: the fiscal year as filed, else four quarters in a row, summed."""
    sums = [
        _sum(four)
        for four in (quarters[at - 3 : at + 1] for at in range(3, len(quarters)))
        if (four[3].period_end - _start(four[0])).days + 1 in YEAR and len({f.currency for f in four}) == 1
    ]
    by_end = {fact.period_end: fact for fact in (*sums, *years)}
    return [by_end[end] for end in sorted(by_end)]


def is_trailing(interval: Interval) -> bool:
    """Whether the dates are twelve months that are no calendar year."""
    new_year = (interval.start.month, interval.start.day) == (1, 1)
    return not new_year and _is_year(_days(interval.start, interval.end))


def _sum(four: Sequence[Fact]) -> Fact:
    ends = ", ".join(f"{fact.period_end}" for fact in four)
    sources = dict.fromkeys(part for fact in four for part in fact.source.split("; "))
    last = four[3]
    return replace(
        last,
        id=f"{last.entity}/{last.metric}/{last.period_end}/twelve-months",
        value=sum(fact.value for fact in four),
        period_start=_start(four[0]),
        filed_at=max(fact.filed_at for fact in four),
        recorded_at=max(fact.recorded_at for fact in four),
        source="; ".join(sources),
        rule=f"trailing twelve months: sum of the quarters ended {ends}",
    )


def align(
    metric: Metric, known: Figures, interval: Interval, entity: str, as_of: date
) -> tuple[list[Fact], Gap | None]:
    """The facts of the fiscal periods that overlap the calendar interval by half, and what of it is not filed
    yet. Six or nine months that a company filed as such are one fact, year-to-date.
    """
    for fact in known.get("year-to-date", ()):
        if abs((_start(fact) - interval.start).days) <= NEAR >= abs((fact.period_end - interval.end).days):
            return [_noted(fact, _fit(fact, "year-to-date", interval, _overlap(fact, interval)))], None
    days = _days(interval.start, interval.end)
    kind = _kind(metric, days)
    facts = known.get(kind, [])
    one = days <= 1.5 * QUARTER_DAYS or _is_year(days)
    chosen = _half(facts, interval, days if one else None)
    if one and len(chosen) > 1:
        chosen = [max(chosen, key=lambda pair: (pair[0], pair[1].period_end))]
    noted = [_noted(fact, _fit(fact, kind, interval, n)) for n, fact in chosen]
    if chosen and (one or not _next_is_due(facts[-1], interval)):
        return noted, None
    return noted, _not_filed(metric, known, kind, interval, entity, as_of)


def latest(metric: Metric, known: Figures, n: int = 1, seen_on: date | None = None) -> list[Fact]:
    """The last `n` periods filed; years only where there are no quarters or the metric is annual. Given
    a day, the rule says how old the period was then.
    """
    order: tuple[Kind, ...] = (
        ("year", "instant", "quarter") if metric.frequency == "annual" else ("quarter", "instant", "year")
    )
    kind: Kind = next((kind for kind in order if known.get(kind)), "quarter")
    found = known.get(kind, [])[-n:]
    return [
        _noted(fact, f"latest {_word(fact, kind)} filed{_age(fact, seen_on)}" if n == 1 else "")
        for fact in found
    ]


def nearest(known: Figures, day: date) -> Fact | None:
    """The fact whose period ends nearest to the day, of any kind."""
    facts = [fact for kind in known.values() for fact in kind]
    return min(facts, key=lambda fact: (abs((fact.period_end - day).days), fact.period_end), default=None)


def _leaving_a_quarter(filed: Sequence[Chain]) -> list[tuple[Chain, Chain]]:
    """Pairs of one tag with the same start, of which the longer has a quarter more: the year and its nine
    months.
    """
    starts: dict[tuple[str, date], list[Chain]] = {}
    for one in filed:
        starts.setdefault((one.last.tag, one.last.period_start), []).append(one)
    return [
        (longer, shorter)
        for same in starts.values()
        if len(same) > 1
        for longer in same
        for shorter in same
        if longer.last.days <= YEAR[-1]
        and shorter.last.days >= QUARTER[0]
        and longer.last.days - shorter.last.days in QUARTER
    ]


def _one_vintage(longer: Chain, shorter: Chain) -> bool:
    """Whether both are figures of one state of the books: a year that a later year's report restates, minus
    nine months as first filed, is no quarter's figure.
    """
    year, part = longer.restated_later, shorter.restated_later
    return year == part or (part and shorter.last.filed_at <= longer.last.filed_at)


def _rest(longer: Chain, shorter: Chain) -> Fact:
    """The quarter by which the longer period is longer; a fourth quarter where the longer is a year."""
    long, short = longer.last, shorter.last
    rest = long._replace(
        value=long.value - short.value,
        period_start=short.period_end + timedelta(days=1),
        filed_at=max(long.filed_at, short.filed_at),
        recorded_at=max(long.recorded_at, short.recorded_at),
    )
    fiscal = longer.fiscal.replace("year", "Q4") if long.days in YEAR else longer.fiscal
    rule = f"{_span(long)} minus {_span(short)}"
    told = "; ".join(part for part in (rule, _labels(rest.period_end, rest.days, fiscal)) if part)
    return _filed(rest, "quarter", told, f"{_source(long)}; {_source(short)}")


def _fact(chain: Chain, kind: Kind, instant: bool = False) -> Fact:
    """The value that counts, with its labels and what it restates."""
    row, before = chain.last, chain.before if len(chain.rows) > 1 else None
    restated = (
        f"restates {before.value:.15g} filed {schema.moment(before.filed_at):%Y-%m-%d} ({before.accession})"
        if before
        else ""
    )
    labels = _labels(row.period_end, row.days, chain.fiscal)
    rule = f"{labels}; {restated}" if labels and restated else labels or restated
    return _filed(row, kind, rule, _source(row), instant)


def _filed(row: Reported, kind: Kind, rule: str, source: str, instant: bool = False) -> Fact:
    return Fact(
        f"{row.company}/{row.metric}/{_day(row.period_end)}/{kind}",
        row.company,
        row.metric,
        row.value,
        row.unit,
        row.currency,
        None if instant else row.period_start,
        row.period_end,
        schema.moment(row.filed_at),
        schema.moment(row.recorded_at),
        source,
        rule,
    )


@lru_cache(maxsize=10_000)
def _labels(end: date, days: int, fiscal: str) -> str:
    """The fiscal and the calendar name of a period (case S3); the calendar's is where its middle lies."""
    if not fiscal:
        return ""
    half = days // 2 if days > 1 else QUARTER_DAYS // 2
    middle = end - timedelta(days=half)
    quarter = "" if days in YEAR else f"Q{(middle.month + 2) // 3} "
    return f"{fiscal} (calendar {quarter}{middle.year})"


def _best(facts: list[tuple[int, Fact]]) -> list[Fact]:
    """One fact a period end: filed as such before computed, the preferred tag first, then the last filed."""
    if len(facts) < 2:
        return [fact for _, fact in facts]
    ordered = sorted(facts, key=lambda pair: (-pair[0], pair[1].filed_at))
    by_end = {fact.period_end: fact for _, fact in ordered}
    return [by_end[end] for end in sorted(by_end)]


def _not_filed(
    metric: Metric, known: Figures, kind: Kind, interval: Interval, entity: str, as_of: date
) -> Gap:
    near = nearest({kind: known[kind]} if known.get(kind) else known, interval.end)
    what = f"{metric.name} of {_text(interval)}"
    if near is None:
        return Gap(entity, what, f"no {metric.name.lower()} on file by {as_of}")
    if near.period_end < interval.end:
        return Gap(entity, what, f"not filed by {as_of}; the last filed is of {_period_text(near)}", near)
    why = f"no {kind} on file has half of its days in {_text(interval)}"
    if kind == "quarter" and metric.unit == "per-share":
        why += "; figures per share of longer periods are not subtracted"
    return Gap(entity, what, why, near)


def _next_is_due(last: Fact, interval: Interval) -> bool:
    """Whether the period after the last one filed would lie in the interval by half."""
    length = _length(last)
    start = last.period_end + timedelta(days=1)
    return 2 * _common(start, start + timedelta(days=length - 1), interval) >= length


def _kind(metric: Metric, days: int) -> Kind:
    if metric.instant:
        return "instant"
    return "year" if _is_year(days) or metric.frequency == "annual" else "quarter"


def _is_year(days: int) -> bool:
    return YEAR_DAYS - 30 <= days <= YEAR_DAYS + 35


def _half(facts: Iterable[Fact], interval: Interval, days: int | None) -> list[tuple[int, Fact]]:
    """Facts of which half of the period, or of so many days where these are fewer, is in the interval, with
    how many days are.
    """
    found = []
    for fact in facts:
        shared, length = _overlap(fact, interval), _length(fact)
        if 2 * shared >= (length if days is None or length < days else days):
            found.append((shared, fact))
    return found


def _start(fact: Fact) -> date:
    return fact.period_start or fact.period_end - timedelta(days=QUARTER_DAYS - 1)


def _length(fact: Fact) -> int:
    return _days(_start(fact), fact.period_end)


def _overlap(fact: Fact, interval: Interval) -> int:
    return _common(_start(fact), fact.period_end, interval)


def _common(start: date, end: date, interval: Interval) -> int:
    first = start if start > interval.start else interval.start
    last = end if end < interval.end else interval.end
    return (last - first).days + 1 if first <= last else 0


def _days(start: date, end: date) -> int:
    return (end - start).days + 1


def _noted(fact: Fact, note: str) -> Fact:
    if not note:
        return fact
    rule = f"{fact.rule}; {note}" if fact.rule else note
    return Fact(*(*FIELDS(fact), rule))  # `replace` takes ten times as long, and requests have many


def _fit(fact: Fact, kind: Kind, interval: Interval, shared: int) -> str:
    return f"{_word(fact, kind)} with {shared} of its days in {_text(interval)}"


def _age(fact: Fact, seen_on: date | None) -> str:
    return f", ended {(seen_on - fact.period_end).days} days before {seen_on}" if seen_on else ""


def _word(fact: Fact, kind: Kind) -> str:
    if fact.id.endswith("/twelve-months"):
        return "twelve months"
    return "balance-sheet date" if fact.period_start is None else f"fiscal {kind}"


def _span(row: Reported) -> str:
    return SPANS[round(row.days / QUARTER_DAYS)]


def _source(row: Reported) -> str:
    return f"{row.source} {row.form} {row.accession}"


def _period_text(fact: Fact) -> str:
    return f"{fact.period_end}" if fact.period_start is None else f"{fact.period_start} to {fact.period_end}"


def _text(interval: Interval) -> str:
    return f"{_day(interval.start)} to {_day(interval.end)}"


@lru_cache(maxsize=10_000)
def _day(day: date) -> str:
    return day.isoformat()
