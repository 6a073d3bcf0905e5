"""Words that say which way something went or stands: what a report may not turn around.

Each word belongs to a family and is on one of its sides. A side is borne out if what was found about the same
measure is told on that side.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

WORD = re.compile(r"\w+")
# Words and phrases by family and side.
FAMILIES: dict[str, dict[str, tuple[str, ...]]] = {
    "move": {
        "up": (
            "up", "rose", "rise", "rises", "risen", "rising", "increase", "increased", "increases",
            "increasing",
            "grew", "grows", "grown", "growing", "gain", "gained", "gains", "gaining", "higher", "ahead",
            "improve", "improved", "improves", "improving", "climb", "climbed", "climbs", "climbing",
            "better",
            "strengthen", "strengthened", "strengthens", "strengthening",
        ),
        "down": (
            "down", "fell", "fall", "falls", "fallen", "falling", "decrease", "decreased", "decreases",
            "decreasing", "decline", "declined", "declines", "declining", "drop", "dropped", "drops",
            "dropping", "lower", "behind", "worsen", "worsened", "worsens", "worsening", "shrank", "worse",
            "weaken", "weakened", "weakens", "weakening", "lost",
        ),
    },
    "place": {"above": ("above",), "below": ("below",)},
    "cross": {"golden": ("golden",), "death": ("death",)},
    "mood": {"bullish": ("bullish",), "bearish": ("bearish",)},
    "flow": {
        "in": ("inflow", "inflows", "flows in", "flowed in", "flowing in"),
        "out": ("outflow", "outflows", "flows out", "flowed out", "flowing out"),
    },
    "zone": {"overbought": ("overbought",), "oversold": ("oversold",)},
    "level": {word: (word,) for word in ("low", "medium", "high")},
    "end": {"upper": ("upper",), "lower": ("lower",)},
    "extreme": {"highest": ("highest",), "lowest": ("lowest",)},
    "favour": {"for": ("favourable",), "against": ("unfavourable",)},
    "trade": {word: (word,) for word in ("heavy", "light", "ordinary")},
    "state": {"stands": ("stands",), "broken": ("broken",)},
    "advice": {
        "attention": ("attention", "tracking", "validation"),
        "caution": ("caution", "cautious", "avoidance", "risk awareness", "position control"),
        "observation": ("observation",),
    },
}  # fmt: skip
BEFORE = {
    "level": " level",
    "end": " limit",
    "trade": " trading",
}  # families whose words count before one only


@dataclass(frozen=True, slots=True)
class Side:
    """A word with a side, where it stands."""

    start: int
    end: int
    text: str
    family: str
    side: str


def _meanings() -> dict[str, tuple[tuple[str, str, str, str], ...]]:
    """By first word: the words that belong to it, the word that must follow, family and side; those that
    need more words come first ("lower limit" before "lower").
    """
    found: dict[str, list[tuple[str, str, str, str]]] = {}
    for family, every in FAMILIES.items():
        for side, phrases in every.items():
            for phrase in phrases:
                first, space, rest = phrase.partition(" ")
                found.setdefault(first, []).append((space + rest, BEFORE.get(family, ""), family, side))
    return {
        first: tuple(sorted(rows, key=lambda row: -len(row[0] + row[1]))) for first, rows in found.items()
    }


MEANINGS = _meanings()


@lru_cache(maxsize=4096)
def sides(text: str) -> tuple[Side, ...]:
    """All words of a text that have a side."""
    low = text.lower()
    found = []
    for word in WORD.finditer(low):
        for rest, before, family, side in MEANINGS.get(word[0], ()):
            end = word.end() + len(rest)
            whole = not rest or not low[end : end + 1].isalnum()
            if whole and low.startswith(rest + before, word.end()):
                found.append(Side(word.start(), end, text[word.start() : end], family, side))
                break
    return tuple(found)
