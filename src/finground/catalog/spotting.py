"""Companies in a question: known ones, and words that stand where a company would and that nobody knows (case
D5).

Names are found by looking up runs of words in the index, the longest first. A known name with an unknown
capitalised word right beside it is not that company ("Apple Hospitality" is not Apple). Fuzzy matching
happens only to find candidates for what is unknown.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from importlib import resources
from typing import TYPE_CHECKING

from finground.catalog.mention import Mention
from finground.catalog.names import LEGAL, Word, words

if TYPE_CHECKING:
    from finground.catalog.companies import Companies, Company

COUNTED = r"(?:million|billion|thousand|percent|shares|companies|firms|stocks|dollars|employees|points)\b"
EXCHANGE = re.compile(r"\b(?:NYSE|NASDAQ|Nasdaq)\s*:\s*$")
SWALLOWED = LEGAL - {"the", "and", "companies", "as", "company"}


@dataclass(frozen=True, slots=True)
class Span:
    """Words `first` up to `stop`; `found` are the companies they name, None if they only look like a name."""

    first: int
    stop: int
    found: "tuple[Company, ...] | None"


@dataclass(frozen=True)
class Scene:
    """A question cut into words, and which of them something else has already explained."""

    companies: "Companies"
    question: str
    as_of: datetime | None
    words: tuple[Word, ...]
    taken: frozenset[int]

    @cached_property
    def shouted(self) -> bool:
        """Without small letters, capitals say nothing."""
        return self.question.upper() == self.question

    @cached_property
    def titled(self) -> bool:
        """Most of the little words have capitals, so that capitals say little."""
        small = [
            word.text[0].islower()
            for i, word in enumerate(self.words)
            if word.keys[-1] in lists().never
            and word.text.isalpha()
            and not self.opens(i)
            and i not in self.taken
        ]
        return len(small) > 1 and sum(small) * 2 < len(small)

    def gap(self, place: int) -> str:
        """What stands between word `place` and the one before."""
        return self.question[self.words[place - 1].end : self.words[place].start] if place else ""

    def opens(self, place: int) -> bool:
        """Whether the word begins a sentence."""
        return place == 0 or any(mark in self.gap(place) for mark in ".?!\n")


def spot(
    companies: "Companies", question: str, as_of: datetime | None, explained: Sequence[tuple[int, int]] = ()
) -> "tuple[Mention[Company], ...]":
    """The mentions of companies, in order; `explained` are places that mean something else (metrics,
    dates)."""
    cut = words(question)
    taken = {
        i for i, word in enumerate(cut) for start, end in explained if start <= word.start and word.end <= end
    }
    scene = Scene(companies, question, as_of, cut, frozenset(taken))
    known = _known(scene)
    spans = sorted(known + _strange(scene, known), key=lambda span: span.first)
    return tuple(_mention(scene, span) for span in _joined(scene, spans))


def _known(scene: Scene) -> list[Span]:
    found, place = list[Span](), 0
    while place < len(scene.words):
        span = _at(scene, place)
        if span is not None:
            found.append(span)
        place = span.stop if span else place + 1
    return found


def _at(scene: Scene, place: int) -> Span | None:
    """The longest run of words from `place` that names a company."""
    keys = scene.words[place].keys
    first_words = scene.companies.first_words
    longest = max(first_words.get(key, 0) for key in keys)
    longest = longest or int(any(scene.companies.has_ticker(key.upper()) for key in keys))
    for stop in range(min(len(scene.words), place + longest), place, -1):
        if all(i in scene.taken for i in range(place, stop)):
            continue
        found = _named(scene, place, stop)
        if found is not None:
            return Span(place, _swallow(scene, stop), found)
    ticker = _class_ticker(scene, place)
    if ticker is not None:
        return Span(place, place + 2, ticker)
    ticker = _ticker(scene, place)
    return None if ticker is None else Span(place, place + 1, ticker)


def _named(scene: Scene, place: int, stop: int) -> "tuple[Company, ...] | None":
    if stop - place == 1:
        return _one_word(scene, place)
    second = scene.words[place + 1].keys[-1]
    if stop - place == 2 and scene.words[place].keys[0] == "the" and not _plausible(scene, place + 1, second):
        return None  # "the gap between" is not The Gap
    front = " ".join(word.keys[0] for word in scene.words[place : stop - 1])
    for last in scene.words[stop - 1].keys:
        found = scene.companies.exactly(f"{front} {last}")
        if found:
            return found
    return None


def _one_word(scene: Scene, place: int) -> "tuple[Company, ...] | None":
    word = scene.words[place]
    if _bare(word).isupper() and scene.companies.has_ticker(_bare(word)) and len(_bare(word)) > 1:
        return _ticker(scene, place)
    for key in word.keys:
        if _plausible(scene, place, key):
            found = scene.companies.exactly(key)
            if found:
                return found
    return _small_ticker(scene, place)


def _small_ticker(scene: Scene, place: int) -> "tuple[Company, ...] | None":
    """The shipped bearers of a ticker in small letters that is no word: msft, nvda."""
    text = _bare(scene.words[place])
    if not (text.islower() and text.isalpha() and 3 <= len(text) <= 5) or place in scene.taken:
        return None
    words = lists()
    if any(
        text in known
        for known in (words.common, words.never, words.capitals, words.ordinary, words.qualifies)
    ):
        return None
    found = scene.companies.by_ticker(text.upper(), scene.as_of)
    return tuple(company for company in found if company.exchange) or None


def _plausible(scene: Scene, place: int, key: str) -> bool:
    """Whether a single word may be a company's name where it stands."""
    word = scene.words[place]
    if key.isdigit() or len(key) < 2 or (len(key) < 3 and not re.search(r"[A-Z\d]", word.text[:1])):
        return False
    if key not in lists().common and key not in lists().never:
        return True
    if scene.titled or scene.shouted or key in lists().never:
        return word.possessive and not scene.opens(place) and word.text[0].isupper()
    return word.possessive or (word.text[0].isupper() and not scene.opens(place))


def _ticker(scene: Scene, place: int) -> "tuple[Company, ...] | None":
    """The bearers of a ticker: capitals that are no common word, or anything after $ or an exchange's
    name."""
    text = _bare(scene.words[place])
    if place in scene.taken or not scene.companies.has_ticker(text):
        return None
    before = scene.question[: scene.words[place].start]
    if text.isdigit():  # as in Tokyo or Hong Kong; a year or an amount is no ticker
        counted = re.match(r"[\s-]*(?:%|[.,]\d)|\s*" + COUNTED, scene.question[scene.words[place].end :])
        return None if len(text) < 4 or counted or before[-1:] in "$€£.," else _borne(scene, text)
    if not text.isupper():
        return None
    ordinary = scene.shouted or (
        text.lower() in lists().capitals if len(text) > 1 else not _listed(scene, place)
    )
    if ordinary and not before.endswith("$") and not EXCHANGE.search(before):
        return None
    return scene.companies.by_ticker(text, scene.as_of)


def _class_ticker(scene: Scene, place: int) -> "tuple[Company, ...] | None":
    """The bearers of a ticker with a share class, which is two words: INVE-B, BRK.B."""
    if place + 1 >= len(scene.words) or scene.gap(place + 1) not in ("-", "."):
        return None
    first, second = _bare(scene.words[place]), _bare(scene.words[place + 1])
    if len(second) > 2 or not (first + second).isupper():
        return None
    return _borne(scene, f"{first}-{second}")


def _borne(scene: Scene, ticker: str) -> "tuple[Company, ...] | None":
    return scene.companies.by_ticker(ticker, scene.as_of) or None


def _listed(scene: Scene, place: int) -> bool:
    """Whether a single letter stands in a list of tickers: "AAPL, MSFT and T"."""
    if place == 0 or _bare(scene.words[place]) in "AI":
        return False
    before = scene.words[max(0, place - 2) : place]
    joined = before[-1].keys[-1] in ("and", "or", "vs") or "," in scene.gap(place)
    tickers = [word for word in before if len(word.text) > 1 and scene.companies.has_ticker(word.text)]
    return joined and any(word.text.lower() not in lists().capitals for word in tickers)


def _strange(scene: Scene, known: list[Span]) -> list[Span]:
    """Runs of capitalised words that nobody knows, where a company may stand."""
    inside = {i for span in known for i in range(span.first, span.stop)} | scene.taken
    found, place = list[Span](), 0
    while place < len(scene.words):
        stop = place
        while stop < len(scene.words) and stop not in inside and _goes_on(scene, place, stop):
            stop += 1
        if stop > place and _in_position(scene, place, stop, inside):
            found.append(Span(place, _swallow(scene, stop), None))
        place = max(stop, place + 1)
    return found


def _goes_on(scene: Scene, first: int, place: int) -> bool:
    """Whether the word begins a name at `first == place`, or goes on with one."""
    if first == place:
        return _nameish(scene, place)
    word = scene.words[place]
    continues = word.text[0].isupper() and word.keys[-1] in lists().continues
    return _close(scene, place) and (continues or _nameish(scene, place))


def _nameish(scene: Scene, place: int) -> bool:
    word = scene.words[place]
    key = word.keys[-1]
    if key in lists().never or key in lists().capitals or key.isdigit() or scene.shouted:
        return False
    if word.possessive:
        return len(key) > 1
    return word.text[0].isupper() and len(key) > 1


def _close(scene: Scene, place: int) -> bool:
    """Whether the word goes on with the name of the word before."""
    return scene.gap(place) in (" ", "-", ".", " & ") and not scene.words[place - 1].possessive


def _in_position(scene: Scene, place: int, stop: int, inside: set[int]) -> bool:
    """Whether a company may stand there: by what follows, what goes before, or a known name right beside."""
    after = scene.words[stop].keys[-1] if stop < len(scene.words) else ""
    named = scene.words[stop - 1].possessive or after in SWALLOWED - {"company"}
    if scene.words[place].text[0].islower() or scene.titled:
        return named
    if scene.opens(place):
        return named or stop - place > 1 or after in ("and", "or", "vs", "versus")
    before = scene.words[place - 1].keys[-1]
    beside = (place - 1 in inside - scene.taken) or (stop in inside - scene.taken)
    return named or beside or before in lists().position or "," in scene.gap(place) or '"' in scene.gap(place)


def _joined(scene: Scene, spans: list[Span]) -> list[Span]:
    """Known and strange spans that touch are one name, and a strange one."""
    joined = list[Span]()
    for span in spans:
        last = joined[-1] if joined else None
        touching = last is not None and last.stop == span.first and _close(scene, span.first)
        if last is not None and touching and (last.found is None or span.found is None):
            joined[-1] = Span(last.first, span.stop, None)
        else:
            joined.append(span)
    return joined


def _mention(scene: Scene, span: Span) -> "Mention[Company]":
    start, end = scene.words[span.first].start, scene.words[span.stop - 1].end
    text = re.sub(r"['’`]s?$", "", scene.question[start:end])
    if span.found and len(span.found) == 1:
        return Mention(start, end, text, span.found[0])
    if span.found:
        return Mention(start, end, text, None, tuple(company.name for company in span.found), ambiguous=True)
    begun = tuple(company.name for company in scene.companies.starting_with(text))
    return Mention(start, end, text, None, begun or scene.companies.near(text), ambiguous=bool(begun))


def _swallow(scene: Scene, stop: int) -> int:
    """The end of a name with its legal form: "Microsoft Corporation", "Halliburton co."."""
    while (
        stop < len(scene.words)
        and scene.words[stop].keys[-1] in SWALLOWED
        and not scene.words[stop - 1].possessive
    ):
        stop += 1
    return stop


def _bare(word: Word) -> str:
    return re.sub(r"['’`]s?$", "", word.text)


@dataclass(frozen=True, slots=True)
class Lists:
    """The shipped word lists."""

    common: frozenset[str]
    capitals: frozenset[str]
    never: frozenset[str]
    position: frozenset[str]
    continues: frozenset[str]
    places: frozenset[str]
    qualifies: frozenset[str]
    ordinary: frozenset[str]


@cache
def lists() -> Lists:
    """The shipped word lists, read once."""
    data = resources.files("finground.catalog").joinpath("data")
    text = data.joinpath("words.toml").read_text("utf-8")
    ordinary = frozenset(data.joinpath("ordinary.txt").read_text("utf-8").split())
    found = {name: frozenset(row.split()) for name, row in tomllib.loads(text).items()}
    return Lists(**found | {"never": found["never"] | found["places"], "ordinary": ordinary})
