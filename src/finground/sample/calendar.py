"""Trading days and fiscal quarters of the invented world.

Trading days are weekdays without a few fixed holidays. Fiscal years end in December, June or January, or on
the last Saturday of September (then they have 52 or 53 weeks, the extra one in the first quarter), and are
named after the calendar year they end in.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from finground.sample.firms import Calendar

HOLIDAYS = {(1, 1), (6, 19), (7, 4), (12, 25)}
LAST_MONTH = {"december": 12, "june": 6, "january": 1}
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Quarter:
    """A fiscal quarter, both days included; `number` is 1 to 4."""

    year: int
    number: int
    start: date
    end: date


def trading_days(first: date, last: date) -> list[date]:
    """The sessions from `first` to `last`, both included."""
    days = (first + DAY * step for step in range((last - first).days + 1))
    return [day for day in days if day.weekday() < 5 and (day.month, day.day) not in HOLIDAYS]


def weekday_from(day: date) -> date:
    """That day, or the next weekday."""
    while day.weekday() > 4 or (day.month, day.day) in HOLIDAYS:
        day += DAY
    return day


def years_before(day: date, years: int) -> date:
    """The same day so many years before; 29 February becomes the 28th."""
    return day.replace(year=day.year - years, day=28 if (day.month, day.day) == (2, 29) else day.day)


def quarters(calendar: Calendar, first: date, last: date) -> list[Quarter]:
    """Whole fiscal years that start on or after `first`, up to the last quarter that ends by `last`."""
    every = (quarter for year in range(first.year, last.year + 2) for quarter in _year(calendar, year))
    begun = False
    kept = []
    for quarter in every:
        begun = begun or (quarter.number == 1 and quarter.start >= first)
        if begun and quarter.end <= last:
            kept.append(quarter)
    return kept


def _year(calendar: Calendar, year: int) -> Iterator[Quarter]:
    start = _year_end(calendar, year - 1) + DAY
    for number in range(1, 5):
        end = _quarter_end(calendar, year, number, start)
        yield Quarter(year, number, start, end)
        start = end + DAY


def _quarter_end(calendar: Calendar, year: int, number: int, start: date) -> date:
    if number == 4:
        return _year_end(calendar, year)
    if calendar != "saturday":
        month = LAST_MONTH[calendar] - 3 * (4 - number)
        return _month_end(year + (month - 1) // 12, (month - 1) % 12 + 1)
    long = (_year_end(calendar, year) - _year_end(calendar, year - 1)).days == 53 * 7
    weeks = 14 if long and number == 1 else 13
    return start + DAY * (7 * weeks - 1)


def _year_end(calendar: Calendar, year: int) -> date:
    if calendar != "saturday":
        return _month_end(year, LAST_MONTH[calendar])
    end = date(year, 9, 30)
    return end - DAY * ((end.weekday() - 5) % 7)


def _month_end(year: int, month: int) -> date:
    return date(year + month // 12, month % 12 + 1, 1) - DAY
