"""Whether a question ranks: "the top 5", "which three companies", "the company with the lowest"."""

import re
from dataclasses import dataclass

from finground.core.errors import RequestError

MOST = 500  # companies in a ranking
NUMBERS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *(
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ),
)
N = rf"(?P<n>\d{{1,3}}(?!\d)|{'|'.join(NUMBERS)})"
NOT_TIME = r"(?! (?:\w+ )?(?:days?|weeks?|months?|quarters?|years?)\b)"
HIGH = (
    r"top|best|leading|largest|biggest|highest|strongest|fastest|greatest|most|fattest|richest|heaviest|priciest"
    r"|quickest"
)
LOW = (
    r"bottom|worst|lowest|smallest|weakest|least|slowest|cheapest|fewest|poor|poorest|laggards|thinnest|leanest"
    r"|lightest"
)
WHO = (
    r"compan(?:y|ies)|firms?|stocks?|businesses|banks?|names|players|performers|insurers|airlines"
    r"|(?:front )?runners"
)
ASK = r"which|what|list|name|show|give|find|identify|rank"
ONE = r"company|firm|stock|business|bank|corporation|name"
COUNTED = (
    re.compile(rf"\b(?:{HIGH}|{LOW})[ -](?:(?P<wide>\d{{4,}})|{N})\b", re.I),
    re.compile(rf"\b(?:which|first) (?!one\b){N}\b{NOT_TIME}", re.I),
    re.compile(rf"\blast {N} (?:[\w&-]+ ){{0,5}}?(?:{WHO})\b|\brank\b.*\blast (?P<m>\d{{1,3}})\b", re.I),
    re.compile(rf"\b(?:{HIGH}|{LOW})\b.*[,;:] {N} of them\b", re.I),
    re.compile(rf"\b{N} (?:(?:leaders|laggards)\b|(?:(?:{WHO}) )?with the\b)", re.I),
    re.compile(rf"\b{N} (?:\w+ )?(?:{HIGH}|{LOW})\b", re.I),
    re.compile(rf"\b(?:{ASK})(?: (?:me|us|the|are|were|out))* {N} (?:[\w&-]+ ){{0,6}}?(?:{WHO})\b", re.I),
    re.compile(rf"\b(?:{HIGH}|{LOW})\b.*\b{N} (?:[\w&-]+ ){{0,6}}?(?:companies|firms|stocks)\b", re.I),
    re.compile(rf"\b{N} (?:[\w&-]+ ){{0,6}}?(?:companies|firms|stocks)\b.*\b(?:{HIGH}|{LOW})\b", re.I),
)
NUMBERED = re.compile(  # what every question that counts has, and few others
    rf"(?<![\d/.-])\b(?:\d{{1,3}}|{'|'.join(NUMBERS)})\b(?![/.-]?\d)|\b(?:{HIGH}|{LOW})[ -]\d", re.I
)
SINGLE = re.compile(
    rf"\b(?:(?:which|what|name of the|find:?) |^)(?:[\w&-]+ ){{0,6}}?(?:{ONE})\b.*\b(?:{HIGH}|{LOW})\b", re.I
)
WHO_HAS = re.compile(
    rf"\bwho(?:['’]s|se)? (?:is |was |are |were |has |had |have |got )*(?:the )?(?:\w+ )?(?:{HIGH}|{LOW})\b",
    re.I,
)
FIRST = re.compile(
    r"\b(?:which|what|who)\b.*\b(?:led|leads?|tops|topped"
    r"|(?:came|ranks?|ranked|was|is) (?:first|last|on top|number one|at the"
    r" (?:top|bottom)))\b",
    re.I,
)
UNCOUNTED = re.compile(r"\b(?:top|bottom|best|worst) (?:[\w&-]+ ){0,2}?(?:companies|firms|stocks)\b", re.I)
LOWER = re.compile(
    rf"\b(?:{LOW})\b|\blast {N} (?:[\w&-]+ ){{0,5}}?(?:{WHO})\b"
    r"|\brank\b.*\blast \d|\b(?:came|ranks?|ranked) last\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """How many are asked for, from which end; `explicit` if a number says so."""

    n: int
    descending: bool
    explicit: bool


def read(query: str) -> Asked | None:
    """The ranking that a question asks for, or None if it asks for none.

    Raises:
        RequestError: if it ranks without saying how many, or so many that it is no ranking.
    """
    descending = LOWER.search(query) is None
    for pattern in COUNTED if NUMBERED.search(query) else ():
        match = pattern.search(query)
        if match:
            n = next(text for text in match.groups() if text)
            return Asked(_number(n, match[0]), descending, explicit=True)
    if any(pattern.search(query) for pattern in (SINGLE, FIRST, WHO_HAS)):
        return Asked(1, descending, explicit=False)
    uncounted = UNCOUNTED.search(query)
    if uncounted:
        raise RequestError(f"{uncounted[0]!r} does not say how many; write e.g. 'top 5 companies'")
    return None


def _number(text: str, where: str) -> int:
    n = int(text) if text.isdigit() else NUMBERS.index(text.lower()) + 1
    if not 1 <= n <= MOST:
        raise RequestError(f"{where!r} asks for {n}; a ranking holds 1 to {MOST}")
    return n
