"""What was read and found, in the shape a report is checked against: values, and what is said of measures.

Each value is of a company and of measures, so that the figure of another company or metric bears out nothing. In
a brief with findings, a figure of an earlier period bears out only a sentence that names a day of that period.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import pairwise, permutations

import numpy as np
import numpy.typing as npt

from finground.records.bundle import Bundle, Fact, Finding, Series
from finground.report.analysis import ADVICE, HORIZONS, conclude_from, lead_of, stated
from finground.report.brief import Brief
from finground.report.lexicon import PRICED, Lexicon, key_of
from finground.report.polarity import sides
from finground.report.profile import personal
from finground.report.reading import Day, Number, read_dates, read_numbers, sentences
from finground.report.standard import DIMENSIONS

Keys = frozenset[str]
NONE: Keys = frozenset()
MARKET = "market"
FEW = 12  # filings of a metric between which changes are computed
NOT_READ = "nothing that was read has this value"
ACRONYMS = frozenset(  # capitals that are no tickers
    ("RSI", "MACD", "DDX", "EPS", "ROE", "ROA", "SEC", "US", "USA", "UK", "EU", "CEO", "CFO", "COO", "IPO",
     "ETF", "GDP", "AI", "UTC", "NYSE", "EBIT", "TTM", "YOY", "QOQ", "SMA", "EMA", "II", "III", "IV",
     "PE", "PB", "IT", "TV", "EDGAR", "OK")
)  # fmt: skip
KINDS = {"percent": "percent", "percentage points": "points", "percent of float": "flow", "shares": "shares"}


@dataclass(frozen=True, slots=True)
class Known:
    """A value that a number may be; `kind` as in `Number`, with "ratio" and "flow" for what may be written
    both ways. Without `entity` or `keys` it is of any; with `period` it needs a day of it in the sentence.
    """

    id: str
    value: float
    kind: str
    entity: str = ""
    keys: Keys = NONE
    period: tuple[date, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence that a tool, or a rule, has said: of whom, of what, on which sides and days."""

    entity: str
    keys: Keys
    sides: frozenset[tuple[str, str]]
    days: frozenset[date]


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

    def borne_out(self, number: Number, about: About, days: set[date], *, falls: bool) -> tuple[list[Known], str]:
        """What bears the number out; or nothing, and why. `falls`: the sentence says that something fell."""
        half = number.half * (1 + 1e-9)
        first = bisect_left(self.sizes, abs(number.value) - half)
        near = list(self.values[first : bisect_right(self.sizes, abs(number.value) + half)])
        near += [known for known in self._of_days(days, about) if abs(abs(number.value) - abs(known.value)) <= half]
        fitting = [known for known in near if _fits(number.kind, known.kind)]
        if not fitting:
            return [], f"{NOT_READ}{' in this unit' if near else ''}"
        own = [known for known in fitting if about.covers(known.entity, known.keys) and _in_period(known, days)]
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
                    yield from _at(series, at)

    def traded(self, day: date) -> bool:
        """Whether a series that was read has the day."""
        return next(self._of_days({day}, About(frozenset(), NONE)), None) is not None

    def said(self, about: About, days: set[date]) -> list[Told]:
        """What was said about that; of those days, if something was."""
        rows = {id(told): told for key in about.keys for told in self.told.get(key, ())}
        found = [told for told in rows.values() if about.covers(told.entity, told.keys)]
        return [told for told in found if told.days & days] or found

    def dated(self, day: Day, about: About) -> bool:
        """Whether the date may be meant where a report is about that: a day of what was said of it, or any day
        read where nothing was.
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
    sources = [*_sources(brief)]
    changes = () if brief.findings else _changes(bundle.facts)  # tools have found those that count
    read = [*_of_facts(brief), *changes, *_of_series(bundle), *_of_findings(brief.findings)]
    told: dict[str, list[Told]] = {}
    for row in _told(brief, lexicon):
        for key in row.keys:
            told.setdefault(key, []).append(row)
    found = [*read, *_of_texts(sources, lexicon)]
    values = tuple(sorted(found, key=lambda known: abs(known.value)))
    text = "\n".join(text for _, _, text in sources)
    words = frozenset(re.findall(r"[A-Z]{2,5}", text)) | {c for fact in bundle.facts if (c := fact.currency)}
    days = {*_days(bundle, brief), *(day for _, _, text in sources for day in _exact_days(text))}
    news = tuple((plain(f"{row.headline} {row.body}"), row.published_at.date()) for row in bundle.passages)
    sizes = tuple(abs(known.value) for known in values)
    return Evidence(
        brief, lexicon, values, sizes, told, frozenset(days), frozenset(_periods(brief)), text.lower(), words, news,
        tuple((series, series.times.astype("datetime64[D]")) for series in bundle.series),
    )  # fmt: skip


def plain(text: str) -> str:
    """One line, lower case, all quotation marks alike."""
    return " ".join(re.sub(r"[\"“”‘’]", "'", text).lower().split())


Source = tuple[str, tuple[str, Keys], str]


def _sources(brief: Brief) -> Iterator[Source]:
    """Texts that may be repeated, with their ids, and of which company and measures they are: tools' sentences,
    gaps, news, names, the question, the catalogue's entries of the metrics asked about.
    """
    yield from ((row.id, (row.entity, frozenset((key_of(row.name),))), row.text) for row in brief.findings)
    any_of = ("", NONE)
    for gap in brief.bundle.gaps:
        yield f"gap/{gap.entity}/{gap.what}", (gap.entity if gap.tool else "", NONE), f"{gap.what}: {gap.why}"
    yield from (
        (row.id, ("", frozenset(("news",))), f"{row.headline}\n{row.body}\n{' '.join(row.tickers)}")
        for row in brief.bundle.passages
    )
    yield "question", any_of, f"{brief.query} {brief.request.phrase}"
    yield from ((id, (id, NONE), f"{name} {brief.ticker(id)}") for id, name in brief.names.items())
    asked = {metric.slug for metric in brief.request.metrics}
    for metric in brief.catalog.metrics.all:
        if metric.slug in asked:
            yield metric.slug, any_of, f"{metric.name} {' '.join(metric.aliases)} {metric.formula or ''}"
    nearest = (gap.nearest for gap in brief.bundle.gaps if gap.nearest)
    for source in dict.fromkeys(fact.source for fact in (*brief.bundle.facts, *nearest)):
        yield source, any_of, source
    yield from ((series.id, any_of, series.source) for series in brief.bundle.series)


def _told(brief: Brief, lexicon: Lexicon) -> Iterator[Told]:
    """What tools have said, what rules conclude from it, and the facts' own days."""
    for row in brief.findings:
        own = frozenset((row.period_end, *_exact_days(row.text)))
        found = {(side.family, side.side) for side in sides(row.text)}
        found |= {("mood", row.signal)} if row.signal != "neutral" else set()
        if row.unit in ("percent", "percentage points") and isinstance(row.value, float) and row.value:
            found |= {("move", "up" if row.value > 0 else "down")} if _is_change(row) else set()
        yield Told(row.entity, frozenset((key_of(row.name),)), frozenset(found), own)
    days: dict[tuple[str, str], set[date]] = {}
    for fact in (*brief.bundle.facts, *(gap.nearest for gap in brief.bundle.gaps if gap.nearest)):
        days.setdefault((fact.entity, fact.metric), set()).update(
            day for day in (fact.period_start, fact.period_end, fact.filed_at.date()) if day
        )
    for (entity, metric), known in days.items():
        yield Told(entity, frozenset((metric,)), frozenset(), frozenset(known))
    for gap in brief.bundle.gaps:
        text = f"{gap.what} {gap.why}"
        keys = frozenset(key for mention in lexicon.named(text)[0] for key in mention.keys)
        yield Told(gap.entity if gap.tool else "", keys, frozenset(), frozenset(_exact_days(text)))
    for entity, text in _derived(brief) if brief.plan.kind == "analysis" else ():
        keys = frozenset(key for mention in lexicon.named(text)[0] for key in mention.keys)
        found = {(side.family, side.side) for side in sides(text)}
        yield Told(entity, keys, frozenset(found), frozenset())


def _is_change(row: Finding) -> bool:
    return row.name not in ("year-range", "use-of-revenue", "turnover-rate") and row.tool != "fundamental"


def _derived(brief: Brief) -> Iterator[tuple[str, str]]:
    """Leads and conclusions that follow from the signals, sentence by sentence."""
    for entity in brief.companies:
        stances = [conclude_from(brief, entity, tools).stance for _, tools in HORIZONS]
        for (when, _), stance in zip(HORIZONS, stances, strict=True):
            yield entity, stated(when, stance) if stance in ADVICE else when
        yield entity, personal(brief.profile, *stances)
        yield from ((entity, lead_of(brief, entity, tool)) for tool in DIMENSIONS)


def _of_facts(brief: Brief) -> Iterator[Known]:
    """Facts and gaps' nearest."""
    found = {(row.entity, key_of(row.name)) for row in brief.findings}
    nearest = [gap.nearest for gap in brief.bundle.gaps if gap.nearest]
    for fact in (*brief.bundle.facts, *nearest):
        keys = frozenset((fact.metric,))
        days = (fact.period_end, fact.filed_at.date(), *([fact.period_start] if fact.period_start else []))
        period = days if (fact.entity, fact.metric) in found else ()
        kind = fact.currency or ("ratio" if fact.unit == "ratio" else fact.unit)
        yield Known(fact.id, fact.value, kind, fact.entity, keys, period)
        if fact.unit == "ratio":
            yield Known(fact.id, 100 * fact.value, "percent", fact.entity, keys, period)


def _changes(facts: tuple[Fact, ...]) -> Iterator[Known]:
    """Changes between filings of a metric; of hundreds of figures any percentage would be one by chance."""
    groups: dict[tuple[str, str, str | None], list[Fact]] = {}
    for fact in facts:
        groups.setdefault((fact.entity, fact.metric, fact.currency), []).append(fact)
    for found in groups.values():
        for now, then in permutations(found[:FEW], 2):
            if then.value > 0 and now.period_end > then.period_end:
                change = 100 * (now.value / then.value - 1)
                yield Known(now.id, change, "percent", now.entity, frozenset((now.metric,)))


def _of_series(bundle: Bundle) -> Iterator[Known]:
    """The last value of each column."""
    for series in bundle.series:
        yield from _at(series, len(series.times) - 1)


def _at(series: Series, row: int) -> Iterator[Known]:
    for name, values in zip(series.names, series.columns, strict=True):
        if row >= 0 and np.isfinite(values[row]):
            kind = "shares" if name.endswith(("volume", "shares")) else (series.currency or "")
            keys = PRICED if name in ("open", "high", "low", "close", "adj_close") else (name.replace("_", "-"),)
            yield Known(series.id, float(values[row]), kind, series.entity, frozenset(keys))


def _of_findings(findings: tuple[Finding, ...]) -> Iterator[Known]:
    for row in findings:
        if isinstance(row.value, float | int):
            unit = row.unit.removesuffix(" per share")
            kind = KINDS.get(unit, unit if len(unit) == 3 and unit.isupper() else "")
            yield Known(row.id, float(row.value), kind, row.entity, frozenset((key_of(row.name),)))


def _of_texts(sources: list[Source], lexicon: Lexicon) -> Iterator[Known]:
    """Numbers of the texts; of a text without measures of its own, those its sentences name."""
    for id, (entity, keys), text in sources:
        if id == text:  # where a fact is from: its numbers are no figures
            continue
        for sentence in sentences(text):
            bare, _ = read_dates(sentence)
            numbers = read_numbers(bare)
            own = keys
            if numbers and (not keys or keys == {"news"}):
                own = keys | {key for mention in lexicon.named(bare)[0] for key in mention.keys}
            yield from (Known(id, number.value, number.kind, entity, own) for number in numbers)


def _days(bundle: Bundle, brief: Brief) -> Iterator[date]:
    """Days that a sentence about nothing in particular may name; of prices only the last session's."""
    yield bundle.as_of.date()
    for fact in (*bundle.facts, *(gap.nearest for gap in bundle.gaps if gap.nearest)):
        yield from (day for day in (fact.period_start, fact.period_end, fact.filed_at.date()) if day)
    for row in brief.findings:
        yield from (day for day in (row.period_start, row.period_end) if day)
    yield from (row.published_at.date() for row in bundle.passages)
    for series in bundle.series:
        yield from series.times[-1:].astype("datetime64[D]").tolist()
    if brief.request.interval:
        yield from (brief.request.interval.start, brief.request.interval.end)


def _periods(brief: Brief) -> Iterator[tuple[date, date]]:
    """Periods of figures, of the question, and those that gaps tell of."""
    bundle = brief.bundle
    for fact in (*bundle.facts, *(gap.nearest for gap in bundle.gaps if gap.nearest)):
        if fact.period_start:
            yield fact.period_start, fact.period_end
    if brief.request.interval:
        yield brief.request.interval.start, brief.request.interval.end
    for gap in bundle.gaps:
        yield from pairwise(_exact_days(f"{gap.what} {gap.why}"))


def _exact_days(text: str) -> Iterable[date]:
    found = (day for day in read_dates(text)[1] if not day.any_year)
    return (known for day in found for known in dict.fromkeys((day.first, day.last)))


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
    """Whether the sign written, or none, fits: without one a negative value needs a word that something fell."""
    if number.signed:
        return value * number.value >= 0
    return value >= 0 or falls
