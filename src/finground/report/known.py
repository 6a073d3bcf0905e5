"""All values, sentences, days and periods of a brief that a report may repeat, each with whom and what it
is of.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import pairwise, permutations

import numpy as np

from finground.records.bundle import Bundle, Fact, Finding, Series
from finground.report.analysis import ADVICE, HORIZONS, conclude_from, lead_of, stated
from finground.report.brief import Brief
from finground.report.lexicon import PRICED, Lexicon, key_of
from finground.report.polarity import sides
from finground.report.profile import personal
from finground.report.reading import read_dates, read_numbers, sentences
from finground.report.standard import DIMENSIONS

Keys = frozenset[str]
NONE: Keys = frozenset()
FEW = 12  # filings of a metric between which changes are computed
KINDS = {"percent": "percent", "percentage points": "points", "percent of float": "flow", "shares": "shares"}


@dataclass(frozen=True, slots=True)
class Known:
    """A value that a number may be; `kind` as in `Number`, with "ratio" and "flow" for what may be written
    both ways. Without `entity` or `keys` it is of any; with `period` it needs a day of it in the sentence.
    `end` is the last day of a fact's period: a day beside the number must be that.
    """

    id: str
    value: float
    kind: str
    entity: str = ""
    keys: Keys = NONE
    period: tuple[date, ...] = ()
    end: date | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence that a tool, or a rule, has said: of whom, of what, on which sides and days."""

    entity: str
    keys: Keys
    sides: frozenset[tuple[str, str]]
    days: frozenset[date]


Source = tuple[str, tuple[str, Keys], str]


def told_by_tools(brief: Brief) -> Iterator[Source]:
    """Texts that may be repeated, with their ids, and of which company and measures they are: the tools'
    sentences, and gaps.
    """
    yield from ((row.id, (row.entity, frozenset((key_of(row.name),))), row.text) for row in brief.findings)
    for gap in brief.bundle.gaps:
        yield f"gap/{gap.entity}/{gap.what}", (gap.entity if gap.tool else "", NONE), f"{gap.what}: {gap.why}"


def texts_of(brief: Brief) -> Iterator[Source]:
    """The same of names, the question, the catalogue's entries of the metrics asked about, sources and
    passages.
    """
    any_of: tuple[str, Keys] = ("", NONE)
    yield "question", any_of, f"{brief.query} {brief.request.phrase}"
    yield from ((id, (id, NONE), f"{name} {brief.ticker(id)}") for id, name in brief.names.items())
    asked = {metric.slug for metric in brief.request.metrics}
    for metric in brief.catalog.metrics.all:
        if metric.slug in asked:
            yield metric.slug, any_of, f"{metric.name} {' '.join(metric.aliases)} {metric.formula or ''}"
    for source in dict.fromkeys(fact.source for fact in facts_of(brief.bundle)):
        yield source, any_of, source
    yield from ((series.id, any_of, series.source) for series in brief.bundle.series)
    news: tuple[str, Keys] = ("", frozenset(("news",)))
    for row in brief.bundle.passages:
        yield row.id, news, f"{row.headline}\n{row.body}\n{' '.join(row.tickers)}"


def facts_of(bundle: Bundle) -> tuple[Fact, ...]:
    """Facts and gaps' nearest."""
    return (*bundle.facts, *(gap.nearest for gap in bundle.gaps if gap.nearest))


def sayings(brief: Brief, lexicon: Lexicon) -> Iterator[Told]:
    """What tools have said, what rules conclude from it, and the facts' own days."""
    for row in brief.findings:
        own = frozenset((row.period_end, *exact_days(row.text)))
        found = {(side.family, side.side) for side in sides(row.text)}
        found |= {("mood", row.signal)} if row.signal != "neutral" else set()
        if row.unit in ("percent", "percentage points") and isinstance(row.value, float) and row.value:
            found |= {("move", "up" if row.value > 0 else "down")} if _is_change(row) else set()
        yield Told(row.entity, frozenset((key_of(row.name),)), frozenset(found), own)
    for (entity, metric), known in days_of_facts(brief.bundle).items():
        yield Told(entity, frozenset((metric,)), frozenset(), frozenset(known))
    for gap in brief.bundle.gaps:
        text = f"{gap.what} {gap.why}"
        keys = frozenset(key for mention in lexicon.named(text)[0] for key in mention.keys)
        yield Told(gap.entity if gap.tool else "", keys, frozenset(), frozenset(exact_days(text)))
    for entity, text in _derived(brief) if brief.plan.kind == "analysis" else ():
        keys = frozenset(key for mention in lexicon.named(text)[0] for key in mention.keys)
        found = {(side.family, side.side) for side in sides(text)}
        yield Told(entity, keys, frozenset(found), frozenset())


def days_of_facts(bundle: Bundle) -> dict[tuple[str, str], set[date]]:
    """Last days of periods and filing days by company and metric; first days are told with the last only."""
    found: dict[tuple[str, str], set[date]] = {}
    for fact in facts_of(bundle):
        days = found.setdefault((fact.entity, fact.metric), set())
        days.update((fact.period_end, fact.filed_at.date()))
    return found


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


def of_facts(brief: Brief) -> Iterator[Known]:
    """Values of facts and of gaps' nearest."""
    found = {(row.entity, key_of(row.name)) for row in brief.findings}
    every: dict[str, Keys] = {}
    for fact in facts_of(brief.bundle):
        keys = every.setdefault(fact.metric, frozenset((fact.metric,)))
        days = (fact.period_end, fact.filed_at.date(), *([fact.period_start] if fact.period_start else []))
        period = days if (fact.entity, fact.metric) in found else ()
        kind = fact.currency or ("ratio" if fact.unit == "ratio" else fact.unit)
        yield Known(fact.id, fact.value, kind, fact.entity, keys, period, fact.period_end)
        if fact.unit == "ratio":
            yield Known(fact.id, 100 * fact.value, "percent", fact.entity, keys, period, fact.period_end)


def changes_of(facts: tuple[Fact, ...]) -> Iterator[Known]:
    """Changes between filings of a metric; of hundreds of figures any percentage would be one by chance."""
    groups: dict[tuple[str, str, str | None], list[Fact]] = {}
    for fact in facts:
        groups.setdefault((fact.entity, fact.metric, fact.currency), []).append(fact)
    for found in groups.values():
        for now, then in permutations(found[:FEW], 2):
            if then.value > 0 and now.period_end > then.period_end:
                change = 100 * (now.value / then.value - 1)
                yield Known(now.id, change, "percent", now.entity, frozenset((now.metric,)))


def of_series(bundle: Bundle) -> Iterator[Known]:
    """The last value of each column."""
    for series in bundle.series:
        yield from of_day(series, len(series.times) - 1)


def of_day(series: Series, row: int) -> Iterator[Known]:
    """The values of one session."""
    for name, values in zip(series.names, series.columns, strict=True):
        if row >= 0 and np.isfinite(values[row]):
            kind = "shares" if name.endswith(("volume", "shares")) else (series.currency or "")
            keys = (
                PRICED if name in ("open", "high", "low", "close", "adj_close") else (name.replace("_", "-"),)
            )
            yield Known(series.id, float(values[row]), kind, series.entity, frozenset(keys))


def of_findings(findings: tuple[Finding, ...]) -> Iterator[Known]:
    """The findings' own values."""
    for row in findings:
        if isinstance(row.value, float | int):
            unit = row.unit.removesuffix(" per share")
            kind = KINDS.get(unit, unit if len(unit) == 3 and unit.isupper() else "")
            yield Known(row.id, float(row.value), kind, row.entity, frozenset((key_of(row.name),)))


def of_texts(sources: Iterable[Source], lexicon: Lexicon) -> Iterator[Known]:
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


def days_of(brief: Brief) -> Iterator[date]:
    """Days that a sentence about nothing in particular may name; of prices only the last session's."""
    bundle = brief.bundle
    yield bundle.as_of.date()
    for days in days_of_facts(bundle).values():
        yield from days
    for row in brief.findings:
        yield from (day for day in (row.period_start, row.period_end) if day)
    yield from (row.published_at.date() for row in bundle.passages)
    for series in bundle.series:
        yield from series.times[-1:].astype("datetime64[D]").tolist()
    if brief.request.interval:
        yield from (brief.request.interval.start, brief.request.interval.end)


def periods_of(brief: Brief) -> Iterator[tuple[date, date]]:
    """Periods of figures, of the question, and those that gaps tell of."""
    bundle = brief.bundle
    for fact in facts_of(bundle):
        if fact.period_start:
            yield fact.period_start, fact.period_end
    if brief.request.interval:
        yield brief.request.interval.start, brief.request.interval.end
    for gap in bundle.gaps:
        yield from pairwise(exact_days(f"{gap.what} {gap.why}"))


def exact_days(text: str) -> Iterable[date]:
    """Days and the ends of periods that a text names with their year."""
    found = (day for day in read_dates(text)[1] if not day.any_year)
    return (known for day in found for known in dict.fromkeys((day.first, day.last)))
