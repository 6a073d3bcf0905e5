"""Words that say which way something went or stands: what a report may not turn around.

Each word belongs to a family and is on one of its sides. A side is borne out if what was found about the same
measure is told on that side.
"""

import re
from dataclasses import dataclass

FAMILIES: dict[str, dict[str, str]] = {
    "move": {
        "up": r"up|rose|ris(?:es?|en|ing)|increas(?:ed?|es|ing)|grew|grow(?:s|n|ing)|gain(?:ed|s|ing)?|higher"
        r"|ahead|improv(?:ed?|es|ing)|climb(?:ed|s|ing)?|better|strengthen(?:ed|s|ing)?",
        "down": r"down|fell|fall(?:s|en|ing)?|decreas(?:ed?|es|ing)|declin(?:ed?|es|ing)|dropp?(?:ed|s|ing)?"
        r"|lower|behind|worsen(?:ed|s|ing)?|shrank|worse|weaken(?:ed|s|ing)?|lost",
    },
    "place": {"above": r"above", "below": r"below"},
    "cross": {"golden": r"golden", "death": r"death"},
    "mood": {"bullish": r"bullish", "bearish": r"bearish"},
    "flow": {"in": r"inflows?|flow(?:s|ed|ing) in", "out": r"outflows?|flow(?:s|ed|ing) out"},
    "zone": {"overbought": r"overbought", "oversold": r"oversold"},
    "level": {word: rf"{word}(?= level)" for word in ("low", "medium", "high")},
    "end": {"upper": r"upper(?= limit)", "lower": r"lower(?= limit)"},
    "extreme": {"highest": r"highest", "lowest": r"lowest"},
    "favour": {"for": r"favourable", "against": r"unfavourable"},
    "trade": {word: rf"{word}(?= trading)" for word in ("heavy", "light", "ordinary")},
    "state": {"stands": r"stands", "broken": r"broken"},
    "advice": {
        "attention": r"attention|tracking|validation",
        "caution": r"caution|cautious|avoidance|risk awareness|position control",
        "observation": r"observation",
    },
}
_GROUPS = {
    f"{family}__{side}": pattern for family, sides in FAMILIES.items() for side, pattern in sides.items()
}
# "upper limit" and "low level" come before the shorter words that they begin with
_ORDER = sorted(_GROUPS, key=lambda name: not name.startswith(("level", "end", "trade")))
WORDS = re.compile(r"\b(?:" + "|".join(f"(?P<{name}>{_GROUPS[name]})" for name in _ORDER) + r")\b", re.I)


@dataclass(frozen=True, slots=True)
class Side:
    """A word with a side, where it stands."""

    start: int
    end: int
    text: str
    family: str
    side: str


def sides(text: str) -> list[Side]:
    """All words of a text that have a side."""
    found = []
    for match in WORDS.finditer(text):
        family, _, side = (match.lastgroup or "").partition("__")
        found.append(Side(match.start(), match.end(), match[0], family, side))
    return found
