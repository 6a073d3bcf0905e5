"""The forms of a single date or period, each with its reader; `dates.py` joins them.

A form is a pattern with named groups and a reader of what they hold. Patterns are wide on purpose: `Q7 2023`
is of the form of a quarter, so that its reader can refuse it instead of nobody seeing it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cache

from finground.catalog import periods
from finground.core.errors import DateError
from finground.records.request import Interval

NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "final": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
YEAR = r"(?:19|20)\d\d(?!\d)"
SHORT_YEAR = rf"(?:{YEAR}|'?\d\d(?!\d))"
UNIT = r"(?:day|week|month|quarter|year)s?"
COUNT = rf"(?:\d+|{'|'.join(NUMBERS[1:])}|a|couple of|couple|few|several|many)"
ORDINAL = rf"(?:{'|'.join(ORDINALS)})"
HOW = "last|past|previous|prior|preceding|trailing|recent"
LEADING = re.compile(
    r"^(?:(?:in|on|for|during|over|within|at|of|the|from|across|throughout|as of|calendar|year(?= \d))\s+)+",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Read:
    """What a form means; `yearless` if the text named no year and the last one begun was taken."""

    interval: Interval
    yearless: bool = False


@dataclass(frozen=True, slots=True)
class At:
    """What a reader may look at: the whole text, today, and a year lent by the other end of a range."""

    text: str
    today: date
    year: int | None


Groups = dict[str, str | None]
Reader = Callable[[Groups, At], Read]


def read_atom(text: str, today: date, year: int | None = None) -> Read | None:
    """What a single form means, or None if the text has none of the forms.

    Raises:
        DateError: if it has the form of a date and is none.
    """
    for pattern, reader in forms():
        match = pattern.fullmatch(text)
        if match:
            return reader(match.groupdict(), At(text, today, year))
    return None


def _day(got: Groups, at: At) -> Read:
    number = _month(got["month"] or "")
    day = int(got["day"] or 0)
    if got["year"]:
        return Read(_one_day(int(got["year"]), number, day, at))
    return _yearless(at, lambda year: _one_day(year, number, day, at))


def _one_day(year: int, month: int, day: int, at: At) -> Interval:
    try:
        found = date(year, month, day)
    except ValueError as error:
        raise DateError(
            f"{at.text!r} is not a day of the calendar ({error}); write year-month-day (2024-03-15) or"
            " day/month/year (15/3/2024)"
        ) from error
    return Interval(found, found)


def _month_of_year(got: Groups, at: At) -> Read:
    number = _month(got["month"] or "")
    if not 1 <= number <= 12:
        raise DateError(
            f"{at.text!r} has month {number}; months are 1 to 12, and years are joined as '2019 to 2021'"
        )
    if got.get("year"):
        return Read(periods.month(int(got["year"] or 0), number))
    return _yearless(at, lambda year: periods.month(year, number))


def _quarter(got: Groups, at: At) -> Read:
    number = ORDINALS.get((got["n"] or "").lower()) or int(got["n"] or 0)
    if not 1 <= number <= 4:
        raise DateError(f"{at.text!r} names quarter {number}; quarters are Q1 to Q4")
    if got.get("year"):
        return Read(periods.quarter(_full_year(got["year"] or ""), number))
    return _yearless(at, lambda year: periods.quarter(year, number))


def _half(got: Groups, at: At) -> Read:
    number = ORDINALS.get((got["n"] or "").lower()) or int(got["n"] or 0)
    if not 1 <= number <= 2:
        raise DateError(f"{at.text!r} names half {number}; halves are H1 and H2")
    if got.get("year"):
        return Read(periods.half(_full_year(got["year"] or ""), number))
    return _yearless(at, lambda year: periods.half(year, number))


def _year(got: Groups, _: At) -> Read:
    return Read(periods.year(_full_year(got["year"] or "")))


def _back(got: Groups, at: At) -> Read:
    """Quarters back are whole ones, and so is one "last" unit; all else counts back from today."""
    unit, how = (got["unit"] or "").lower().rstrip("s"), (got["how"] or "").lower()
    if got["n"] is None and how in ("last", "previous", "prior", "preceding"):
        if (got["unit"] or "").lower().endswith("s"):
            raise DateError(f"{at.text!r} does not say how many; write e.g. 'last 3 {unit}s'")
        return Read(periods.around(at.today, unit, -1))
    count = 1 if got["n"] is None else _count(got["n"], at)
    if got["n"] is None and how == "recent":
        raise DateError(f"{at.text!r} does not say how many; write e.g. 'last 3 {unit}s'")
    if unit == "quarter":
        start = periods.around(at.today, unit, -count).start
        return Read(Interval(start, periods.around(at.today, unit, -1).end))
    return Read(Interval(_back_to(at, count, unit), at.today))


def _this(got: Groups, at: At) -> Read:
    return Read(periods.around(at.today, (got["unit"] or "").lower()))


def _ahead(got: Groups, at: At) -> Read:
    unit = (got["unit"] or "").lower().rstrip("s")
    if got["n"] is None:
        return Read(periods.around(at.today, unit, 1))
    count = _count(got["n"], at)
    return Read(Interval(periods.back(at.today, -1, "day"), periods.back(at.today, -count, unit)))


def _ago(got: Groups, at: At) -> Read:
    unit, count = (got["unit"] or "").lower().rstrip("s"), _count(got["n"] or "", at)
    return Read(periods.around(_back_to(at, count, unit), unit))


def _named_day(_: Groups, at: At) -> Read:
    offset = {"today": 0, "yesterday": -1, "tomorrow": 1}[at.text.lower()]
    return Read(periods.around(at.today, "day", offset))


def _to_date(_: Groups, at: At) -> Read:
    unit = {"y": "year", "q": "quarter", "m": "month"}[at.text[0].lower()]
    return Read(Interval(periods.around(at.today, unit).start, at.today))


def _trailing(_: Groups, at: At) -> Read:
    return Read(Interval(periods.back(at.today, 12, "month"), at.today))


def _back_to(at: At, count: int, unit: str) -> date:
    try:
        return periods.back(at.today, count, unit)
    except (ValueError, OverflowError) as error:
        raise DateError(f"{at.text!r} goes back before the calendar; write a smaller number") from error


def _yearless(at: At, period: Callable[[int], Interval]) -> Read:
    if at.year is not None:
        return Read(period(at.year), yearless=True)
    this = period(at.today.year)
    return Read(this if this.start <= at.today else period(at.today.year - 1), yearless=True)


def _month(text: str) -> int:
    if text.isdigit():
        return int(text)
    return next(
        i for i, name in enumerate(periods.MONTHS, start=1) if name.lower().startswith(text[:3].lower())
    )


def _full_year(text: str) -> int:
    digits = text.strip("'")
    return int(digits) if len(digits) == 4 else 2000 + int(digits)


def _count(text: str, at: At) -> int:
    word = text.lower()
    if word in ("few", "several", "many"):
        raise DateError(
            f"{at.text!r} does not say how many; write a number, e.g. {at.text.replace(text, '3')!r}"
        )
    count = (
        2
        if word.startswith("couple")
        else 1
        if word == "a"
        else NUMBERS.index(word)
        if word in NUMBERS
        else int(word)
    )
    if count == 0:
        raise DateError(f"{at.text!r} is no time at all; write a number from 1")
    return count


FISCAL = r"(?:FY|fiscal(?: year)?|financial year)"
SOURCES: tuple[tuple[str, Reader], ...] = (
    (r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?!\d)", _day),
    (r"(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4})(?!\d)", _day),
    (rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{MONTH})(?:,? (?P<year>{YEAR}))?", _day),
    (rf"(?P<month>{MONTH}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<year>{YEAR}))?", _day),
    (rf"(?P<year>{YEAR})[ -]?Q(?P<n>\d+)", _quarter),
    (
        rf"Q(?P<n>\d+)(?:(?:\s*(?:of|in|,|/|-)?\s*(?:{FISCAL}\s*)?(?P<year>{YEAR}))|\s*(?:{FISCAL}\s*)?)",
        _quarter,
    ),
    (rf"Q(?P<n>\d+)\s*(?:'|{FISCAL}\s*'?)(?P<year>\d\d)(?!\d)", _quarter),
    (rf"(?P<n>\d)Q\s*(?P<year>{SHORT_YEAR})", _quarter),
    (rf"(?P<n>{ORDINAL})[ -]quarter(?:(?: of| in)?(?: {FISCAL})? ?(?P<year>{YEAR}))?", _quarter),
    (rf"H(?P<n>\d)(?:\s*(?:of|,|/|-)?\s*(?:{FISCAL}\s*)?(?P<year>{YEAR}))?(?!\w)", _half),
    (rf"(?P<n>\d)H\s*(?P<year>{SHORT_YEAR})", _half),
    (rf"(?P<n>first|second|1st|2nd) half(?: of)?(?: {FISCAL})? ?(?P<year>{YEAR})", _half),
    (rf"{FISCAL}[ -]?(?P<year>{SHORT_YEAR})", _year),
    (rf"(?P<month>{MONTH})(?:,| of|-)? ?(?P<year>{YEAR})", _month_of_year),
    (r"(?P<year>(?:19|20)\d\d)-(?P<month>\d{1,2})(?!\d)", _month_of_year),
    (rf"(?P<month>\d{{1,2}})/(?P<year>{YEAR})", _month_of_year),
    (
        rf"(?P<how>{HOW})(?: (?P<n>{COUNT}))? (?P<unit>{UNIT})\b",
        _back,
    ),
    (r"(?:this|the current|current) (?P<unit>week|month|quarter|year)\b", _this),
    (rf"next(?: (?P<n>{COUNT}))? (?P<unit>{UNIT})\b", _ahead),
    (rf"(?P<n>{COUNT}) (?P<unit>{UNIT}) ago", _ago),
    (r"(?:today|yesterday|tomorrow)\b", _named_day),
    (r"(?:YTD|QTD|MTD|year[ -]to[ -]date|quarter[ -]to[ -]date|month[ -]to[ -]date)\b", _to_date),
    (r"(?:TTM|LTM|trailing twelve months|trailing 12 months)\b", _trailing),
    (rf"(?P<month>{MONTH})", _month_of_year),
    (rf"(?P<year>{YEAR})", _year),
)
ATOM = "(?:" + "|".join(r"\b" + re.sub(r"\(\?P<\w+>", "(?:", source) for source, _ in SOURCES) + ")"


@cache
def forms() -> tuple[tuple[re.Pattern[str], Reader], ...]:
    """The compiled forms, compiled once they are needed."""
    return tuple((re.compile(source, re.I), reader) for source, reader in SOURCES)
