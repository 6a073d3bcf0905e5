"""A report cut into what concludes and what gives details, and the dimensions that its details analyse.

Whoever wrote it, it is read by its own words alone. The five core dimensions are those of FinSphere's
response standard (appendix D.1); financial results and valuation make one of them, fundamentals.
"""

import re
from dataclasses import dataclass

from finground.analyscore.language import QUOTED
from finground.analyscore.stances import HORIZONS
from finground.report.reading import NUMBER, read_dates, sentences

_WORDS = {
    "volume and price": r"volume and price|price and volume|turnover|trading volumes?|volume is"
    r"|(?:latest |last |stock |share )price|the price|trading value|outperform\w*|underperform\w*",
    "technical": r"technical\w*|RSI|MACD|moving averages?|golden cross|death cross|pattern|candlestick"
    r"|Bollinger|support levels?|overbought|oversold",
    "capital flow": r"capital (?:flows?|aspect)|DDX|margin (?:balance|trading|financing)|large orders"
    r"|institutional (?:holdings|control|flows?|buying|selling)",
    "fundamentals": r"fundamental\w*|financial\w*|revenue|net (?:income|profit)|earnings per share|solvency"
    r"|current ratio|P/E|P/B|(?:profit|gross|operating) margin|industry peers|valuation|ROE|return on equity",
    "news": r"news|headlines?|wrote|announced|briefing|unusual movement",
}
CORE = {name: re.compile(rf"\b(?:{words})(?!\w)", re.I) for name, words in _WORDS.items()}
OPENING = 40  # characters at a paragraph's start that name its subject
SUMS_UP = re.compile(
    r"^\W*(?:in (?:conclusion|summary|short)|to sum up|overall|conclusions?|summary)\b", re.I
)
NOTHING = re.compile(r"\b(?:no data|not available|no information)\b", re.I)
FEWEST_PARAGRAPHS = 3  # a text of fewer is cut by what its sentences open with


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, as written or by its subject; `dimension` is empty where it has none."""

    text: str
    concludes: bool
    dimension: str
    figures: tuple[str, ...]


def blocks(text: str) -> tuple[Block, ...]:
    """The report in its order."""
    paragraphs = [part.strip() for part in re.split(r"\n+", text) if part.strip()]
    parts = paragraphs if len(paragraphs) >= FEWEST_PARAGRAPHS else _paragraphs(text)
    ends = {0, _last(parts)}
    return tuple(_block(part, ends=at in ends) for at, part in enumerate(parts))


def analysed(found: tuple[Block, ...]) -> dict[str, tuple[str, ...]]:
    """The core dimensions of the details, in order of appearance, each with the figures given for it."""
    told: dict[str, tuple[str, ...]] = {}
    for block in found:
        if block.dimension and not block.concludes:
            told[block.dimension] = told.get(block.dimension, ()) + block.figures
    return told


def figures(text: str) -> tuple[str, ...]:
    """Numbers that are no dates, outside quotations."""
    return tuple(found[0].strip() for found in NUMBER.finditer(read_dates(QUOTED.sub(" ", text))[0]))


def _paragraphs(text: str) -> list[str]:
    """The sentences of a text in one piece, a new paragraph where one names another dimension or sums up."""
    groups: list[str] = []
    current = ""
    for sentence in sentences(text):
        named = _most_named(sentence[:OPENING])
        if not groups or SUMS_UP.search(sentence) or named not in ("", current):
            groups.append(sentence)
            current = named
        else:
            groups[-1] += f" {sentence}"
    return groups


def _last(parts: list[str]) -> int:
    """The last paragraph that is no note: it speaks of a horizon or of a dimension."""
    places = reversed(range(len(parts)))
    return next((at for at in places if _horizons(parts[at]) or _dimension(parts[at], figures(parts[at]))), 0)


def _horizons(text: str) -> list[str]:
    return [horizon for horizon, words in HORIZONS.items() if words.search(text)]


def _block(text: str, *, ends: bool) -> Block:
    named = _horizons(text)
    concludes = len(named) == len(HORIZONS) or bool(SUMS_UP.search(text)) or (ends and bool(named))
    given = figures(text)
    return Block(text, concludes, _dimension(text, given), given)


def _dimension(text: str, given: tuple[str, ...]) -> str:
    """What its opening names; else, if it gives figures, what most of its words speak of."""
    own = QUOTED.sub(" ", text)
    if not given and NOTHING.search(own):
        return ""
    return _most_named(own[:OPENING]) or (_most_named(own) if given else "")


def _most_named(text: str) -> str:
    """The dimension that most words speak of; of several the first listed."""
    counts = {name: len(words.findall(text)) for name, words in CORE.items()}
    most = max(counts, key=lambda name: counts[name])
    return most if counts[most] else ""
