"""Times a question may ask about: phrases as people write them, and the interval each means on a day.

Intervals and their phrases come from `catalog.dates`, so a phrase here always means what the reader of
dates says.
"""

import random
import re
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from finground.catalog import dates
from finground.catalog.periods import months
from finground.records.request import Interval

RELATIVE = (
    "last month", "last quarter", "last year", "this year", "previous 6 months", "past 3 months", "YTD",
    "past 12 months", "last 2 years", "past 30 days", "last 4 quarters", "past 2 weeks",
)  # fmt: skip
RELATIVE_SHARE = 1 / 3
ASKED = {"month": 3, "quarter": 5, "half": 1, "year": 3, "span": 2, "day": 1}  # how often, one to another
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
    """A day on which questions are asked, and what can be asked about on it.

    Phrases are made as they are needed, and kept.
    """

    as_of: datetime
    calendar: dict[str, tuple[Interval, ...]]
    relative: tuple[Period, ...]
    phrases: dict[Interval, tuple[str, ...]] = field(default_factory=dict)

    def draw(self, rng: random.Random) -> Period:
        """A period; one in three is said relative to the day, as people do."""
        if rng.random() < RELATIVE_SHARE:
            return rng.choice(self.relative)
        interval = rng.choice(self.calendar[rng.choices(tuple(ASKED), tuple(ASKED.values()))[0]])
        if interval not in self.phrases:
            self.phrases[interval] = dates.phrases(interval, self.as_of)
        known = self.phrases[interval]  # the last is in day/month/year, which few people write
        return Period(rng.choices(known, [*[4] * (len(known) - 1), 1])[0], interval)


def moment(as_of: datetime) -> Moment:
    """Periods of the three years before `as_of`."""
    said = [*RELATIVE, *(f"since {year}" for year in (as_of.year - 2, as_of.year - 1))]
    relative = tuple(Period(phrase, dates.parse(phrase, as_of)) for phrase in said)
    return Moment(as_of, _calendar(as_of.date()), relative)


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


def _calendar(today: date) -> dict[str, tuple[Interval, ...]]:
    """Whole months, quarters, half years and years before `today`, spans of months, and single days."""
    year, month = today.year, today.month
    quarter, half = month - (month - 1) % 3, month - (month - 1) % 6  # first months of those of today
    days = (today - timedelta(days=back) for back in (3, 17, 60, 200))
    return {
        "month": tuple(months(year, month - back, 1) for back in range(1, 25)),
        "quarter": tuple(months(year, quarter - back, 3) for back in range(3, 37, 3)),
        "half": tuple(months(year, half - back, 6) for back in range(6, 31, 6)),
        "year": tuple(months(year - back, 1, 12) for back in range(1, 4)),
        "span": tuple(months(year, month - b, length) for b, length in ((9, 7), (14, 9), (20, 16), (26, 5))),
        "day": tuple(Interval(day, day) for day in days),
    }
