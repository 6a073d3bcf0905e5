"""Metrics that nobody files: formulas over figures of one period, growth against the year before, and daily
values.

A computed fact names its inputs in its source and is known from when the last of them was. Where an input is
missing, a divisor is zero or currencies differ there is no fact.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from finground.catalog import formula
from finground.catalog.metrics import Metric, Metrics
from finground.records.bundle import Fact
from finground.store import schema
from finground.store.chains import Reported
from finground.store.facts import Figures, Kind, figures, nearest, trailing
from finground.store.series import Sessions

GROWTH = {"revenue-growth": "total-revenue", "earnings-growth": "net-income"}
BARS = {"stock-price": "close", "volume": "volume"}
PRICE_GROWTH = "stock-price-growth"
NEAR = timedelta(days=45)  # shares are counted on the cover's day, some weeks after the period ends
FRESH = timedelta(
    days=460
)  # a figure that goes into a daily value is at most a year and a report's delay old
YEAR, SAME = timedelta(days=365), timedelta(days=20)


def inputs(slugs: Iterable[str], metrics: Metrics) -> tuple[str, ...]:
    """The slugs whose rows must be read to know these metrics."""
    found: dict[str, None] = {}
    queue = list(slugs)
    while queue:
        metric = metrics.by_slug(queue.pop())
        if metric.slug in found:
            continue
        found[metric.slug] = None
        queue += formula.inputs(metric.formula) if metric.formula else ()
        queue += [GROWTH[metric.slug]] if metric.slug in GROWTH else []
    return tuple(found)


class Ledger:
    """The figures of one company, each metric worked out when first asked."""

    def __init__(
        self, rows: Mapping[str, Sequence[Reported]], metrics: Metrics, since: date = date.min
    ) -> None:
        self._rows = rows
        self._metrics = metrics
        self._since = since
        self._known: dict[str, Figures] = {}
        self._trailing: dict[str, list[Fact]] = {}

    def of(self, slug: str) -> Figures:
        """All facts of a metric by kind: filed ones, and computed ones for periods without."""
        if slug not in self._known:
            metric = self._metrics.by_slug(slug)
            known = figures(metric, self._rows.get(slug, ()), self._since) if metric.tags else Figures()
            if metric.formula and metric.frequency != "daily":
                known = _filled(known, self._combined(metric))
            if slug in GROWTH:
                known = {kind: _growth(metric, kind, facts) for kind, facts in self.of(GROWTH[slug]).items()}
            self._known[slug] = known
        return self._known[slug]

    def trailing(self, slug: str) -> list[Fact]:
        """Twelve months to each quarter's end, of sums, formulas and growth alike; none of per-share figures,
        which do not add up.
        """
        if slug not in self._trailing:
            metric, known = self._metrics.by_slug(slug), self.of(slug)
            found = known.get("year", [])
            if metric.tags and metric.unit == "currency" and not metric.instant:
                found = trailing(known.get("quarter", []), found)
            elif metric.formula and not metric.instant:
                found = self._worked_out(metric, "year", self._twelve_months)
            elif slug in GROWTH:
                found = _growth(metric, "year", self.trailing(GROWTH[slug]))
            self._trailing[slug] = found
        return self._trailing[slug]

    def vendor(self, slug: str, day: date) -> Fact | None:
        """The last value of a daily metric that a vendor's snapshot gave by the day, if it is fresh."""
        rows = [row for row in self._rows.get(slug, ()) if day - FRESH <= row.period_end <= day]
        if not rows:
            return None
        found = figures(replace(self._metrics.by_slug(slug), instant=True), rows)["instant"][-1]
        return replace(found, rule=f"a vendor's snapshot of {found.period_end}")

    def _twelve_months(self, slug: str) -> Figures:
        known = self.of(slug)
        return known if "instant" in known else {"year": self.trailing(slug)}

    def by(self, slug: str, day: date) -> Fact | None:
        """The last figure of a metric whose period had ended by the day, if it is fresh; years for annual
        metrics.
        """
        known = self.of(slug)
        kind: Kind = (
            "year"
            if self._metrics.by_slug(slug).frequency == "annual"
            else "instant"
            if "instant" in known
            else "quarter"
        )
        ended = [fact for fact in known.get(kind, []) if day - FRESH <= fact.period_end <= day]
        return ended[-1] if ended else None

    def _combined(self, metric: Metric) -> Figures:
        kinds: tuple[Kind, ...] = ("instant",) if metric.instant else ("quarter", "year", "year-to-date")
        return {kind: self._worked_out(metric, kind, self.of) for kind in kinds}

    def _worked_out(self, metric: Metric, kind: Kind, known: Callable[[str], Figures]) -> list[Fact]:
        """The formula for each period of the first input that has that kind."""
        inputs = {slug: known(slug) for slug in formula.inputs(metric.formula or "")}
        leading = next((own[kind] for own in inputs.values() if own.get(kind)), [])
        rows = [
            _computed(
                metric, {slug: self._at(slug, own, kind, end) for slug, own in inputs.items()}, end, kind
            )
            for end in (fact.period_end for fact in leading)
        ]
        return [fact for fact in rows if fact is not None]

    def _at(self, slug: str, known: Figures, kind: Kind, end: date) -> Fact | None:
        facts = known.get(kind) or known.get("instant", [])
        exact = next((fact for fact in facts if fact.period_end == end), None)
        if exact is not None or self._metrics.by_slug(slug).unit != "shares":
            return exact
        near = nearest({"instant": facts}, end)
        return near if near is not None and abs(near.period_end - end) <= NEAR else None


def is_daily(metric: Metric) -> bool:
    """Whether a daily metric can be had from bars at all."""
    return metric.slug == PRICE_GROWTH or metric.slug in BARS or metric.formula is not None


def daily(metric: Metric, found: Sessions, before: Sessions | None, ledger: Ledger) -> Fact | str:
    """A daily metric at the last of the sessions, or why there is none; `before` is what growth is measured
    against.
    """
    at = len(found) - 1
    if metric.slug == PRICE_GROWTH:
        return _price_growth(metric, found, before)
    if metric.slug in BARS:
        value = found.value(BARS[metric.slug], at)
        return (
            _of_day(metric, value, found, ())
            if math.isfinite(value)
            else f"the source has no {metric.name.lower()} that day"
        )
    slugs = formula.inputs(metric.formula or "")
    own = {slug: ledger.by(slug, found.day(at)) for slug in slugs if slug not in BARS}
    if any(own.values()) and not as_traded(found):
        return (
            "prices of this source are adjusted for later splits, shares and per-share figures are as filed"
        )
    if missing := [slug for slug, fact in own.items() if fact is None]:
        return f"it takes {', '.join(missing)} of the year before, which is not filed"
    facts = [fact for fact in own.values() if fact is not None]
    values = {fact.metric: fact.value for fact in facts}
    values |= {slug: found.value(BARS[slug], at) for slug in slugs if slug in BARS}
    if len({fact.currency for fact in facts if fact.currency} | {found.series.currency or ""}) > 1:
        return "its inputs are in different currencies"
    try:
        value = formula.value(metric.formula or "", values)
    except ZeroDivisionError:
        return "its divisor is zero"
    return (
        _of_day(metric, value, found, facts) if math.isfinite(value) else "the source has no price that day"
    )


def as_traded(found: Sessions) -> bool:
    """Whether closes are known to be as traded: a vendor's history is adjusted for every split until the
    day it was drawn, which as-filed share counts are not (case S5); one that tells its splits was undone at
    ingest; the invented world has none.
    """
    source = found.series.source
    return schema.is_synthetic(source) or source.endswith(schema.AS_TRADED)


def _price_growth(metric: Metric, found: Sessions, before: Sessions | None) -> Fact | str:
    """The adjusted close against that of the session before the first; against the first where that is all
    there is.
    """
    base, at = (before, len(before) - 1) if before is not None else (found, 0)
    if base is found and len(found) < 2:
        return "it takes two sessions"
    value = found.value("adj_close", len(found) - 1) / base.value("adj_close", at) - 1
    if not math.isfinite(value):
        return "the source has no adjusted close"
    fact = _of_day(metric, value, found, ())
    return replace(fact, period_start=base.day(at), rule=f"adjusted close against that of {base.day(at)}")


def _of_day(metric: Metric, value: float, found: Sessions, facts: Sequence[Fact]) -> Fact:
    at = len(found) - 1
    entity, day, source = found.series.entity, found.day(at), found.series.source
    filed = max([found.closed_at(at), *(fact.filed_at for fact in facts)])
    recorded = max([schema.moment(int(found.recorded_at[at])), *(fact.recorded_at for fact in facts)])
    priced = metric.unit in ("currency", "per-share")
    rule = f"computed: {metric.formula}" if metric.formula else _close(found) if metric.slug in BARS else ""
    return Fact(
        f"{entity}/{metric.slug}/{day}/day",
        entity,
        metric.slug,
        value,
        metric.unit,
        found.series.currency if priced else None,
        None,
        day,
        filed,
        recorded,
        "; ".join(_sources([source, *(fact.source for fact in facts)])),
        rule,
    )


def _close(found: Sessions) -> str:
    """Which close: of a session, or of a bar within one."""
    if schema.quotes.name in found.series.id.split("/"):
        return f"close of the bar that ended {found.closed_at(-1):%H:%M} UTC"
    return "close of the session"


def _computed(metric: Metric, own: Mapping[str, Fact | None], end: date, kind: Kind) -> Fact | None:
    facts = [fact for fact in own.values() if fact is not None]
    currencies = {fact.currency for fact in facts if fact.currency}
    if len(facts) < len(own) or len(currencies) > 1:
        return None
    try:
        value = formula.value(metric.formula or "", {fact.metric: fact.value for fact in facts})
    except ZeroDivisionError:
        return None
    currency = next(iter(currencies), None) if metric.unit in ("currency", "per-share") else None
    return _from(metric, value, facts, (kind, end, f"computed: {metric.formula}", currency))


def _from(
    metric: Metric, value: float, facts: Sequence[Fact], of: tuple[Kind, date, str, str | None]
) -> Fact:
    """A fact of one period out of others."""
    kind, end, rule, currency = of
    starts = [fact.period_start for fact in facts if fact.period_start is not None and fact.period_end == end]
    filed: datetime = max(fact.filed_at for fact in facts)
    return Fact(
        f"{facts[0].entity}/{metric.slug}/{end}/{kind}",
        facts[0].entity,
        metric.slug,
        value,
        metric.unit,
        currency,
        starts[0] if starts else None,
        end,
        filed,
        max(fact.recorded_at for fact in facts),
        "; ".join(_sources(fact.source for fact in facts)),
        rule,
    )


def _sources(sources: Iterable[str]) -> Iterable[str]:
    """Each source once; those of computed facts are several already."""
    return dict.fromkeys(part for source in sources for part in source.split("; "))


def _growth(metric: Metric, kind: Kind, facts: Sequence[Fact]) -> list[Fact]:
    """Each against the one that ended a year before, within 20 days; none where that was not positive."""
    found = []
    for fact in facts:
        before = next((old for old in facts if abs(fact.period_end - YEAR - old.period_end) <= SAME), None)
        if before is not None and before.value > 0:
            rule = f"computed: {fact.metric} against the period ended {before.period_end}"
            found.append(
                _from(
                    metric, fact.value / before.value - 1, [fact, before], (kind, fact.period_end, rule, None)
                )
            )
    return found


def _filled(known: Figures, computed: Figures) -> Figures:
    """Filed facts, and computed ones for period ends without."""
    both: Figures = {}
    for kind in (*known, *(kind for kind in computed if kind not in known)):
        by_end = {fact.period_end: fact for fact in (*computed.get(kind, []), *known.get(kind, []))}
        both[kind] = [by_end[end] for end in sorted(by_end)]
    return both
