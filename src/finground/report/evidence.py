"""What was read and found, in the shape a report is checked against: values, and what is said of measures.

Each value is of a company and of measures, so that the figure of another company or metric bears out
nothing. In a brief with findings, a figure of an earlier period bears out only a sentence that names a day
of that period.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt

from finground.records.bundle import Series
from finground.report.brief import Brief
from finground.report.known import (
    Keys,
    Known,
    Told,
    changes_of,
    days_of,
    exact_days,
    facts_of,
    of_day,
    of_facts,
    of_findings,
    of_series,
    of_texts,
    periods_of,
    sayings,
    texts_of,
    told_by_tools,
)
from finground.report.lexicon import Lexicon
from finground.report.reading import Day, Number

MARKET = "market"
NOT_READ = "nothing that was read has this value"
ACRONYMS = frozenset(  # capitals that are no tickers
    ("RSI", "MACD", "DDX", "EPS", "ROE", "ROA", "SEC", "US", "USA", "UK", "EU", "CEO", "CFO", "COO", "IPO",
     "ETF", "GDP", "AI", "UTC", "NYSE", "EBIT", "TTM", "YOY", "QOQ", "SMA", "EMA", "II", "III", "IV",
     "PE", "PB", "IT", "TV", "EDGAR", "OK")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class About:
    """What a place of a report is about: companies and measures; empty is any."""

    entities: frozenset[str]
    keys: Keys

    def covers(self, entity: str, keys: Keys) -> bool:
        """Whether something of that company and those measures may be meant."""
        return (not self.entities or entity in ("", MARKET) or entity in self.entities) and (
            not self.keys or bool(keys & self.keys)
        )


@dataclass(frozen=True, slots=True)
class Values:
    """Values that a number may be, ordered by size, whatever their sign."""

    known: tuple[Known, ...]
    sizes: tuple[float, ...]

    @classmethod
    def of(cls, known: Iterable[Known]) -> "Values":
        ordered = tuple(sorted(known, key=_size))
        return cls(ordered, tuple(map(_size, ordered)))

    def near(self, size: float, half: float) -> tuple[Known, ...]:
        """Those whose size is within half of `size`."""
        first = bisect_left(self.sizes, size - half)
        return self.known[first : bisect_right(self.sizes, size + half, first)]


def _size(known: Known) -> float:
    return abs(known.value)


class Evidence:
    """All values, sentences, days and words of a brief, each worked out when first asked for; what was told
    is by key.
    """

    def __init__(self, brief: Brief) -> None:
        self.brief = brief
        self.lexicon = Lexicon(brief)
        self._sessions: dict[date, tuple[Known, ...]] = {}
        self.told: dict[str, list[Told]] = {}
        for row in sayings(brief, self.lexicon):
            for key in row.keys:
                self.told.setdefault(key, []).append(row)

    @cached_property
    def found(self) -> Values:
        """Those of what tools found, or missed: all that an analysis gives."""
        said = of_texts(told_by_tools(self.brief), self.lexicon)
        return Values.of((*of_findings(self.brief.findings), *said))

    @cached_property
    def values(self) -> Values:
        """All of them."""
        brief, bundle = self.brief, self.brief.bundle
        changes = () if brief.findings else changes_of(bundle.facts)  # tools have found those that count
        texts = of_texts(texts_of(brief), self.lexicon)
        read = of_facts(brief), changes, of_series(bundle), texts
        return Values.of(chain(self.found.known, *read))

    @cached_property
    def days(self) -> frozenset[date]:
        """Every day that was read."""
        return frozenset((*days_of(self.brief), *(day for text in self._texts for day in exact_days(text))))

    @cached_property
    def periods(self) -> frozenset[tuple[date, date]]:
        """First and last day of every period that was read."""
        return frozenset(periods_of(self.brief))

    @cached_property
    def _found(self) -> str:
        """What tools found or missed, in lower case."""
        return "\n".join(text for _, _, text in told_by_tools(self.brief)).lower()

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return tuple(text for _, _, text in chain(told_by_tools(self.brief), texts_of(self.brief)))

    @cached_property
    def _read(self) -> str:
        return "\n".join(self._texts)

    @cached_property
    def text(self) -> str:
        """All that was read, in lower case."""
        return self._read.lower()

    @cached_property
    def words(self) -> frozenset[str]:
        """Words in capitals that were read."""
        currencies = {c for fact in self.brief.bundle.facts if (c := fact.currency)}
        return frozenset(re.findall(r"[A-Z]{2,5}", self._read)) | currencies

    @cached_property
    def news(self) -> tuple[tuple[str, date], ...]:
        """Every passage with plain quotation marks, and its day."""
        passages = self.brief.bundle.passages
        return tuple((plain(f"{row.headline} {row.body}"), row.published_at.date()) for row in passages)

    def borne_out(
        self, number: Number, about: About, days: set[date], *, falls: bool, values: Values | None = None
    ) -> tuple[list[Known], str]:
        """What of `values`, or of all, bears the number out; or nothing, and why. `falls`: the sentence says
        that something fell.
        """
        half, size = number.half * (1 + 1e-9), abs(number.value)
        values = self.values if values is None else values
        near = [*values.near(size, half), *self._near_on(days, size, half)]
        fitting = [known for known in near if _fits(number.kind, known.kind)]
        if not fitting:
            return [], f"{NOT_READ}{' in this unit' if near else ''}"
        own = [
            known for known in fitting if about.covers(known.entity, known.keys) and _in_period(known, days)
        ]
        if not own:
            return [], "what was read has this value for another company, metric or period"
        right = [known for known in own if _same_sign(number, known.value, falls=falls)]
        return right, "" if right else "what was read moved the other way"

    def _near_on(self, days: set[date], size: float, half: float) -> list[Known]:
        """Daily values of those days that are of about this size."""
        return [known for day in days for known in self._on(day) if abs(size - abs(known.value)) <= half]

    def _on(self, day: date) -> tuple[Known, ...]:
        """All daily values of a day."""
        if day not in self._sessions:
            wanted = np.datetime64(day)
            places = ((series, int(dates.searchsorted(wanted)), dates) for series, dates in self._series)
            rows = ((series, at) for series, at, dates in places if at < len(dates) and dates[at] == wanted)
            self._sessions[day] = tuple(known for series, at in rows for known in of_day(series, at))
        return self._sessions[day]

    @cached_property
    def _series(self) -> tuple[tuple[Series, npt.NDArray[np.datetime64]], ...]:
        return tuple((one, one.times.astype("datetime64[D]")) for one in self.brief.bundle.series)

    def traded(self, day: date) -> bool:
        """Whether a series that was read has the day."""
        return bool(self._on(day))

    def said(self, about: About, days: set[date]) -> list[Told]:
        """What was said about that; of those days, if something was."""
        rows = {id(told): told for key in about.keys for told in self.told.get(key, ())}
        found = [told for told in rows.values() if about.covers(told.entity, told.keys)]
        return [told for told in found if told.days & days] or found

    def dated(self, day: Day, about: About) -> bool:
        """Whether the date may be meant where a report is about that: a day of what was said of it, or any
        day read where nothing was.
        """
        told = {known for row in self.said(about, set()) for known in row.days} if about.keys else set()
        return any(may_mean(day, known) for known in told or self.days)

    def of_kind(self, kind: str, day: Day) -> bool:
        """Whether a day a report calls "filed" is a filing's, or one called "ended" ends a period; any if no
        facts were read.
        """
        facts = facts_of(self.brief.bundle)
        days = {fact.filed_at.date() if kind == "filed" else fact.period_end for fact in facts}
        return not days or any(may_mean(day, known) for known in days)

    def quoted_on(self, text: str) -> set[date]:
        """The days of passages that hold these words."""
        wanted = plain(text)
        return {day for passage, day in self.news if wanted in passage}

    def capitals(self, word: str) -> bool:
        """Whether a word in capitals was read or is an ordinary abbreviation."""
        return word in ACRONYMS or word in self.lexicon.tickers.values() or word in self.words

    def says(self, term: str) -> bool:
        """Whether a tool or a passage used the term."""
        return term in self._found or term in self.text or any(term in passage for passage, _ in self.news)

    def control(self, level: str) -> bool:
        """Whether the control level was found to be that."""
        return any(row.name == "control-level" and row.value == level for row in self.brief.findings)


def may_mean(day: Day, known: date) -> bool:
    """Whether a date as written may be that day."""
    if not day.any_year:
        return day.first <= known <= day.last
    return (day.first.month, day.first.day) <= (known.month, known.day) <= (day.last.month, day.last.day)


def plain(text: str) -> str:
    """One line, lower case, all quotation marks alike."""
    return " ".join(re.sub(r"[\"“”‘’]", "'", text).lower().split())


def _fits(written: str, known: str) -> bool:
    """Whether a number written with that unit may be a value of that kind."""
    if written == "percent":
        return known in ("percent", "flow")
    if written == "":
        return known not in ("percent", "points")
    return known == written or (written == "shares" and known in ("", "count"))


def _in_period(known: Known, days: set[date]) -> bool:
    return not known.period or any(day in days for day in known.period)


def _same_sign(number: Number, value: float, *, falls: bool) -> bool:
    """Whether the sign written, or none, fits: without one a negative value needs a word that something
    fell.
    """
    if number.signed:
        return value * number.value >= 0
    return value >= 0 or falls
