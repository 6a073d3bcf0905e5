"""Times a question may ask about: phrases as people write them, and the interval each means on a day.

Intervals and their phrases come from `catalog.dates`, so a phrase here always means what the reader of
dates says.
"""

import random
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from finground.catalog import dates
from finground.records.request import Interval

RELATIVE = (
    "last month", "last quarter", "last year", "this year", "previous 6 months", "past 3 months", "YTD",
    "past 12 months", "last 2 years", "past 30 days", "last 4 quarters", "past 2 weeks",
)  # fmt: skip
RELATIVE_SHARE = 1 / 3
READY = re.compile(
    r"(since|from|between|in|for|over|during|on|ytd|ttm|year to date|this|until|as of)\b", re.IGNORECASE
)
COUNTED = re.compile(r"(last|past|previous|trailing) \d+ ", re.IGNORECASE)
RANGE = re.compile(r" (to|until|through) | - ", re.IGNORECASE)
DAY = re.compile(
    r"\d{1,2} [a-z]{3,9} \d{4}|[a-z]{3,9} \d{1,2}, \d{4}|\d{4}-\d\d-\d\d|\d+/\d+/\d{4}", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Period:
    """A phrase and the days it means."""

    phrase: str
    interval: Interval


@dataclass(frozen=True, slots=True)
class Moment:
    """A day on which questions are asked, and what can be asked about on it."""

    as_of: datetime
    named: tuple[Period, ...]
    relative: tuple[Period, ...]

    def draw(self, rng: random.Random) -> Period:
        """A period; one in three is said relative to the day, as people do."""
        return rng.choice(self.relative if rng.random() < RELATIVE_SHARE else self.named)


def moment(as_of: datetime) -> Moment:
    """Periods of the three years before `as_of`, in every phrase known for them."""
    named = [
        Period(phrase, interval)
        for interval in _calendar(as_of.date())
        for phrase in dates.phrases(interval, as_of)
        if phrase != dates.written(interval)
    ]
    named += [Period(phrase, span) for span in _spans(as_of.date()) for phrase in dates.phrases(span, as_of)]
    said = [*RELATIVE, *(f"since {year}" for year in (as_of.year - 2, as_of.year - 1))]
    relative = [Period(phrase, dates.parse(phrase, as_of)) for phrase in said]
    return Moment(as_of, tuple(dict.fromkeys(named)), tuple(relative))


def in_words(period: Period, rng: random.Random) -> str:
    """The phrase with the preposition it needs: `in Q4 2024`, `over the past 3 months`, `last quarter`."""
    phrase = period.phrase
    if READY.match(phrase):
        return phrase
    if COUNTED.match(phrase):
        return rng.choice(("over the ", "in the ", "for the ")) + phrase
    if re.match(r"last|past|previous", phrase, re.IGNORECASE):
        return phrase
    if RANGE.search(phrase):
        return f"for {phrase}" if " - " in phrase else f"from {phrase}"
    if phrase.startswith(("first", "second", "third", "fourth")):
        return f"in the {phrase}"
    if DAY.fullmatch(phrase):
        return f"on {phrase}"
    return rng.choice(("in ", "for ", "in ", "during ")) + phrase


def _calendar(today: date) -> list[Interval]:
    """Whole months, quarters, half years and years before `today`."""
    months = [_months(today, back, 1) for back in range(1, 25)]
    quarters = [_months(today, back + (today.month - 1) % 3, 3) for back in range(3, 37, 3)]
    halves = [_months(today, back + (today.month - 1) % 6, 6) for back in range(6, 37, 6)]
    years = [Interval(date(year, 1, 1), date(year, 12, 31)) for year in range(today.year - 3, today.year)]
    return months + quarters + halves + years


def _spans(today: date) -> list[Interval]:
    """Some months together, from one to another."""
    return [_months(today, back, length) for back, length in ((9, 7), (14, 9), (20, 16), (26, 5))]


def _months(today: date, back: int, length: int) -> Interval:
    """`length` whole months, the first of them `back` months before the month of `today`."""
    first = today.year * 12 + today.month - 1 - back
    return Interval(_first(first), _first(first + length) - timedelta(days=1))


def _first(month: int) -> date:
    return date(month // 12, month % 12 + 1, 1)
