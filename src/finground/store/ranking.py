"""The first of many by a metric, worked out for those alone that can be among them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date

from sqlalchemy import func, select

from finground.catalog.metrics import Metric
from finground.records.bundle import Fact, Gap
from finground.records.request import Interval, Rank
from finground.store import schema
from finground.store.reading import MARKET, Reading, Take

AT_ONCE = 8  # companies worked out at once, beside as many as are asked
NAMED = 5  # companies without a place that are named, where they are no more


def rank(
    reading: Reading,
    rank: Rank,
    ids: Sequence[str],
    slugs: Sequence[str],
    interval: Interval | None,
    take: Take,
) -> None:
    """The first `n` by the metric, each with the other metrics asked; those without it have no place."""
    by = reading.catalog.metrics.by_slug(rank.by)
    if by.tags and by.frequency != "daily" and not by.formula:
        placed, main, bare = _leaders(reading, by, rank, set(ids), interval)
    else:
        ids = reading.known(ids)
        placed, main, bare = _all_of(reading, by, ids, interval)
    none = set(reading.known(list(bare)))
    take.add(
        Gap(fact.entity, by.name, f"in {fact.currency}, not {main}", fact)
        for fact in placed
        if fact.currency != main
    )
    take.add(_unplaced(reading, none, by, len(ids) - len(bare) + len(none)))
    placed = [fact for fact in placed if fact.currency == main]
    placed.sort(key=lambda fact: (-fact.value if rank.descending else fact.value, fact.entity))
    if not placed:
        take.gaps.append(Gap(MARKET, by.name, f"no company has it by {reading.as_of:%Y-%m-%d}"))
    take.add(placed[: rank.n])
    others = [slug for slug in slugs if slug != rank.by]
    reading.read_for([fact.entity for fact in placed[: rank.n]], others, interval)
    for fact in placed[: rank.n]:
        for slug in others:
            take.add(reading.facts_of(fact.entity, reading.catalog.metrics.by_slug(slug), interval, take))


def _all_of(
    reading: Reading, by: Metric, ids: Sequence[str], interval: Interval | None
) -> tuple[list[Fact], str | None, set[str]]:
    """The metric of each company; the currency most of them have it in; who has none."""
    reading.read_for(ids, [by.slug], interval)
    placed = _placed(reading, by, ids, interval)
    currencies = Counter(fact.currency for fact in placed)
    main = max(currencies, key=lambda one: (currencies[one], one or ""), default=None)
    return placed, main, set(ids) - {fact.entity for fact in placed}


def _placed(reading: Reading, by: Metric, ids: Iterable[str], interval: Interval | None) -> list[Fact]:
    found = (reading.facts_of(id, by, interval, Take())[-1:] for id in ids)
    return [fact for facts_of_one in found for fact in facts_of_one if isinstance(fact, Fact)]


def _leaders(
    reading: Reading, by: Metric, rank: Rank, ids: set[str], interval: Interval | None
) -> tuple[list[Fact], str | None, set[str]]:
    """The same, but only of the companies that can be among the first: in the order of what their values
    are bounded by, until no other bound reaches the last place.
    """
    first, last, _ = reading.window([by], interval)
    table = schema.metric_values.c
    bounds = (
        select(table.company, table.currency, func.max(table.value), func.min(table.value))
        .where(table.metric == by.slug, table.period_end.between(first, last or date.max))
        .where(table.filed_at <= reading.until)
        .group_by(table.company, table.currency)
    )
    rows = [row for row in reading.connection.execute(bounds) if row[0] in ids]
    currencies = Counter(row[1] for row in rows)
    main = max(currencies, key=lambda one: (currencies[one], one or ""), default=None)
    # a quarter may be a longer period less a shorter one, so it is at most the greatest less the least
    reach = {
        id: high - min(low, 0) if rank.descending else max(high, 0) - low
        for id, _, high, low in rows
    }  # fmt: skip
    order, placed = sorted(reach, key=lambda id: (-reach[id], id)), list[Fact]()
    sign = 1 if rank.descending else -1
    at_once = AT_ONCE + rank.n
    for start in range(0, len(order), at_once):
        some = order[start : start + at_once]
        best = sorted((sign * f.value for f in placed if f.currency == main), reverse=True)
        if len(best) >= rank.n and reach[some[0]] < best[rank.n - 1]:
            break
        reading.read_for(some, [by.slug], interval)
        placed += _placed(reading, by, some, interval)
    return placed, main, ids - set(reach)


def _unplaced(reading: Reading, ids: set[str], by: Metric, of: int) -> list[Gap]:
    """One gap for the companies that have no place in a ranking."""
    if not ids or len(ids) == of:
        return []
    names = sorted(reading.catalog.companies.by_id(id).name for id in ids)
    listed = f": {', '.join(names)}" if len(names) <= NAMED else ""
    why = f"{len(names)} of {of} companies have none for these dates by {reading.as_of:%Y-%m-%d}{listed}"
    return [Gap(MARKET, by.name, why)]
