"""The rows of a data answer: the facts asked for, daily values among them."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

from finground.records.bundle import Fact
from finground.records.request import Interval, Request
from finground.report.brief import Brief
from finground.report.figures import figure, period


@dataclass(frozen=True, slots=True)
class Row:
    """One fact as the table shows it."""

    fact: Fact
    entity: str
    period: str
    shown: str

    @property
    def value(self) -> float:
        return self.fact.value

    @property
    def measure(self) -> tuple[str, str | None]:
        """What must be equal for two values to be compared (law 3)."""
        return self.fact.unit, self.fact.currency


ROSE = re.compile(r"\b(increas\w+|grow\w*|grew|ris\w+|rose|improv\w+|up|gain\w*|climb\w*)\b", re.I)
FELL = re.compile(
    r"\b(decreas\w+|declin\w+|fall\w*|fell|drop\w*|worsen\w*|down|los[et]\w*|shrink\w*|shrank)\b", re.I
)
CLOSED = re.compile(r"\s*(?:is|are|was|were|did|does|do|has|have|had)\b", re.I)
QUARTERLY = re.compile(
    r"\b(?:quarter[- ](?:on|over)[- ]quarter|qoq|(?:previous|preceding|prior) quarter|sequential\w*)\b", re.I
)
CHANGED = re.compile(r"\bchang\w*\b", re.I)
WHY = re.compile(r"\b(?:why|what (?:caused|drove|explains)|what is behind|reasons?)\b", re.I)
PERIODS = 4  # of a metric beside the one asked, that a table shows all of
YEAR, QUARTER, SAME = timedelta(days=365), timedelta(days=91), timedelta(days=20)


def asks_yes_or_no(query: str, request: Request) -> bool:
    """Whether the question wants a yes or a no."""
    return request.kind == "yes-no" or CLOSED.match(query) is not None


def asks_for_change(query: str, request: Request) -> bool:
    """Whether the question is if, how or why something of one company changed, which takes two periods."""
    if len(request.entities) != 1 or request.rank is not None:
        return False
    one_way = bool(ROSE.search(query)) != bool(FELL.search(query))
    how = asks_why(query) or CHANGED.search(query) is not None
    return how or (asks_yes_or_no(query, request) and one_way)


def asks_why(query: str) -> bool:
    """Whether the question wants what is behind a figure."""
    return WHY.search(query) is not None


def rows(brief: Brief) -> tuple[Row, ...]:
    """By metric as requested, then by entity as asked and read, then newest first."""
    wanted = [metric.slug for metric in brief.request.metrics]
    kept = [fact for fact in brief.latest_facts() if fact.metric in wanted]
    if asks_for_change(brief.query, brief.request):
        kept = [
            fact for slug in wanted for fact in _two_periods(brief, [f for f in kept if f.metric == slug])
        ]
    else:
        kept = _short(brief, kept)
    entities = list(dict.fromkeys((*brief.companies, *(fact.entity for fact in kept))))

    def place(fact: Fact) -> tuple[int, int, int]:
        return wanted.index(fact.metric), entities.index(fact.entity), -fact.period_end.toordinal()

    return tuple(Row(fact, fact.entity, period(fact), figure(fact)) for fact in sorted(kept, key=place))


def _short(brief: Brief, facts: list[Fact]) -> list[Fact]:
    """All periods of the metrics asked; of those beside them, where there are many, the last alone."""
    primary = {metric.slug for metric in brief.request.metrics if metric.primary}
    last: dict[tuple[str, str], list[Fact]] = {}
    for fact in sorted(facts, key=lambda fact: fact.period_end, reverse=True):
        last.setdefault((fact.entity, fact.metric), []).append(fact)
    dropped = {
        id(fact) for (_, metric), found in last.items() if metric not in primary and len(found) > PERIODS
        for fact in found[1:]
    }  # fmt: skip
    return [fact for fact in facts if id(fact) not in dropped]


def _two_periods(brief: Brief, facts: list[Fact]) -> list[Fact]:
    """The figures of the dates asked, else the newest; of a single one also what it is measured against:
    the year before, or the quarter before where the question says so; of many the newest and the first of its
    season.
    """
    interval = brief.request.interval
    newest = sorted(facts, key=lambda fact: fact.period_end, reverse=True)
    asked = newest[:1] if interval is None else [fact for fact in newest if _inside(fact, interval)]
    if not asked:
        return []
    first = asked[0]
    asked, newest = ([fact for fact in some if _as_long(fact, first)] for some in (asked, newest))
    if len(asked) == 2:
        return asked
    if alike := [fact for fact in asked if same_season(fact, first)]:
        return [first, alike[-1]]
    before = QUARTER if QUARTERLY.search(brief.query) else YEAR
    then = first.period_end - before
    older = [fact for fact in newest if fact.period_end < first.period_end]
    return [first, *([fact for fact in older if abs(fact.period_end - then) <= SAME] or older)[:1]]


def _as_long(fact: Fact, other: Fact) -> bool:
    """Whether two periods, or two days, are of one length: a year is not compared with a quarter."""
    if fact.period_start is None or other.period_start is None:
        return fact.period_start is other.period_start
    days = [
        one.period_end.toordinal() - one.period_start.toordinal() for one in (fact, other) if one.period_start
    ]
    return abs(days[0] - days[1]) <= SAME.days


def same_season(fact: Fact, now: Fact) -> bool:
    """Whether a period ended whole years before, give or take 20 days: a quarter is compared with its own
    kind.
    """
    days = (now.period_end - fact.period_end).days
    return days > 300 and min(days % 365.25, 365.25 - days % 365.25) <= SAME.days


def _inside(fact: Fact, interval: Interval) -> bool:
    """Whether half of a figure's period, or its day, lies in the interval."""
    start = fact.period_start or fact.period_end
    common = min(fact.period_end, interval.end) - max(start, interval.start)
    return 2 * (common.days + 1) >= (fact.period_end - start).days + 1


def filed_on(row: Row) -> date:
    """The day it became known."""
    return row.fact.filed_at.date()
