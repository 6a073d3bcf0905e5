"""Keys to companies, in three strengths, and what is looked up beside them: tickers, beginnings, spellings.

Built once for a catalogue and never changed; what only a misspelt name needs is built with the first of them.
"""

from bisect import bisect_left
from collections.abc import Sequence
from datetime import date
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

from finground.catalog.names import company_keys, normal

if TYPE_CHECKING:
    from finground.catalog.companies import Company, DatedTicker

Letters = dict[str, dict[str, "Company"]]
LEAST = 70  # how like a name a text must be to have it as a candidate, of 100


class Index:
    """The names and tickers of companies."""

    def __init__(self, companies: "tuple[Company, ...]") -> None:
        self._companies = companies
        self.tickers: dict[str, list[tuple[Company, DatedTicker]]] = {}
        self.strengths: tuple[dict[str, list[Company]], ...] = ({}, {}, {})
        self._whole: list[str] = []
        for company in companies:
            for dated in company.dated:
                self.tickers.setdefault(dated.ticker, []).append((company, dated))
            exact, brief, loose = company_keys(company.name)
            self._whole.append(exact)
            former = [key for one in company.names for key in company_keys(one.name)[:2]]
            own = ([exact, *map(normal, company.aliases), *former], [brief], [loose])
            for strength, keys in zip(self.strengths, own, strict=True):
                for key in dict.fromkeys(keys):
                    strength.setdefault(key, []).append(company)

    @cached_property
    def longest(self) -> dict[str, int]:
        """What names begin with, and how many words the longest of them has."""
        found: dict[str, int] = {}
        for strength in self.strengths:
            for key in strength:
                first = key.partition(" ")[0]
                found[first] = max(found.get(first, 0), key.count(" ") + 1)
        return found

    def named(self, key: str, day: date | None = None) -> "tuple[Company, ...]":
        """Whom the key names at the first strength that knows it; a loose key with all whose name begins so.

        Of several, not those that were called so at another time only.
        """
        exact, brief, loose = self.strengths
        found = exact.get(key) or brief.get(key)
        if not found and key in loose:
            return tuple(dict.fromkeys(loose[key] + self.beginning(key)))
        if found and len(found) > 1:
            found = [one for one in found if not _at_another_time(key, one, day)] or found
        return tuple(found or ())

    def beginning(self, key: str) -> "list[Company]":
        """The companies whose name goes on after the key, in the catalogue's order."""
        names = self._names
        first, last = (bisect_left(names, key + end, key=itemgetter(0)) for end in (" ", "!"))
        return [self._companies[place] for _, place in sorted(names[first:last], key=itemgetter(1))]

    def holding(self, words: Sequence[str]) -> "list[Company]":
        """The companies whose name has all the words, in any order."""
        places = [self._words.get(word, frozenset()) for word in words]
        return [self._companies[place] for place in sorted(frozenset.intersection(*places))] if places else []

    @cached_property
    def _names(self) -> list[tuple[str, int]]:
        """The whole names, sorted, with their places in the catalogue."""
        return sorted((name, place) for place, name in enumerate(self._whole))

    @cached_property
    def _words(self) -> dict[str, frozenset[int]]:
        found: dict[str, set[int]] = {}
        for name, place in self._names:
            for word in name.split():
                found.setdefault(word, set()).add(place)
        return {word: frozenset(places) for word, places in found.items()}

    def like(self, key: str, n: int) -> "list[Company]":
        """The companies with a name that looks like the key, the nearest first.

        Names that begin or end with the same letter are compared, as far as the key has words: "Microsft" is
        like "Microsoft Corporation".
        """
        from rapidfuzz import fuzz, process

        if not key:
            return []
        begun, ended = self._by_letter(key.count(" ") + 1)
        choices = begun.get(key[0], {}) | ended.get(key[-1], {})
        close = process.extract(key, choices.keys(), scorer=fuzz.ratio, limit=3 * n, score_cutoff=LEAST)
        return list(dict.fromkeys(choices[found] for found, _, _ in close))[:n]

    def _by_letter(self, size: int) -> "tuple[Letters, Letters]":
        """All keys cut to `size` words, and whole, by their first and by their last letter."""
        if size not in self._letters:
            begun, ended = self._letters[size] = ({}, {})
            shorter = {" ".join(key.split(" ", size)[:size]): one for key, one in self._spelled.items()}
            for key, one in (shorter | self._spelled).items():
                if key:
                    begun.setdefault(key[0], {})[key] = one
                    ended.setdefault(key[-1], {})[key] = one
        return self._letters[size]

    @cached_property
    def _letters(self) -> "dict[int, tuple[Letters, Letters]]":
        return {}

    @cached_property
    def _spelled(self) -> "dict[str, Company]":
        return {key: held[0] for strength in reversed(self.strengths) for key, held in strength.items()}


def _at_another_time(key: str, company: "Company", day: date | None) -> bool:
    """Whether the key is a name that the company had, but not on the day."""
    had = any(key in company_keys(one.name)[:2] for one in company.names)
    return had and key not in company_keys(company.name_at(day))[:2]
