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
N = rf"(?P<n>\d+|{'|'.join(NUMBERS)})"
HIGH = r"top|best|leading|largest|biggest|highest|strongest|fastest|greatest|most"
LOW = r"bottom|worst|lowest|smallest|weakest|least|slowest|cheapest|fewest"
WHO = r"compan(?:y|ies)|firms?|stocks?|businesses|banks?|names|players|performers|insurers|airlines"
ASK = r"which|what|list|name|show|give|find|identify|rank"
ONE = r"company|firm|stock|business|bank|corporation"
COUNTED = (
    re.compile(rf"\b(?:{HIGH}|{LOW})[ -]{N}\b", re.I),
    re.compile(rf"\b{N} (?:\w+ )?(?:{HIGH}|{LOW})\b", re.I),
    re.compile(rf"\b(?:{ASK})(?: (?:me|us|the|are|were|out))* {N} (?:[\w&-]+ ){{0,3}}?(?:{WHO})\b", re.I),
)  # fmt: skip
SINGLE = re.compile(
    rf"\b(?:which|what) (?:[\w&-]+ ){{0,3}}?(?:{ONE})\b.*\b(?:{HIGH}|{LOW})\b",
    re.I,
)
UNCOUNTED = re.compile(
    r"\b(?:top|bottom|best|worst) (?:[\w&-]+ ){0,2}?(?:companies|firms|stocks|performers|players)\b", re.I
)
LOWER = re.compile(rf"\b(?:{LOW})\b", re.I)


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
    for pattern in COUNTED:
        match = pattern.search(query)
        if match:
            return Asked(_number(match["n"], match[0]), descending, explicit=True)
    if SINGLE.search(query):
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
