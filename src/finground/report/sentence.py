"""A sentence of a report as it is checked: its figures, dates and quotations, and what each place is
about.
"""

import re
from dataclasses import dataclass
from datetime import date

from finground.report.evidence import About
from finground.report.lexicon import Lexicon, Mention
from finground.report.reading import Day, Number, read_dates, read_numbers

QUOTED = re.compile(r'"([^"]*)"|“([^”]*)”')
FORM = re.compile(r"\b(?:10-[KQ]|8-K|20-F|6-K)(?:/A)?\b")
CODE = re.compile(r"\b\d{6,}-\d{2,}-\d{3,}\b")  # an accession number of EDGAR


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with quotations and dates blanked, and what it names, each with its place."""

    original: str
    text: str
    quotations: tuple[str, ...]
    days: tuple[Day, ...]
    numbers: tuple[Number, ...]
    measures: tuple[Mention, ...]
    companies: tuple[Mention, ...]
    of: frozenset[str]  # companies it is about where it names none

    @property
    def exact(self) -> set[date]:
        """Its dates that are days."""
        return {day.first for day in self.days if day.first == day.last}

    def about(self, at: int) -> About:
        """What a place is about: what is named since the number before it, or else last; where nothing is
        named before the first number, what is named after."""
        start, end = part_of(self.text, at)
        inside = tuple(one for one in self.measures if start <= one.start < end)
        before = tuple(one for one in self.measures if one.start < start)
        keys = bound(inside or before, self.numbers, at)
        return About(bound(self.companies, self.numbers, at) or self.of, keys)

    def nearest(self, at: int) -> About:
        """What is named last before a place, or first after it."""
        every = (bound(named, (), at) for named in (self.companies, self.measures))
        entities, keys = every
        return About(entities or self.of, keys)


def read(text: str, lexicon: Lexicon, of: frozenset[str]) -> Sentence:
    """Taken apart; `of` are the companies it is about where it names none."""
    said = tuple(first or second for first, second in QUOTED.findall(text))
    bare = QUOTED.sub(_blank, text)
    bare, days = read_dates(bare)
    measures, companies = lexicon.named(bare)
    numbers = read_numbers(FORM.sub(_blank, CODE.sub(_blank, bare)))
    return Sentence(text, bare, said, days, tuple(numbers), tuple(measures), tuple(companies), of)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def bound(named: tuple[Mention, ...], numbers: tuple[Number, ...], at: int) -> frozenset[str]:
    """The keys of what a place is bound to: all that is named since the figure before, else the last named;
    where the first figure comes before all names, what is named after the place.
    """
    before = [one for one in named if one.start < at]
    if before and (not numbers or named[0].start < numbers[0].start):
        ends = [number.end for number in numbers if number.end <= before[-1].start]
        since = [one for one in before if ends and one.start >= ends[-1]] if ends else before
        return frozenset(key for one in (since if numbers else before[-1:]) for key in one.keys)
    after = [one for one in named if one.start >= at]
    until = next((number.start for number in numbers if after and number.start > after[0].start), 10**9)
    chosen = [one for one in after if one.start < until] if numbers else after[:1]
    return frozenset(key for one in chosen or named[-1:] for key in one.keys)


def part_of(text: str, at: int) -> tuple[int, int]:
    """The part of a sentence between semicolons and brackets that a place lies in."""
    start = max(text.rfind(mark, 0, at) for mark in ";(") + 1
    ends = [place for mark in ";)" if (place := text.find(mark, at)) >= 0]
    return start, min(ends, default=len(text))
