"""Times a question may ask about: date phrases as people write them, with the interval each means on a given day.

Intervals and their phrases come from `catalog.dates`, so a phrase here always means what the reader of dates says.
"""

import random
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from finground.catalog import dates
from finground.records.request import Interval

RELATIVE = (
    "last month", "last quarter", "last year", "this year", "previous 6 months", "past 3 months", "past 12 months",
    "last 2 years", "past 30 days", "last 4 quarters", "past 2 weeks", "YTD",
)  # fmt: skip
READY = re.compile(r"(since|from|between|in|for|over|during|on|ytd|year to date|this|until|as of)\b", re.IGNORECASE)
COUNTED = re.compile(r"(last|past|previous|trailing) \d+ ", re.IGNORECASE)
RANGE = re.compile(r" (to|until|through) | - ", re.IGNORECASE)
DAY = re.compile(r"\d{1,2} [a-z]{3,9} \d{4}|[a-z]{3,9} \d{1,2}, \d{4}|\d{4}-\d\d-\d\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Period:
    """A phrase and the days it means."""

    phrase: str
    interval: Interval


@dataclass(frozen=True, slots=True)
class Moment:
    """A day on which questions are asked, and what can be asked about on it."""

    as_of: datetime
    periods: tuple[Period, ...]


def moment(as_of: datetime) -> Moment:
    """All periods that end by `as_of` and begin within three years before it, in every phrase known for them."""
    found = [
        Period(phrase, interval)
        for interval in _intervals(as_of.date())
        for phrase in dates.phrases(interval, as_of)
    ]
    found += [Period(phrase, dates.parse(phrase, as_of)) for phrase in RELATIVE]
    found += [
        Period(phrase, dates.parse(phrase, as_of))
        for year in (as_of.year - 2, as_of.year - 1)
        for phrase in (f"since {year}",)
    ]
    return Moment(as_of, tuple(dict.fromkeys(found)))


def in_words(period: Period, rng: random.Random) -> str:
    """The phrase with the preposition it needs in a sentence: `in Q4 2024`, `over the past 3 months`, `last quarter`."""
    phrase = period.phrase
    if READY.match(phrase):
        return phrase
    if COUNTED.match(phrase):
        return rng.choice(("over the ", "in the ", "for the ")) + phrase
    if re.match(r"last|past|previous", phrase, re.IGNORECASE):
        return phrase
    if RANGE.search(phrase):
        return f"from {phrase}"
    if DAY.fullmatch(phrase):
        return f"on {phrase}"
    return rng.choice(("in ", "for ", "in ", "during ")) + phrase


def _intervals(today: date) -> list[Interval]:
    """Whole months, quarters, half years and years before `today`, and spans of them."""
    months = [_months(today, back, 1) for back in range(1, 25)]
    quarters = [_months(today, back + (today.month - 1) % 3, 3) for back in range(3, 37, 3)]
    halves = [_months(today, back + (today.month - 1) % 6, 6) for back in range(6, 37, 6)]
    years = [Interval(date(year, 1, 1), date(year, 12, 31)) for year in range(today.year - 3, today.year)]
    spans = [_months(today, back, length) for back, length in ((9, 7), (14, 9), (20, 16), (26, 5))]
    return months + quarters + halves + years + spans


def _months(today: date, back: int, length: int) -> Interval:
    """`length` whole months, the first of them `back` months before the month of `today`."""
    first = today.year * 12 + today.month - 1 - back
    return Interval(_first(first), _first(first + length) - timedelta(days=1))


def _first(month: int) -> date:
    return date(month // 12, month % 12 + 1, 1)
