"""One read of the store at one moment: who an entity is, their figures and sessions, and what goes into the
bundle.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
from sqlalchemy import Connection, func, select

from finground.catalog.catalog import Catalog
from finground.catalog.metrics import Metric
from finground.records.bundle import Fact, Gap, Needs, Series
from finground.records.request import Entity, Interval
from finground.store import computed, facts, schema
from finground.store.chains import Reported
from finground.store.computed import Ledger
from finground.store.filed import filed
from finground.store.reader import with_data
from finground.store.series import Sessions, Window, sessions

MARKET = "market"
STALE = timedelta(days=10)  # a latest price older than that is no latest price
MOST = 10  # companies shown for peers, an industry or the market
MANY = 100  # of more, only the largest at a first look are weighed
TRADED = 60  # sessions over which traded value is averaged
SHARES, VALUE = "shares-outstanding", "market-capitalisation"
REACH = timedelta(days=500)  # how long before the dates asked figures are read: a year, and a report's delay
AGO = timedelta(days=366)  # more of it for growth against the year before
ONE_BEFORE = timedelta(days=130)  # before a quarter asked: the one that a longer period is lessened by
HALF = timedelta(days=61)  # a quarter of weeks that is half in the one asked ends so much later
BEYOND = timedelta(days=190)  # a fiscal year that covers half of a calendar year ends so much later


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
        self._rows: dict[str, dict[str, list[Reported]]] = {}
        self._ledgers: dict[str, Ledger] = {}

    # who -----------------------------------------------------------------------------------------

    def members(self, entity: Entity, take: Take, ranked: bool = False) -> list[str]:
        """Ids of the companies an entity stands for, as of then; a gap where there are none. For a ranking
        those of the whole market, whether they have data or not: it finds out.
        """
        if ranked and entity.kind == MARKET:
            return [company.id for company in self.catalog.companies.all]
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
        ids = ids if len(ids) <= MANY else self._roughly_largest(ids)
        self.read(ids, [SHARES])
        metric = self.catalog.metrics.by_slug(VALUE)

        def size(id: str) -> tuple[int, float]:
            bars = self.bars(id, Window(last=TRADED))
            if bars is None:
                return 0, 0.0
            value = computed.daily(metric, bars, None, self.ledger(id))
            return (1, _traded(bars)) if isinstance(value, str) else (2, value.value)

        return sorted(ids, key=size, reverse=True)[:MOST]

    def _roughly_largest(self, ids: Sequence[str]) -> list[str]:
        """A first look at many, in one statement: last close times shares, else times the day's volume."""
        company, bars, values = schema.companies.c, schema.bars.c, schema.metric_values.c

        def last(column: Any) -> Any:
            known = select(column).where(bars.entity == company.id, bars.closed_at <= self.until)
            return known.order_by(bars.closed_at.desc()).limit(1).scalar_subquery()

        filed = select(values.value).where(values.company == company.id, values.metric == SHARES)
        shares = filed.where(values.filed_at <= self.until).order_by(values.period_end.desc()).limit(1)
        value = last(bars.close) * shares.scalar_subquery()
        sizes = (func.coalesce(value, 0).desc(), func.coalesce(last(bars.close * bars.volume), 0).desc())
        largest = select(company.id).where(company.id.in_(ids)).order_by(*sizes, company.id).limit(MANY)
        return list(self.connection.scalars(largest))

    # what ----------------------------------------------------------------------------------------

    def read(
        self, ids: Sequence[str], slugs: Iterable[str], since: date | None = None, until: date | None = None,
        shown: date = date.min,
    ) -> None:  # fmt: skip
        """Figures of all companies and metrics, inputs of formulas included, in one statement; of periods
        that ended between the two days, where they are given; `shown` is from when they can be asked for.
        """
        metrics = self.catalog.metrics
        needed = [slug for slug in computed.inputs(slugs, metrics) if _is_stored(metrics.by_slug(slug))]
        for id in ids:
            self._rows.setdefault(id, {}).update((slug, []) for slug in needed)
            self._ledgers[id] = Ledger(self._rows[id], metrics, shown)
        ended = (since or date.min, until or date.max)
        for row in filed(self.connection, ids, needed, ended, self.until) if needed and ids else ():
            self._rows[row.company][row.metric].append(row)

    def read_for(self, ids: Sequence[str], slugs: Sequence[str], interval: Interval | None) -> None:
        """What the dates asked can need, in one statement."""
        self.read(ids, slugs, *self.window([self.catalog.metrics.by_slug(slug) for slug in slugs], interval))

    def window(self, metrics: Sequence[Metric], interval: Interval | None) -> tuple[date, date | None, date]:
        """The days on which the periods end that the dates asked can need, and from which they can be the
        answer.
        """
        first = interval.start if interval else self.as_of.date()
        if any(metric.slug in computed.GROWTH for metric in metrics):
            return first - REACH - AGO, interval.end + BEYOND if interval else None, date.min
        if interval is None or any(metric.frequency != "quarterly" for metric in metrics):
            return first - REACH, interval.end + BEYOND if interval else None, date.min
        days = (interval.end - interval.start).days
        if days > facts.QUARTER[-1]:
            return first - REACH, interval.end + BEYOND, date.min
        return first - ONE_BEFORE, interval.end + HALF, first

    def ledger(self, id: str) -> Ledger:
        """The figures read for a company."""
        return self._ledgers.get(id) or Ledger({}, self.catalog.metrics)

    def bars(self, id: str, window: Window) -> Sessions | None:
        """Sessions with prices."""
        return sessions(self.connection, schema.bars, id, self.until, window)

    def asked(self, ids: Sequence[str], slugs: Sequence[str], interval: Interval | None, take: Take) -> None:
        """What a request asks: of each company each metric, or a gap."""
        chosen = ids if len(ids) <= MOST else self.largest(ids)
        self.read_for(chosen, slugs, interval)
        metrics = [self.catalog.metrics.by_slug(slug) for slug in slugs]
        found = {(id, m.slug): self.facts_of(id, m, interval, take) for id in chosen for m in metrics}
        bare = [(id, m) for id in chosen for m in metrics if _lacks(m, found[id, m.slug])]
        if bare:  # once more, with all that is on file: a gap shows the nearest
            self.read(list(dict.fromkeys(id for id, _ in bare)), dict.fromkeys(m.slug for _, m in bare))
            found |= {(id, m.slug): self.facts_of(id, m, interval, take) for id, m in bare}
        for facts_of_one in found.values():
            take.add(facts_of_one)

    def facts_of(self, id: str, metric: Metric, interval: Interval | None, take: Take) -> list[Fact | Gap]:
        """Facts of one company and metric, over the interval or the latest, and the gap that is left."""
        if metric.frequency == "daily":
            return [self.daily(id, metric, interval, take)]
        ledger, today = self.ledger(id), self.as_of.date()
        known = ledger.of(metric.slug)
        if not any(known.values()):
            reason = (
                "not on file"
                if metric.tags or metric.formula or metric.slug in computed.GROWTH
                else "no source of it in the store"
            )
            return [Gap(id, metric.name, f"{reason} by {today}")]
        if interval is None:
            return list(facts.latest(metric, known, seen_on=today))
        if metric.frequency == "quarterly" and not metric.instant and facts.is_trailing(interval):
            known = {"year": ledger.trailing(metric.slug)}
        found, gap = facts.align(metric, known, interval, id, today)
        return [*found, *([gap] if gap else [])]

    def daily(self, id: str, metric: Metric, interval: Interval | None, take: Take) -> Fact | Gap:
        """A daily metric at the last session of the interval, whose series joins the bundle; or at the last
        one known. Where prices do not give it, a vendor's snapshot may.
        """
        what = metric.name if interval is None else f"{metric.name} of {interval.start} to {interval.end}"
        found = self._of_sessions(id, metric, interval, take)
        if isinstance(found, Fact):
            return found if interval or self._fresh(found) else Gap(id, what, self._stale(), found)
        told = self.ledger(id).vendor(metric.slug, interval.end if interval else self.as_of.date())
        if told is not None and (told.period_end >= interval.start if interval else self._fresh(told)):
            return told
        return Gap(id, what, found.why, found.nearest or told)

    def _of_sessions(self, id: str, metric: Metric, interval: Interval | None, take: Take) -> Fact | Gap:
        if not computed.is_daily(metric):
            return Gap(id, metric.name, "no source of it in the store")
        if interval is None:
            found, before = self.bars(id, Window(last=2)), None
            quoted = sessions(self.connection, schema.quotes, id, self.until, Window(last=1))
            if metric.slug in computed.BARS and quoted is not None and _later(quoted, found):
                found = quoted
        else:
            found = self.bars(id, Window(interval.start, interval.end))
            before = self.bars(id, Window(end=interval.start - timedelta(days=1), last=1))
            take.add_series(found)
        if found is None:
            near = None if before is None else computed.daily(metric, before, None, self.ledger(id))
            why = f"no session of it known by {self.as_of:%Y-%m-%d}"
            return Gap(id, metric.name, why, near if isinstance(near, Fact) else None)
        value = computed.daily(metric, found, before, self.ledger(id))
        return Gap(id, metric.name, value) if isinstance(value, str) else value

    def _fresh(self, fact: Fact) -> bool:
        """Whether a latest value is one: a price of weeks ago is not."""
        return self.as_of.date() - fact.period_end <= STALE

    def _stale(self) -> str:
        return f"no session within {STALE.days} days of {self.as_of:%Y-%m-%d}"

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


def _lacks(metric: Metric, found: Sequence[Fact | Gap]) -> bool:
    """Whether figures of other periods would tell more."""
    return metric.frequency != "daily" and any(isinstance(one, Gap) for one in found)


def _is_stored(metric: Metric) -> bool:
    """Whether its values may be on file: filed under a tag, or told by a vendor day by day."""
    return bool(metric.tags) or metric.frequency == "daily"


def _later(quoted: Sessions, found: Sessions | None) -> bool:
    """Whether a bar of minutes ended after the last session."""
    return found is None or quoted.closed_at(-1) > found.closed_at(-1)
