"""Calendar arithmetic: months, quarters, halves, years, and stepping back by them."""

from calendar import monthrange
from datetime import date, timedelta

from finground.records.request import Interval

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def months(year: int, first: int, count: int) -> Interval:
    """`count` whole months from month `first` of `year`; `first` may lie outside 1 to 12."""
    start = _first(year, first)
    return Interval(start, _first(start.year, start.month + count) - timedelta(days=1))


def month(year: int, number: int) -> Interval:
    """A calendar month."""
    return months(year, number, 1)


def quarter(year: int, number: int) -> Interval:
    """A calendar quarter, 1 to 4."""
    return months(year, 3 * number - 2, 3)


def half(year: int, number: int) -> Interval:
    """A calendar half, 1 or 2."""
    return months(year, 6 * number - 5, 6)


def year(number: int) -> Interval:
    """A calendar year."""
    return months(number, 1, 12)


def back(day: date, count: int, unit: str) -> date:
    """The day `count` days, weeks, months, quarters or years before; clamped to the month's last day."""
    if unit == "day":
        return day - timedelta(days=count)
    if unit == "week":
        return day - timedelta(weeks=count)
    size = {"month": 1, "quarter": 3, "half": 6, "year": 12}[unit]
    first = _first(day.year, day.month - size * count)
    return first.replace(day=min(day.day, monthrange(first.year, first.month)[1]))


def around(day: date, unit: str, offset: int = 0) -> Interval:
    """The calendar unit that holds the day, or the one `offset` units later."""
    if unit == "day":
        moved = day + timedelta(days=offset)
        return Interval(moved, moved)
    if unit == "week":
        monday = day - timedelta(days=day.weekday()) + timedelta(weeks=offset)
        return Interval(monday, monday + timedelta(days=6))
    size = {"month": 1, "quarter": 3, "half": 6, "year": 12}[unit]
    return months(day.year, (day.month - 1) // size * size + 1 + size * offset, size)


def _first(year: int, number: int) -> date:
    return date(year + (number - 1) // 12, (number - 1) % 12 + 1, 1)
