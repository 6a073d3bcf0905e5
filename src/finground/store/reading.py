"""One read of the store at one moment: who an entity is, their figures and sessions, and what goes into the
bundle.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

import numpy as np
from sqlalchemy import Connection, select

from finground.catalog.catalog import Catalog
from finground.catalog.metrics import Metric
from finground.records.bundle import Fact, Gap, Needs, Series
from finground.records.request import Entity, Interval, Rank
from finground.store import computed, facts, schema
from finground.store.computed import Ledger
from finground.store.facts import Reported
from finground.store.reader import with_data
from finground.store.series import Sessions, Window, sessions

MARKET = "market"
STALE = timedelta(days=10)  # a latest price older than that is no latest price
MOST = 10  # companies shown for peers, an industry or the market
TRADED = 60  # sessions over which traded value is averaged
SHARES, VALUE = "shares-outstanding", "market-capitalisation"
REACH = timedelta(days=900)  # how long before the dates asked a ranking reads figures, growth included


@dataclass(slots=True)
class Take:
    """What has been found so far, by id, and the gaps."""

    gaps: list[Gap] = field(default_factory=list)
    facts: dict[str, Fact] = field(default_factory=dict)
    series: dict[str, Series] = field(default_factory=dict)

    def add(self, found: Iterable[Fact | Gap]) -> None:
        """Keep facts once, in the order they came, and gaps."""
        for one in found:
            if isinstance(one, Gap):
                self.gaps.append(one)
            else:
                self.facts.setdefault(one.id, one)

    def add_series(self, found: Sessions | None) -> None:
        """Keep a series, if there is one."""
        if found is not None:
            self.series.setdefault(found.series.id, found.series)


class Reading:
    """Reads over one connection; nothing it returns was unknown at `as_of`."""

    def __init__(self, connection: Connection, catalog: Catalog, as_of: datetime) -> None:
        self.connection = connection
        self.catalog = catalog
        self.as_of = as_of
        self.until = schema.seconds(as_of)
        self._ledgers: dict[str, Ledger] = {}

    # who -----------------------------------------------------------------------------------------

    def members(self, entity: Entity, take: Take) -> list[str]:
        """Ids of the companies an entity stands for, as of then; a gap where there are none."""
        if entity.kind == "company":
            return [self.catalog.companies.by_id(entity.id).id]
        if entity.kind == "peers":
            found = self.peers(entity.id)
        elif entity.kind == "industry":
            found = self.known([company.id for company in self.catalog.companies.in_industry(entity.id)])
        else:
            found = self.known(None)
        if not found:
            take.gaps.append(
                Gap(entity.id, entity.name, f"no company of it has data by {self.as_of:%Y-%m-%d}")
            )
        return found

    def peers(self, company: str) -> list[str]:
        """At most 10 other companies of the same industry, the largest first."""
        industry = self.catalog.companies.by_id(company).industry
        if not industry:
            return []
        alike = [
            one.id for one in self.catalog.companies.all if one.industry == industry and one.id != company
        ]
        return self.largest(self.known(alike))

    def known(self, ids: Sequence[str] | None) -> list[str]:
        """Those with a figure or a bar by then, of `ids` or of all."""
        return with_data(self.connection, ids, self.until)

    def largest(self, ids: Sequence[str]) -> list[str]:
        """The 10 largest: by market value, then those without one by the value traded in 60 sessions."""
        self.read(ids, [SHARES])
        metric = self.catalog.metrics.by_slug(VALUE)

        def size(id: str) -> tuple[int, float]:
            bars = self.bars(id, Window(last=TRADED))
            if bars is None:
                return 0, 0.0
            value = computed.daily(metric, bars, None, self.ledger(id))
            return (1, _traded(bars)) if isinstance(value, str) else (2, value.value)

        return sorted(ids, key=size, reverse=True)[:MOST]

    # what ----------------------------------------------------------------------------------------

    def read(self, ids: Sequence[str], slugs: Iterable[str], since: date | None = None) -> None:
        """Figures of all companies and metrics, inputs of formulas included, in one statement."""
        metrics = self.catalog.metrics
        needed = [slug for slug in computed.inputs(slugs, metrics) if metrics.by_slug(slug).tags]
        table = schema.metric_values.c
        columns = [table[name] for name in Reported.__dataclass_fields__]
        known = select(*columns).where(
            table.company.in_(ids), table.metric.in_(needed), table.filed_at <= self.until
        )
        if since is not None:
            known = known.where(table.period_end >= since)
        rows: dict[str, dict[str, list[Reported]]] = {id: {} for id in ids}
        for row in self.connection.execute(known) if needed and ids else ():
            rows[row[0]].setdefault(row[1], []).append(Reported(*row))
        self._ledgers |= {id: Ledger(own, metrics) for id, own in rows.items()}

    def ledger(self, id: str) -> Ledger:
        """The figures read for a company."""
        return self._ledgers.get(id) or Ledger({}, self.catalog.metrics)

    def bars(self, id: str, window: Window) -> Sessions | None:
        """Sessions with prices."""
        return sessions(self.connection, schema.bars, id, self.until, window)

    def asked(self, ids: Sequence[str], slugs: Sequence[str], interval: Interval | None, take: Take) -> None:
        """What a request asks: of each company each metric, or a gap."""
        chosen = ids if len(ids) <= MOST else self.largest(ids)
        self.read(chosen, slugs)
        for id in chosen:
            for slug in slugs:
                take.add(self.facts_of(id, self.catalog.metrics.by_slug(slug), interval, take))

    def facts_of(self, id: str, metric: Metric, interval: Interval | None, take: Take) -> list[Fact | Gap]:
        """Facts of one company and metric, over the interval or the latest, and the gap that is left."""
        if metric.frequency == "daily":
            return [self.daily(id, metric, interval, take)]
        known, today = self.ledger(id).of(metric.slug), self.as_of.date()
        if not any(known.values()):
            reason = (
                "not on file"
                if metric.tags or metric.formula or metric.slug in computed.GROWTH
                else "no source of it in the store"
            )
            return [Gap(id, metric.name, f"{reason} by {today}")]
        if interval is None:
            return list(facts.latest(metric, known))
        found, gap = facts.align(metric, known, interval, id, today)
        return [*found, *([gap] if gap else [])]

    def daily(self, id: str, metric: Metric, interval: Interval | None, take: Take) -> Fact | Gap:
        """A daily metric at the last session of the interval, whose series joins the bundle; or at the last
        one known.
        """
        if not computed.is_daily(metric):
            return Gap(id, metric.name, "no source of it in the store")
        if interval is None:
            found, before = self.bars(id, Window(last=2)), None
        else:
            found = self.bars(id, Window(interval.start, interval.end))
            before = self.bars(id, Window(end=interval.start - timedelta(days=1), last=1))
            take.add_series(found)
        what = metric.name if interval is None else f"{metric.name} of {interval.start} to {interval.end}"
        if found is None:
            near = None if before is None else computed.daily(metric, before, None, self.ledger(id))
            why = f"no session of it known by {self.as_of:%Y-%m-%d}"
            return Gap(id, what, why, near if isinstance(near, Fact) else None)
        value = computed.daily(metric, found, before, self.ledger(id))
        if (
            isinstance(value, Fact)
            and interval is None
            and self.as_of - found.closed_at(len(found) - 1) > STALE
        ):
            return Gap(id, what, f"no session within {STALE.days} days of {self.as_of:%Y-%m-%d}", value)
        return Gap(id, what, value) if isinstance(value, str) else value

    def rank(
        self, rank: Rank, ids: Sequence[str], slugs: Sequence[str], interval: Interval | None, take: Take
    ) -> None:
        """The first `n` by the metric, each with the other metrics asked; those without it have no place."""
        by = self.catalog.metrics.by_slug(rank.by)
        first = interval.start if interval else self.as_of.date()
        self.read(ids, dict.fromkeys([rank.by, *slugs]), first - REACH)
        placed = [
            fact
            for id in ids
            for fact in self.facts_of(id, by, interval, Take())[-1:]
            if isinstance(fact, Fact)
        ]
        currencies = [fact.currency for fact in placed]
        main = max(currencies, key=lambda one: (currencies.count(one), one or ""), default=None)
        take.add(
            Gap(fact.entity, by.name, f"in {fact.currency}, not {main}", fact)
            for fact in placed
            if fact.currency != main
        )
        take.add(self._unplaced(set(ids) - {fact.entity for fact in placed}, by, len(ids)))
        placed = [fact for fact in placed if fact.currency == main]
        placed.sort(key=lambda fact: (-fact.value if rank.descending else fact.value, fact.entity))
        if not placed:
            take.gaps.append(Gap(MARKET, by.name, f"no company has it by {self.as_of:%Y-%m-%d}"))
        take.add(placed[: rank.n])
        for fact in placed[: rank.n]:
            for slug in slugs:
                if slug != rank.by:
                    take.add(self.facts_of(fact.entity, self.catalog.metrics.by_slug(slug), interval, take))

    def _unplaced(self, ids: set[str], by: Metric, of: int) -> list[Gap]:
        """One gap for the companies that have no place in a ranking."""
        if not ids or len(ids) == of:
            return []
        names = sorted(self.catalog.companies.by_id(id).name for id in ids)
        listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        why = f"{len(names)} of {of} companies have none for these dates by {self.as_of:%Y-%m-%d}: {listed}"
        return [Gap(MARKET, by.name, why)]

    def index(self, take: Take, last: int | None, interval: Interval | None) -> None:
        """Sessions of the index: the `last` ones, and those of the interval."""
        window = Window(
            interval.start if interval else None, interval.end if interval and last is None else None, last
        )
        found = self.bars(MARKET, window)
        if found is None:
            take.gaps.append(Gap(MARKET, "index", f"no index level known by {self.as_of:%Y-%m-%d}"))
        take.add_series(found)

    def needed(self, needs: Mapping[str, Needs], interval: Interval | None, take: Take) -> None:
        """What tools need; what is missing they say themselves."""
        every: dict[str, Needs] = dict(needs)
        for id, need in needs.items():
            if need.peers:
                every |= {peer: need for peer in self.peers(id) if peer not in every}
            if need.index:
                self.index(take, max(need.bars, 1), interval)
        by_metrics: dict[tuple[str, ...], list[str]] = {}
        for id, need in every.items():
            by_metrics.setdefault(need.metrics, []).append(id)
        for slugs, ids in by_metrics.items():
            self.read(ids, slugs)
        for id, need in every.items():
            self._need(id, need, needs, interval, take)

    def _need(
        self, id: str, need: Needs, own: Mapping[str, Needs], interval: Interval | None, take: Take
    ) -> None:
        for slug in need.metrics:
            metric = self.catalog.metrics.by_slug(slug)
            if metric.frequency != "daily" and need.quarters:
                take.add(facts.latest(metric, self.ledger(id).of(slug), need.quarters))
        window = Window(interval.start if interval else None, None, need.bars)
        if need.bars:
            take.add_series(self.bars(id, window))
        if need.flows and id in own:
            take.add_series(sessions(self.connection, schema.flows, id, self.until, window))


def _traded(bars: Sessions) -> float:
    """Mean value traded a session, in the currency of the bars."""
    close, volume = bars.series.column("close"), bars.series.column("volume")
    return float(np.nan_to_num(close * volume).mean()) if close is not None and volume is not None else 0.0
