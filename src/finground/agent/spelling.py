"""Slips of the finger in a question's own words, set right before it is read: "compnaies", "revnue", "wich".

A word is mended if no question and no name holds it, and exactly one word that questions are made of is a
single slip away (a letter lost, added, changed, or two of them swapped). Names are never touched.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from finground.catalog.catalog import Catalog
from finground.catalog.names import normal
from finground.catalog.spotting import lists

WORD = re.compile(r"[A-Za-z]{4,}(?![\w'’&-])")
STRUCTURE = """
which what where when while company companies peers competitors competition rivals sector industry
industries market stocks firms listed highest lowest largest smallest biggest strongest weakest fastest
slowest cheapest bottom leading quarter quarters quarterly month months monthly year years yearly annual weeks
days past last previous prior trailing since between during from until through over first second third fourth
half explain describe define meaning compare compared comparing comparison against versus average analyse
analyze analysis evaluate overview
january february march april june july august september october november december
"""
LEAST = 5  # letters of a word that may stand for what it is a slip of, save of a word of STRUCTURE


@dataclass(slots=True)
class Speller:
    """Mends questions over one catalogue."""

    catalog: Catalog
    _known: frozenset[str] = field(init=False)
    _slips: dict[str, set[str]] | None = None

    def __post_init__(self) -> None:
        companies = self.catalog.companies
        words = lists()
        self._known = words.never | words.common | words.position | words.qualifies | words.ordinary
        self._known |= companies.first_words.keys()
        self._known |= frozenset(STRUCTURE.split()) | self._of_metrics() | frozenset(_words(companies.said))

    def mend(self, question: str) -> str:
        """The question with its slips mended; their case is kept."""
        return WORD.sub(lambda match: self._mended(match[0], match.start()), question)

    def _mended(self, word: str, start: int) -> str:
        low = word.lower()
        if low in self._known or (word[0].isupper() and start):
            return word
        found = {meant for cut in _cuts(low) for meant in self._index().get(cut, ())}
        near = [meant for meant in found if _one_slip(low, meant)]
        if len(near) != 1 or self.catalog.companies.has_word(low):
            return word
        return near[0].capitalize() if word[0].isupper() else near[0]

    def _index(self) -> dict[str, set[str]]:
        """What is left of each word with a letter taken away, and the word whole, to the word."""
        if self._slips is None:
            self._slips = {}
            for word in (*STRUCTURE.split(), *(word for word in self._of_metrics() if len(word) > LEAST)):
                for cut in _cuts(word):
                    self._slips.setdefault(cut, set()).add(word)
        return self._slips

    def _of_metrics(self) -> frozenset[str]:
        return frozenset(
            _words(form for one in self.catalog.metrics.all for form in (one.name, *one.aliases))
        )


def _words(texts: Iterable[str]) -> Iterator[str]:
    return (word for text in texts for word in normal(text).split())


def _one_slip(word: str, meant: str) -> bool:
    from rapidfuzz.distance import OSA

    return OSA.distance(word, meant, score_cutoff=1) == 1


def _cuts(word: str) -> Iterator[str]:
    yield word
    yield from (word[:at] + word[at + 1 :] for at in range(len(word)))
