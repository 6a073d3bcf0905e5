"""What was read and found, in the shape a report is checked against."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import permutations

import numpy as np

from finground.records.bundle import Bundle, Fact, Finding, Series
from finground.report.brief import Brief
from finground.report.reading import Day, Number, read_dates, read_numbers, sentences

FEW = 12  # filings of a metric between which changes are computed
ACRONYMS = frozenset(  # capitals that are no tickers
    ("RSI", "MACD", "DDX", "EPS", "ROE", "ROA", "SEC", "US", "USA", "UK", "EU", "CEO", "CFO", "COO", "IPO",
     "ETF", "GDP", "AI", "UTC", "NYSE", "EBIT", "TTM", "YOY", "QOQ", "SMA", "EMA", "II", "III", "IV",
     "PE", "PB", "IT", "TV")
)  # fmt: skip
MEASURES = {
    "revenue": "revenue", "net income": "net-income", "net profit": "net-income",
    "operating income": "operating-income", "earnings per share": "earnings-per-share",
    "margin balance": "margin-change", "holdings": "institutional-change",
    "share price": "change", "stock price": "change", "the price": "change",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Known:
    """A value that a number may be; `kind` as in `Number`, with "ratio" and "flow" for what may be written
    both ways.
    """

    id: str
    value: float
    kind: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """All values, days and words of a brief. `values` are ordered by size, whatever their sign; `text` is
    lower case; `news` has every passage with plain quotation marks.
    """

    values: tuple[Known, ...]
    sizes: tuple[float, ...]
    days: frozenset[date]
    text: str
    words: frozenset[str]
    news: tuple[str, ...]
    findings: tuple[Finding, ...]
    series: tuple[Series, ...]

    def borne_out(self, number: Number, days: set[date]) -> tuple[tuple[str, ...], str]:
        """Ids of what bears the number out; or none, and why."""
        half = number.half * (1 + 1e-9)
        first = bisect_left(self.sizes, abs(number.value) - half)
        near = list(self.values[first : bisect_right(self.sizes, abs(number.value) + half)])
        near += [known for known in self._of_days(days) if abs(abs(number.value) - abs(known.value)) <= half]
        fitting = [known for known in near if _fits(number.kind, known.kind)]
        if not fitting:
            return (), f"nothing that was read has this value{' in this unit' if near else ''}"
        right = [known for known in fitting if not number.signed or known.value * number.value >= 0]
        if not right:
            return (), "what was read moved the other way"
        return tuple(dict.fromkeys(known.id for known in right)), ""

    def _of_days(self, days: set[date]) -> Iterator[Known]:
        """Daily values of those days."""
        for series in self.series:
            dates = series.times.astype("datetime64[D]")
            for day in days:
                yield from (
                    known
                    for row in np.flatnonzero(dates == np.datetime64(day)).tolist()
                    for known in _at(series, row)
                )

    def dated(self, day: Day) -> bool:
        """Whether a day that was read lies in what the date may mean."""
        if day.first in self.days and not day.any_year:
            return True
        if not day.any_year:
            return any(day.first <= known <= day.last for known in self.days)
        span = ((day.first.month, day.first.day), (day.last.month, day.last.day))
        return any(span[0] <= (known.month, known.day) <= span[1] for known in self.days)

    def quotes(self, text: str) -> bool:
        """Whether a passage holds these words."""
        wanted = plain(text)
        return any(wanted in passage for passage in self.news)

    def capitals(self, word: str) -> bool:
        """Whether a word in capitals was read or is an ordinary abbreviation."""
        return word in ACRONYMS or word in self.words

    def says(self, term: str) -> bool:
        """Whether a tool or a passage used the term."""
        return term in self.text or any(term in passage for passage in self.news)

    def control(self, level: str) -> bool:
        """Whether the control level was found to be that."""
        return any(row.name == "control-level" and row.value == level for row in self.findings)

    def measure_in(self, sentence: str) -> str:
        """The measure a sentence speaks of, or nothing."""
        low = sentence.lower()
        return next((words for words in MEASURES if words in low), "")

    def moved(self, measure: str, sign: int) -> bool:
        """Whether a change of that measure with that sign was found, or news speaks of the measure."""
        part = MEASURES[measure]
        found = [
            row for row in self.findings if part in row.name and row.unit in ("percent", "percentage points")
        ]
        return any(float(row.value) * sign > 0 for row in found) or any(
            measure in passage for passage in self.news
        )


def gather(brief: Brief) -> Evidence:
    """The evidence of a brief."""
    bundle = brief.bundle
    told = [*_told(brief)]
    changes = () if brief.findings else _changes(bundle.facts)  # tools have found those that count
    found = [
        *_of_facts(bundle),
        *changes,
        *_of_series(bundle),
        *_of_findings(brief.findings),
        *_of_texts(told),
    ]
    values = tuple(sorted(found, key=lambda known: abs(known.value)))
    sizes = tuple(abs(known.value) for known in values)
    days = {*_days(bundle, brief), *(day for _, text in told for day in _exact_days(text))}
    text = "\n".join(text for _, text in told)
    words = frozenset(re.findall(r"[A-Z]{2,5}", text)) | {c for fact in bundle.facts if (c := fact.currency)}
    news = tuple(plain(f"{row.headline} {row.body}") for row in bundle.passages)
    return Evidence(values, sizes, frozenset(days), text.lower(), words, news, brief.findings, bundle.series)


def plain(text: str) -> str:
    """One line, lower case, all quotation marks alike."""
    return " ".join(re.sub(r"[\"“”‘’]", "'", text).lower().split())


def _told(brief: Brief) -> Iterator[tuple[str, str]]:
    """Texts that may be repeated, with their ids: tools' sentences, gaps, news, names, the question, the
    catalogue's entries of the metrics asked about.
    """
    yield from ((row.id, row.text) for row in brief.findings)
    yield from ((f"gap/{gap.entity}/{gap.what}", f"{gap.what}: {gap.why}") for gap in brief.bundle.gaps)
    yield from (
        (row.id, f"{row.headline}\n{row.body}\n{' '.join(row.tickers)}") for row in brief.bundle.passages
    )
    yield "question", f"{brief.query} {brief.request.phrase}"
    tickers = {company.id: company.ticker for company in brief.catalog.companies.all}
    yield from ((id, f"{name} {tickers.get(id, '')}") for id, name in brief.names.items())
    asked = {metric.slug for metric in brief.request.metrics}
    for metric in brief.catalog.metrics.all:
        if metric.slug in asked:
            yield metric.slug, f"{metric.name} {' '.join(metric.aliases)} {metric.formula or ''}"
    nearest = (gap.nearest for gap in brief.bundle.gaps if gap.nearest)
    yield from ((fact.id, fact.source) for fact in (*brief.bundle.facts, *nearest))
    yield from ((series.id, series.source) for series in brief.bundle.series)


def _of_facts(bundle: Bundle) -> Iterator[Known]:
    """Facts and gaps' nearest."""
    nearest = [gap.nearest for gap in bundle.gaps if gap.nearest]
    for fact in (*bundle.facts, *nearest):
        yield Known(fact.id, fact.value, fact.currency or ("ratio" if fact.unit == "ratio" else fact.unit))
        if fact.unit == "ratio":
            yield Known(fact.id, 100 * fact.value, "percent")


def _changes(facts: tuple[Fact, ...]) -> Iterator[Known]:
    """Changes between filings of a metric; of hundreds of figures any percentage would be one by chance."""
    groups: dict[tuple[str, str, str | None], list[Fact]] = {}
    for fact in facts:
        groups.setdefault((fact.entity, fact.metric, fact.currency), []).append(fact)
    for found in groups.values():
        for now, then in permutations(found[:FEW], 2):
            if then.value > 0 and now.period_end > then.period_end:
                yield Known(now.id, 100 * (now.value / then.value - 1), "percent")


def _of_series(bundle: Bundle) -> Iterator[Known]:
    """The last value of each column."""
    for series in bundle.series:
        yield from _at(series, len(series.times) - 1)


def _at(series: Series, row: int) -> Iterator[Known]:
    for name, values in zip(series.names, series.columns, strict=True):
        if row >= 0 and np.isfinite(values[row]):
            kind = "shares" if name.endswith(("volume", "shares")) else (series.currency or "")
            yield Known(series.id, float(values[row]), kind)


def _of_findings(findings: tuple[Finding, ...]) -> Iterator[Known]:
    kinds = {
        "percent": "percent",
        "percentage points": "points",
        "percent of float": "flow",
        "shares": "shares",
    }
    for row in findings:
        if isinstance(row.value, float | int):
            unit = row.unit.removesuffix(" per share")
            yield Known(
                row.id, float(row.value), kinds.get(unit, unit if len(unit) == 3 and unit.isupper() else "")
            )


def _of_texts(told: list[tuple[str, str]]) -> Iterator[Known]:
    for id, text in told:
        for sentence in sentences(text):
            bare, _ = read_dates(sentence)
            yield from (Known(id, number.value, number.kind) for number in read_numbers(bare))


def _days(bundle: Bundle, brief: Brief) -> Iterator[date]:
    yield bundle.as_of.date()
    for fact in (*bundle.facts, *(gap.nearest for gap in bundle.gaps if gap.nearest)):
        yield from (day for day in (fact.period_start, fact.period_end, fact.filed_at.date()) if day)
    for row in brief.findings:
        yield from (day for day in (row.period_start, row.period_end) if day)
    yield from (row.published_at.date() for row in bundle.passages)
    for series in bundle.series:
        yield from series.times.astype("datetime64[D]").tolist()
    if brief.request.interval:
        yield from (brief.request.interval.start, brief.request.interval.end)


def _exact_days(text: str) -> Iterable[date]:
    return (day for found in read_dates(text)[1] for day in (found.first, found.last) if not found.any_year)


def _fits(written: str, known: str) -> bool:
    """Whether a number written with that unit may be a value of that kind."""
    if written == "percent":
        return known in ("percent", "flow")
    if written == "points":
        return known in ("points", "percent")
    if written == "":
        return known not in ("percent", "points")
    return known == written or (written == "shares" and known in ("", "count"))
