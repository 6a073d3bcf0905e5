"""What the rules are not sure of in a question, each with how much is left of their sureness after it.

The factors were set by hand beforehand; no question was looked at for them. How well the product tells wrong
requests from right ones is measured by `bench` (AUROC).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from finground.catalog.names import words
from finground.catalog.spotting import lists

NO_METRIC, TAKEN_METRIC, TAKEN_NAME, UNKNOWN_NAME, SLIP, UNREAD = 0.4, 0.6, 0.6, 0.5, 0.95, 0.9
LISTED = 5  # unread words that are named, and count


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something that may have been misunderstood; `left` of the sureness, 0 to 1."""

    text: str
    left: float


def sureness(doubts: Iterable[Doubt]) -> float:
    """The product of what each leaves."""
    sure = 1.0
    for doubt in doubts:
        sure *= doubt.left
    return sure


def slips(question: str, mended: str) -> list[Doubt]:
    """Words that were taken for misspelt."""
    pairs = zip(question.split(), mended.split(), strict=True)
    return [Doubt(f"{said!r} was read as {meant!r}", SLIP) for said, meant in pairs if said != meant]


@cache
def _ordinary() -> frozenset[str]:
    """Words that say nothing of companies, metrics or dates."""
    known = lists()
    return known.ordinary | known.never | known.qualifies | known.position | known.continues


def unread(question: str, read: Sequence[tuple[int, int]], names: Iterable[str]) -> list[Doubt]:
    """Words that say something and that nothing was read from.

    Args:
        read: the places that something was read from.
        names: of entities in the request; their words were read, wherever they stand.
    """
    ordinary = _ordinary()
    named = {word.lower() for name in names for word in name.split()}
    left = [
        question[word.start : word.end]
        for word in words(question)
        if not any(start < word.end and word.start < end for start, end in read)
        and not {word.keys[0], question[word.start : word.end].lower()} & named
        and word.keys[0] not in ordinary
        and question[word.start : word.end].lower() not in ordinary
        and len(word.keys[0]) > 2
        and not word.keys[0].isdigit()
    ]
    return [Doubt(f"{word!r} was not read", UNREAD) for word in list(dict.fromkeys(left))[:LISTED]]
