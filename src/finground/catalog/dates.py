"""Phrases for dates, and the intervals they mean as of a time; both days of an interval are included.

A phrase is one period ("Q4 2024", "last quarter"), two joined ("Apr 2016 to Jul 2017", "between March and
May"), or open to `as_of` ("since 2019", "YTD"). "Last quarter" is the last whole calendar quarter, "previous
6 months" counts back from `as_of`. Fiscal years are read as calendar years; the store maps them to a
company's own periods. What looks like a date and is none is refused, never ignored.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time
from functools import cache, lru_cache

from finground.catalog import periods
from finground.catalog.dateforms import ATOM, LEADING, Read, read_atom
from finground.core.errors import DateError
from finground.records.request import Interval

OPEN = re.compile(
    r"(?:ever )?since (.+)|(?:after|starting(?: in| from)?) (.+)|from (.+?) (?:onwards?|on)", re.I
)
TO_NOW = re.compile(r"(?:date|now|present|the present|today)", re.I)
CLOSED = re.compile(r"(?:until|till|before|prior to|up to|by) (?P<end>.+)", re.I)
SEPARATOR = re.compile(r"\s+(?:to|through|thru|until|till|up to|and)\s+|\s*[–—]\s*|\s+-\s+|-", re.I)
PREFIX = r"(?:(?:(?:ever )?since|after|between|from|until|till|before|prior to|up to)\s+(?:the\s+)?)?"
JOINED = (
    rf"\b{PREFIX}{ATOM}(?:(?:\s+(?:to|through|thru|until|till|up to|and)\s+(?:the\s+)?|\s*[–—-]\s*)"
    rf"(?:{ATOM}|date\b|now\b|present\b))?(?:\s+onwards?)?"
)
COUNTED = re.compile(
    r"\s*(?:%|(?:companies|firms|stocks|shares|employees|dollars|points|million|billion)\b)", re.I
)
INDEX = re.compile(r"(?:\b(?:russell|nikkei|top|msci)|[$€£])\s*$|[.,\d]$", re.I)
MONTH_ALONE = re.compile(
    "(?:" + "|".join(f"{name}|{name[:3]}|{name[:4]}" for name in periods.MONTHS) + r")\.?\b", re.I
)
BEFORE_MONTH = re.compile(
    r"\b(?:in|of|for|during|through|since|from|between|last|this|by|until|till|to|and|after)\s+$", re.I
)
ORDINAL = ("first", "second", "third", "fourth")
RIGHT = "write e.g. 'last quarter', 'Q4 2024', 'Sep 2018', '2024-03-15' or 'Apr 2016 to Jul 2017'"


YEARS = range(1900, 2201)  # that questions can be about
ODD_YEAR = re.compile(
    r"\b(?:q[1-4]|fy|in|since|from|until|year)\s+(\d{4,6})\b(?!\s*(?:million|billion|shares|companies))", re.I
)


def parse(phrase: str, as_of: datetime) -> Interval:
    """The interval that a phrase means as of then.

    Raises:
        DateError: if it is not a date, or its end lies before its start.
    """
    text = " ".join(phrase.split()).strip(" ,.;?!()")
    today = as_of.astimezone(UTC).date()
    opened = OPEN.fullmatch(text)
    if opened:
        return _open(phrase, opened, today)
    closed = CLOSED.fullmatch(text)
    if closed:
        raise DateError(f"{phrase!r} has no start; write both ends, 'START to {closed['end']}'")
    text = LEADING.sub("", text)
    single = read_atom(text, today)
    if single is not None:
        return single.interval
    between = text.lower().startswith("between ")
    joined = _joined(text[len("between ") :] if between else text, today, hull=not between)
    if joined is None:
        raise DateError(f"{phrase!r} is not a date or a period; {RIGHT}")
    if joined.end < joined.start:
        raise DateError(
            f"{phrase!r} ends ({joined.end}) before it starts ({joined.start}); write the earlier date first"
        )
    return joined


def find(
    question: str, as_of: datetime, is_name: Callable[[str], bool] = lambda _: False
) -> list[tuple[int, int, str, Interval]]:
    """The date phrases of a question: start, end, phrase and interval, in order.

    Args:
        is_name: whether a number that is no year ("6501") is the ticker of a company.

    Raises:
        DateError: if something in it looks like a date and is none ("in Q7 2023").
    """
    pattern, found, place = _pattern(), list[tuple[int, int, str, Interval]](), 0
    while match := pattern.search(question, place):
        if not _is_date(question, match):
            place = match.start() + len(match[0].split()[0])
            continue
        phrase = match[0].strip()
        found.append((match.start(), match.start() + len(phrase), phrase, parse(phrase, as_of)))
        place = match.end()
    for odd in ODD_YEAR.finditer(question):
        if int(odd[1]) not in YEARS and not is_name(odd[1]):
            raise DateError(f"{odd[0]!r} names the year {odd[1]}; years are {YEARS[0]} to {YEARS[-1]}")
    return found


def phrases(interval: Interval, as_of: datetime) -> tuple[str, ...]:
    """Ways to say the interval as of then; each parses back to it, the plainest (day/month/year) last."""
    today = as_of.astimezone(UTC).date()
    said = dict.fromkeys([*_named(interval), *_relative(interval, today), written(interval)])
    return tuple(phrase for phrase in said if _means(phrase, interval, as_of))


def written(interval: Interval) -> str:
    """Day/month/year of both ends, as the paper writes it; one day alone is written once."""
    start, end = (f"{day.day}/{day.month}/{day.year}" for day in (interval.start, interval.end))
    return start if start == end else f"{start} - {end}"


def as_of_of(text: str) -> datetime:
    """An aware time out of ISO text; a bare date is its last microsecond UTC, a time without a zone is UTC.

    Raises:
        DateError: if it is neither.
    """
    right = "write 2024-03-15 or 2024-03-15T16:00:00Z"
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text.strip()):
            found = end_of(date.fromisoformat(text.strip()))
        elif re.match(r"\d{4}-\d{2}-\d{2}[T ]\d", text.strip()):
            parsed = datetime.fromisoformat(text.strip())
            found = parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        else:
            raise DateError(f"as-of {text!r} is not a time; {right}")
    except (ValueError, OverflowError) as error:
        raise DateError(f"as-of {text!r} is not a time ({error}); {right}") from error
    if found.year not in YEARS:
        raise DateError(f"as-of {text!r} lies outside {YEARS[0]} to {YEARS[-1]}; {right}")
    return found


def end_of(day: date) -> datetime:
    """The last microsecond of the day, UTC."""
    return datetime.combine(day, time.max, tzinfo=UTC)


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(JOINED, re.I)


def _open(phrase: str, opened: re.Match[str], today: date) -> Interval:
    since, after, onward = opened.groups()
    read = read_atom(LEADING.sub("", since or after or onward), today)
    if read is None:
        raise DateError(f"{phrase!r} does not start at a date; {RIGHT}")
    start = read.interval.end if after and after.lower() != "the" else read.interval.start
    if after:
        start = date.fromordinal(start.toordinal() + 1)
    if start > today:
        raise DateError(f"{phrase!r} starts after {today}, when it is asked; give an earlier start")
    return Interval(start, today)


def _joined(text: str, today: date, hull: bool) -> Interval | None:
    """Two periods with a word or a dash between; where one lacks a year, the other lends it.

    "A and B" (`hull`) is all from the earlier to the end of the later.
    """
    for separator in SEPARATOR.finditer(text):
        first, second = text[: separator.start()], LEADING.sub("", text[separator.end() :])
        end = read_atom("today" if TO_NOW.fullmatch(second) else second, today)
        start = read_atom(first, today)
        if start is None or end is None:
            continue
        start, end = _lend(first, start, second, end, today)
        if hull and separator[0].strip().lower() == "and" and end.interval.start < start.interval.start:
            start, end = end, start
        return Interval(start.interval.start, end.interval.end)
    return None


def _lend(first: str, start: Read, second: str, end: Read, today: date) -> tuple[Read, Read]:
    if start.yearless:
        year = end.interval.start.year
        start = read_atom(first, today, year) or start
        if start.interval.start > end.interval.end:
            start = read_atom(first, today, year - 1) or start
    elif end.yearless:
        year = start.interval.start.year
        end = read_atom(second, today, year) or end
        if end.interval.end < start.interval.start:
            end = read_atom(second, today, year + 1) or end
    return start, end


def _is_date(question: str, match: re.Match[str]) -> bool:
    """Whether the match is a date in its place, and not a number or the word "may"."""
    before, text, after = question[: match.start()], match[0].strip(), question[match.end() :]
    if re.fullmatch(r"\d{4}", text):
        return not COUNTED.match(after) and not INDEX.search(before)
    if MONTH_ALONE.match(text) and not re.search(r"\d", text):
        return text[0].isupper() and BEFORE_MONTH.search(before) is not None
    return True


def _named(interval: Interval) -> Iterator[str]:
    """Calendar names: Q4 2024, September 2018, FY2023, Apr 2016 to Jul 2017."""
    start, end = interval.start, interval.end
    month, last = periods.MONTHS[start.month - 1], periods.MONTHS[end.month - 1]
    quarter, half = (start.month + 2) // 3, (start.month + 5) // 6
    if interval == periods.quarter(start.year, quarter):
        yield f"Q{quarter} {start.year}"
        yield f"{ORDINAL[quarter - 1]} quarter of {start.year}"
    if interval == periods.half(start.year, half):
        yield f"H{half} {start.year}"
    if interval == periods.year(start.year):
        yield f"{start.year}"
        yield f"FY{start.year}"
    if interval == periods.month(start.year, start.month):
        yield f"{month[:3]} {start.year}"
        yield f"{month} {start.year}"
    elif interval == periods.months(start.year, start.month, _months(interval)):
        yield f"{month[:3]} {start.year} to {last[:3]} {end.year}"
        yield f"between {month} {start.year} and {last} {end.year}"
    if start == end:
        yield start.isoformat()
        yield f"{start.day} {month} {start.year}"
    if start.year < end.year and interval == Interval(
        periods.year(start.year).start, periods.year(end.year).end
    ):
        yield f"{start.year} to {end.year}"


def _months(interval: Interval) -> int:
    """How many calendar months the interval touches."""
    start, end = interval.start, interval.end
    return 12 * (end.year - start.year) + end.month - start.month + 1


def _relative(interval: Interval, today: date) -> Iterator[str]:
    """Names that hold on this day only: last quarter, past 19 days, since 2019."""
    yield from (phrase for phrase, meant in _relative_to(today) if meant == interval)
    if interval.end != today:
        return
    days = (today - interval.start).days
    if days % 7 == 0 and 14 <= days <= 84:
        yield f"past {days // 7} weeks"
    if 2 <= days <= 90:
        yield f"past {days} days"
    if interval.start.day == 1:
        if interval.start.month == 1:
            yield f"since {interval.start.year}"
        yield f"since {periods.MONTHS[interval.start.month - 1][:3]} {interval.start.year}"


@lru_cache(maxsize=256)
def _relative_to(today: date) -> tuple[tuple[str, Interval], ...]:
    """Phrases of fixed wording, with what they mean on that day."""
    said = [
        "last quarter", "last month", "last year", "this quarter", "this month", "this year", "YTD", "TTM",
        "yesterday", *(f"previous {count} months" for count in (1, 2, 3, 4, 6, 9, 18)),
        *(f"last {count} years" for count in range(2, 11)),
        *(f"last {count} quarters" for count in range(2, 9)),
    ]  # fmt: skip
    return tuple((phrase, parse(phrase, end_of(today))) for phrase in said)


def _means(phrase: str, interval: Interval, as_of: datetime) -> bool:
    try:
        return parse(phrase, as_of) == interval
    except DateError:
        return False
