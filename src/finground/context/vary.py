"""Noise as people make it: misspellings, casing, dropped punctuation; the request is never touched.

Only the template's own words are misspelt, so a name never turns into another one.
"""

import random
import re
from collections.abc import Sequence

from finground.context.fill import Piece

NOISES = ("misspelling", "casing", "punctuation")
WORD = re.compile(r"[A-Za-z]{4,}")


def text(pieces: Sequence[Piece]) -> str:
    """The question as one text, with no double full stop where a name ends in one."""
    return re.sub(r"\.\.(?!\.)", ".", "".join(piece.text for piece in pieces))


def draw(rng: random.Random, rate: float) -> str:
    """The noise of the next question, mostly `none`."""
    return rng.choice(NOISES) if rng.random() < rate else "none"


def vary(pieces: Sequence[Piece], noise: str, rng: random.Random) -> list[Piece]:
    """The pieces with that noise in them; unchanged where it finds nothing to change.

    Raises:
        ValueError: if there is no such noise.
    """
    if noise == "none":
        return list(pieces)
    if noise == "misspelling":
        return _misspelt(pieces, rng)
    if noise == "casing":
        return [Piece(piece.text if piece.slot else piece.text.lower(), piece.slot) for piece in pieces]
    if noise == "punctuation":
        return [
            piece if piece.slot else Piece(re.sub(r"[?,.!:;]", "", piece.text), piece.slot)
            for piece in pieces
        ]
    raise ValueError(f"noise {noise!r}; there are none, {', '.join(NOISES)}")


def _misspelt(pieces: Sequence[Piece], rng: random.Random) -> list[Piece]:
    """One word of the template with a letter dropped, doubled, or two of them swapped."""
    places = [
        (index, match)
        for index, piece in enumerate(pieces)
        if not piece.slot
        for match in WORD.finditer(piece.text)
    ]
    changed = list(pieces)
    if places:
        index, match = rng.choice(places)
        words = pieces[index].text
        changed[index] = Piece(words[: match.start()] + _slip(match[0], rng) + words[match.end() :])
    return changed


def _slip(word: str, rng: random.Random) -> str:
    """The word with one slip of the finger inside it."""
    at = rng.randrange(1, len(word) - 1)
    way = rng.choice(("drop", "double", "swap"))
    if way == "drop":
        return word[:at] + word[at + 1 :]
    if way == "double":
        return word[:at] + word[at] + word[at:]
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
