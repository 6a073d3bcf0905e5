"""Reads numbers, dates and sentences out of a text as a reader would: sign, scale, unit, digits given."""

import calendar
import re
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

SCALES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "million": 1e6,
    "mn": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "trillion": 1e12,
}
SYMBOLS = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "yuan": "CNY", "dollars": "USD", "euros": "EUR"}
NUMBER = re.compile(
    r"(?=[\d$€£U+−-])(?P<symbol>US\$|[$€£])?(?<![\w.])(?P<sign>[-−+](?=\d|[$€£]))?(?P<inner>[$€£])?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?P<fraction>\.\d+)?(?P<ordinal>st|nd|rd|th)?(?![\w,]*\d)(?![A-Za-z])"
    r"(?:\s*(?P<percent>%|percentage points?\b|percent\b))?"
    r"(?:[\s-](?P<scale>hundred|thousand|million|mn|billion|bn|trillion)\b)?"
    r"(?:\s(?P<unit>[A-Z]{3}\b|yuan\b|dollars\b|euros\b|shares\b))?"
)
BEFORE = re.compile(
    r"(?:\b(?P<down>down|fell|lost|dropped|declined|decreased|lower|behind|decline|drop|decrease|loss|falling)"
    r"|\b(?P<up>up|rose|gained|increased|grew|higher|ahead|growth|increase|gain|rising))(?:\s+(?:by|of))?\s*$",
    re.I,
)
DIGIT = re.compile(r"\d")
REACH = 24  # characters within which a word of direction stands beside its number
AFTER = re.compile(
    r"^[^.;]{0,3}\b(?:(?P<down>lower|behind|decline|decrease|drop|less)|(?P<up>higher|ahead|increase|gain|more))\b",
    re.I,
)
MONTHS = {name.lower(): at for at, name in enumerate(calendar.month_name) if name}
MONTHS |= {name.lower(): at for at, name in enumerate(calendar.month_abbr) if name}
_MONTH = "|".join(sorted((name.capitalize() for name in MONTHS), key=len, reverse=True))
DATE = re.compile(
    r"(?=[\dADFJMNOQS])(?:"  # what a date begins with
    r"\b(?P<iso>\d{4}-\d{2}-\d{2})\b"
    rf"|\b(?P<m1>{_MONTH})\.?\s+(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<y1>(?:19|20)\d\d))?\b"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<m2>{_MONTH})\.?(?:\s+(?P<y2>(?:19|20)\d\d))?\b"
    rf"|\b(?P<m3>{_MONTH})\.?\s+(?P<y3>(?:19|20)\d\d)\b"
    r"|\bQ(?P<q>[1-4])\s*(?P<yq>(?:19|20)\d\d)?\b|\b(?P<y4>(?:19|20)\d\d)\b(?![,.]\d)(?!\s*(?:%|percent|million|billion|shares)))"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written: `value` in base units with its sign where the text gives one, `half` of its last
    digit.

    `kind` is "percent", "points" (percentage points), a currency, "shares" or "" for a bare number;
    `signed` tells whether the text gives a sign or a direction; `start` and `end` where it stands.
    """

    text: str
    value: float
    half: float
    kind: str
    signed: bool
    start: int = 0
    end: int = 0

    @property
    def counts(self) -> bool:
        """Whether it may be a parameter, like the 20 of "20 sessions": whole, small, without a unit."""
        return self.half == 0.5 and abs(self.value) <= 400 and not self.kind


@dataclass(frozen=True, slots=True)
class Day:
    """A date as written: the days it may mean, in any year where none is given."""

    text: str
    first: date
    last: date
    any_year: bool = False
    start: int = 0
    end: int = 0


def sentences(text: str) -> list[str]:
    """Lines, cut at full stops that end a sentence."""
    return [
        part
        for line in text.split("\n")
        for part in re.split(r"(?<=[.!?])\s+(?=[A-Z\d\"“])", line)
        if part.strip()
    ]


def read_numbers(text: str) -> list[Number]:
    """All numbers of a text whose dates have been taken out."""
    if not DIGIT.search(text):
        return []
    return [_number(text, found) for found in NUMBER.finditer(text)]


def _number(text: str, found: re.Match[str]) -> Number:
    scale = SCALES[found["scale"]] if found["scale"] else 1.0
    digits = found["digits"].replace(",", "") + (found["fraction"] or "")
    decimals = len(found["fraction"]) - 1 if found["fraction"] else 0
    kind = _kind(found)
    turn = _turn(text, found) if kind in ("percent", "points") else None
    falls = turn is not None and bool(turn["down"])
    negative = (found["sign"] in ("-", "−")) != falls  # "down -3%" says that it rose
    signed = bool(found["sign"]) or turn is not None
    value = float(digits) * scale * (-1 if negative else 1)
    half = 0.5 * 10.0**-decimals * scale
    return Number(found[0].strip(), value, half, kind, signed, found.start(), found.end())


def _turn(text: str, found: re.Match[str]) -> re.Match[str] | None:
    """The word of direction beside a number."""
    before = BEFORE.search(text[max(0, found.start() - REACH) : found.start()])
    return before or AFTER.search(text[found.end() : found.end() + REACH])


def _kind(found: re.Match[str]) -> str:
    if found["percent"]:
        return "points" if found["percent"].startswith("percentage") else "percent"
    unit = found["unit"] or found["symbol"] or found["inner"] or ""
    return SYMBOLS.get(unit, unit)


@lru_cache(maxsize=4096)
def read_dates(text: str) -> tuple[str, tuple[Day, ...]]:
    """The text with its dates blanked, and the dates; an impossible one is left in, as a number."""
    days: list[Day] = []
    if not DIGIT.search(text):
        return text, ()

    def take(found: re.Match[str]) -> str:
        day = _day(found)
        if day is None:
            return found[0]
        days.append(replace(day, start=found.start(), end=found.end()))
        return " " * len(found[0])

    return DATE.sub(take, text), tuple(days)


def _day(found: re.Match[str]) -> Day | None:
    try:
        if found["iso"]:
            day = date.fromisoformat(found["iso"])
            return Day(found[0], day, day)
        if found["q"]:
            month, year = 3 * int(found["q"]), int(found["yq"] or 2000)
            return Day(found[0], date(year, month - 2, 1), _end(year, month), any_year=not found["yq"])
        if found["y3"]:
            year, month = int(found["y3"]), MONTHS[found["m3"].lower()]
            return Day(found[0], date(year, month, 1), _end(year, month))
        if found["y4"]:
            return Day(found[0], date(int(found["y4"]), 1, 1), date(int(found["y4"]), 12, 31))
        name, number = (found["m1"], found["d1"]) if found["m1"] else (found["m2"], found["d2"])
        year_text = found["y1"] if found["m1"] else found["y2"]
        day = date(int(year_text or 2000), MONTHS[name.lower()], int(number))
        return Day(found[0], day, day, any_year=not year_text)
    except ValueError:
        return None


def _end(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])
