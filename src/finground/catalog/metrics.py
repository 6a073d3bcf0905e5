"""What can be asked about a company: the shipped metrics, their names and what belongs beside them.

They are a line of JSON each in `data/metrics.jsonl`; a field that is not there has the default of
`Metric`. Every command reads them, so they are read fast; `validate` finds what is wrong with them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Literal

import msgspec

from finground.catalog.mention import Mention
from finground.catalog.names import Word, normal, words
from finground.core.errors import CatalogError

Unit = Literal["currency", "ratio", "per-share", "shares", "count", "text"]
Frequency = Literal["daily", "quarterly", "annual"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric. `trackable` if it can rise and fall; `instant` if it holds on a day and not over a period.

    `tags` are us-gaap concepts, the preferred first; `formula` is over slugs; `related` are slugs a reader
    wants beside it. With neither tags nor formula, and not one of the daily series, it is known by name only.
    """

    slug: str
    name: str
    aliases: tuple[str, ...] = ()
    unit: Unit = "currency"
    frequency: Frequency = "quarterly"
    numeric: bool = True
    trackable: bool = True
    instant: bool = False
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    formula: str | None = None


class Metrics:
    """The metrics of a catalogue."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self.all: tuple[Metric, ...] = tuple(metrics)
        self._by_slug = {metric.slug: metric for metric in self.all}
        self._by_key = _keys(self.all)

    @classmethod
    def load(cls) -> "Metrics":
        """The metrics shipped with the package."""
        lines = resources.files("finground.catalog").joinpath("data/metrics.jsonl").read_bytes()
        return cls(msgspec.json.Decoder(Metric).decode_lines(lines))

    def by_slug(self, slug: str) -> Metric:
        """The metric of that slug.

        Raises:
            CatalogError: if there is none, with slugs that are near.
        """
        found = self._by_slug.get(slug)
        if found is None:
            raise _unknown(slug, list(self._by_slug))
        return found

    def knows(self, text: str) -> bool:
        """Whether any metric has that name, alias or slug."""
        return text.strip() in self._by_slug or normal(text) in self._by_key

    def resolve(self, text: str) -> Metric:
        """The metric of that name, alias or slug.

        Raises:
            CatalogError: if there is none, with names that are near.
        """
        found = self._by_slug.get(text.strip()) or self._by_key.get(normal(text))
        if found is None:
            raise _unknown(text, [metric.name for metric in self.all])
        return found

    def mentions(self, question: str) -> tuple[Mention[Metric], ...]:
        """The metrics a question names, in order; where names overlap, the longest."""
        cut, found, place = words(question), list[Mention[Metric]](), 0
        while place < len(cut):
            metric, stop = (None, place) if _article(question, cut[place]) else self._longest_at(cut, place)
            if metric is None:
                place += 1
                continue
            start, end = cut[place].start, cut[stop - 1].end
            found.append(Mention(start, end, question[start:end], metric))
            place = stop
        return tuple(found)

    def _longest_at(self, cut: Sequence[Word], place: int) -> tuple[Metric | None, int]:
        """The metric with the longest name that begins there, and where it ends."""
        longest = max(self._longest.get(key, 0) for key in cut[place].keys)
        for stop in range(min(len(cut), place + longest), place, -1):
            metric = self._at(cut[place:stop])
            if metric is not None:
                return metric, stop
        return None, place

    @cached_property
    def _longest(self) -> dict[str, int]:
        """How many words the longest name has that begins with a word."""
        found: dict[str, int] = {}
        for key in self._by_key:
            first = key.partition(" ")[0]
            found[first] = max(found.get(first, 0), key.count(" ") + 1)
        return found

    def _at(self, span: Sequence[Word]) -> Metric | None:
        front = " ".join(word.keys[0] for word in span[:-1])
        for last in span[-1].keys:
            metric = self._by_key.get(f"{front} {last}".strip())
            if metric is not None:
                return metric
        return None


def _article(question: str, word: Word) -> bool:
    """Whether it is the "a" of "a P/E ratio", and not of "A/P" or "A / P"."""
    rest = question[word.end :]
    return word.keys[0] == "a" and rest[:1] == " " and rest.lstrip()[:1] != "/"


def _keys(metrics: tuple[Metric, ...]) -> dict[str, Metric]:
    by_key: dict[str, Metric] = {}
    for metric in metrics:
        by_key.setdefault(_key(metric.name), metric)
    for metric in metrics:
        for alias in metric.aliases:
            by_key.setdefault(_key(alias), metric)
    return by_key


def _key(name: str) -> str:
    """`normal`, without its work for the nine names in ten that are only letters and single spaces."""
    plain = name.isascii() and name.replace(" ", "").isalnum()
    return name.lower() if plain else normal(name)


def _unknown(text: str, names: list[str]) -> CatalogError:
    from rapidfuzz import fuzz, process

    near = tuple(
        name for name, _, _ in process.extract(text, names, scorer=fuzz.WRatio, limit=5, score_cutoff=65)
    )
    hint = f"near it: {', '.join(near)}" if near else "write a metric's name, e.g. Net Income"
    return CatalogError(f"no metric is called {text!r}; {hint}", near)
