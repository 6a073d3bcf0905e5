"""What was read and found, in the shape a report is checked against: values, and what is said of measures.

Each value is of a company and of measures, so that the figure of another company or metric bears out
nothing. In a brief with findings, a figure of an earlier period bears out only a sentence that names a day
of that period.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np
import numpy.typing as npt

from finground.records.bundle import Series
from finground.report.brief import Brief
from finground.report.known import (
    NONE,
    Keys,
    Known,
    Told,
    changes_of,
    days_of,
    exact_days,
    of_day,
    of_facts,
    of_findings,
    of_series,
    of_texts,
    periods_of,
    sayings,
    texts_of,
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
class Evidence:
    """All values, sentences, days and words of a brief. `values` are ordered by size, whatever their sign;
    `told` is by key; `news` has every passage with plain quotation marks, and its day.
    """

    brief: Brief
    lexicon: Lexicon
    values: tuple[Known, ...]
    sizes: tuple[float, ...]
    told: dict[str, list[Told]]
    days: frozenset[date]
    periods: frozenset[tuple[date, date]]
    text: str
    words: frozenset[str]
    news: tuple[tuple[str, date], ...]
    series: tuple[tuple[Series, npt.NDArray[np.datetime64]], ...]

    def borne_out(
        self, number: Number, about: About, days: set[date], *, falls: bool
    ) -> tuple[list[Known], str]:
        """What bears the number out; or nothing, and why. `falls`: the sentence says that something fell."""
        half = number.half * (1 + 1e-9)
        first = bisect_left(self.sizes, abs(number.value) - half)
        near = list(self.values[first : bisect_right(self.sizes, abs(number.value) + half)])
        near += [
            known for known in self._of_days(days, about) if abs(abs(number.value) - abs(known.value)) <= half
        ]
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

    def _of_days(self, days: set[date], about: About) -> Iterator[Known]:
        """Daily values of those days, of the companies meant."""
        for day in days:
            wanted = np.datetime64(day)
            for series, dates in self.series:
                if not about.covers(series.entity, about.keys):
                    continue
                at = int(dates.searchsorted(wanted))
                if at < len(dates) and dates[at] == wanted:
                    yield from of_day(series, at)

    def traded(self, day: date) -> bool:
        """Whether a series that was read has the day."""
        return next(self._of_days({day}, About(frozenset(), NONE)), None) is not None

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

    def quoted_on(self, text: str) -> set[date]:
        """The days of passages that hold these words."""
        wanted = plain(text)
        return {day for passage, day in self.news if wanted in passage}

    def capitals(self, word: str) -> bool:
        """Whether a word in capitals was read or is an ordinary abbreviation."""
        return word in ACRONYMS or word in self.words

    def says(self, term: str) -> bool:
        """Whether a tool or a passage used the term."""
        return term in self.text or any(term in passage for passage, _ in self.news)

    def control(self, level: str) -> bool:
        """Whether the control level was found to be that."""
        return any(row.name == "control-level" and row.value == level for row in self.brief.findings)


def may_mean(day: Day, known: date) -> bool:
    """Whether a date as written may be that day."""
    if not day.any_year:
        return day.first <= known <= day.last
    return (day.first.month, day.first.day) <= (known.month, known.day) <= (day.last.month, day.last.day)


def gather(brief: Brief) -> Evidence:
    """The evidence of a brief."""
    bundle, lexicon = brief.bundle, Lexicon(brief)
    sources = [*texts_of(brief)]
    changes = () if brief.findings else changes_of(bundle.facts)  # tools have found those that count
    read = [*of_facts(brief), *changes, *of_series(bundle), *of_findings(brief.findings)]
    told: dict[str, list[Told]] = {}
    for row in sayings(brief, lexicon):
        for key in row.keys:
            told.setdefault(key, []).append(row)
    found = [*read, *of_texts(sources, lexicon)]
    values = tuple(sorted(found, key=lambda known: abs(known.value)))
    text = "\n".join(text for _, _, text in sources)
    words = frozenset(re.findall(r"[A-Z]{2,5}", text)) | {c for fact in bundle.facts if (c := fact.currency)}
    days = {*days_of(bundle, brief), *(day for _, _, text in sources for day in exact_days(text))}
    news = tuple((plain(f"{row.headline} {row.body}"), row.published_at.date()) for row in bundle.passages)
    sizes = tuple(abs(known.value) for known in values)
    return Evidence(
        brief, lexicon, values, sizes, told, frozenset(days), frozenset(periods_of(brief)),
        text.lower(), words, news,
        tuple((series, series.times.astype("datetime64[D]")) for series in bundle.series),
    )  # fmt: skip


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
