"""What a report concludes for the short and for the medium to long term, read from its own sentences."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from finground.report.reading import sentences
from finground.report.standard import ATTENTION, BEARISH, BULLISH, CAUTION, OBSERVATION

Horizon = Literal["short", "long"]
Stance = Literal["attention", "caution", "observation"]

HORIZONS: dict[Horizon, re.Pattern[str]] = {
    "short": re.compile(r"\b(?:short|near)[ -]?(?:term\b|to\b|and\b)", re.I),
    "long": re.compile(
        r"\b(?:medium|mid|long)[ -]?(?:to[ -]|/|and )?\w*[ -]?terms?\b|\bboth short and medium terms?\b", re.I
    ),
}
_WORDS: dict[Stance, re.Pattern[str]] = {
    "caution": re.compile(rf"\b(?:{'|'.join((*CAUTION, *BEARISH, 'bearish', 'weak'))})\b", re.I),
    "attention": re.compile(
        rf"\b(?:{'|'.join((*ATTENTION, *BULLISH, 'bullish', 'opportunit(?:y|ies)'))})\b", re.I
    ),
    "observation": re.compile(rf"\b(?:{'|'.join((*OBSERVATION, 'mixed', 'neutral'))})\b", re.I),
}
_ADVICE: dict[Stance, re.Pattern[str]] = {
    "caution": re.compile(rf"\b(?:{'|'.join(CAUTION)})\b", re.I),
    "attention": re.compile(rf"\b(?:{'|'.join(ATTENTION)})\b", re.I),
    "observation": re.compile(rf"\b(?:{'|'.join(OBSERVATION)})\b", re.I),
}


@dataclass(frozen=True, slots=True)
class Stated:
    """A conclusion as the report words it."""

    horizon: Horizon
    stance: Stance
    clause: str


@lru_cache(maxsize=16)
def stated(text: str) -> tuple[Stated, ...]:
    """Every conclusion of a report, in order; a clause without a stance concludes nothing.

    Kept for the last few reports, as several rules ask for them.
    """
    found = []
    for sentence in sentences(text):
        for clause in re.split(r";|(?<=[a-z]),? (?:while|whereas|but|however)\b", sentence):
            found += [
                Stated(horizon, stance, clause.strip())
                for horizon, named in HORIZONS.items()
                if named.search(clause) and (stance := _stance(clause))
            ]
    return tuple(found)


def _stance(clause: str) -> Stance | None:
    """What is advised decides; where nothing is, the side of the words used."""
    for words in (_ADVICE, _WORDS):
        sides = [stance for stance, pattern in words.items() if pattern.search(clause)]
        if len(sides) == 1:
            return sides[0]
        if "caution" in sides and words is _ADVICE:
            return "caution"
    return None
