"""What of a file is new to the store, and can be believed: between reading a file and writing its rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select

from finground.store import schema
from finground.store.checks import AROUND, HISTORY, KEYS, far_off_figures, far_off_prices
from finground.store.sources import news
from finground.store.sources.rows import Aside, Batch, Read

AT_ONCE = 10_000  # ids asked for in one statement
SERIES = (schema.bars, schema.quotes, schema.flows)


def merged(connection: Connection, items: Sequence[Read]) -> list[Read]:
    """The items with headlines that the store has from the 24 hours before under the id it has them by."""
    rows = [
        row
        for item in items
        if isinstance(item, Batch) and item.table is schema.news
        for row in item.rows
    ]  # fmt: skip
    day = int(news.DAY.total_seconds())
    before = {
        row["id"]: news.identity(row["headline"], schema.moment(row["published_at"] - day)) for row in rows
    }
    held = _published(connection, list(before.values()))
    same = {
        row["id"]: id
        for row in rows
        if (id := before[row["id"]]) in held and 0 <= row["published_at"] - held[id] <= day
    }
    if not same:
        return list(items)
    return [item if isinstance(item, Aside) else _renamed(item, same) for item in items]


def _renamed(batch: Batch, same: Mapping[str, str]) -> Batch:
    if batch.table is schema.news:
        return Batch(batch.table, [row for row in batch.rows if row["id"] not in same])
    return Batch(batch.table, [{**row, "news": same.get(row["news"], row["news"])} for row in batch.rows])


def _published(connection: Connection, ids: Sequence[str]) -> dict[str, int]:
    """When the items of these ids that the store has were published."""
    held: dict[str, int] = {}
    table = schema.news.c
    for start in range(0, len(ids), AT_ONCE):
        known = select(table.id, table.published_at).where(table.id.in_(ids[start : start + AT_ONCE]))
        held |= dict(connection.execute(known).tuples().all())
    return held


def fresh(
    connection: Connection, batch: Batch
) -> tuple[Sequence[Mapping[str, Any]], list[tuple[Mapping[str, Any], str]]]:
    """Rows the store does not have (of bars and flows, those whose values differ from the last recorded), and
    those that are far off their own history, with the reason.
    """
    if not batch.rows:
        return batch.rows, []
    if batch.table is schema.news:
        held = _published(connection, [row["id"] for row in batch.rows])
        return [row for row in batch.rows if row["id"] not in held], []
    if batch.table is schema.metric_values:
        return _believed(batch.rows, far_off_figures(batch.rows, _figures_held(connection, batch.rows)))
    if batch.table not in SERIES:
        return batch.rows, []
    columns = [column for column in batch.table.c if column.name not in ("recorded_at", "entity", "source")]
    entity, first = batch.rows[0]["entity"], min(row["closed_at"] for row in batch.rows)
    of_entity = select(*columns).where(batch.table.c.entity == entity)
    stored = of_entity.where(batch.table.c.closed_at >= first).order_by("closed_at", "recorded_at")
    last = {row.closed_at: tuple(row) for row in connection.execute(stored)}
    names = [column.name for column in columns]
    new = [row for row in batch.rows if last.get(row["closed_at"]) != tuple(row[name] for name in names)]
    if batch.table is schema.flows:
        return new, []
    before = of_entity.where(batch.table.c.closed_at < first).order_by(batch.table.c.closed_at.desc())
    around = [dict(row) for row in connection.execute(before.limit(AROUND)).mappings()][::-1]
    return _believed(new, far_off_prices(new, around))


def _believed(
    rows: Sequence[Mapping[str, Any]], off: Mapping[int, str]
) -> tuple[Sequence[Mapping[str, Any]], list[tuple[Mapping[str, Any], str]]]:
    if not off:
        return rows, []
    return [row for at, row in enumerate(rows) if at not in off], [(rows[at], why) for at, why in off.items()]


def _figures_held(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> Sequence[Sequence[Any]]:
    """What the store has of the companies and metrics of these rows from the time around, to compare with."""
    table, companies = schema.metric_values.c, list({row["company"] for row in rows})
    ends = [row["period_end"] for row in rows]
    known = select(*(table[name] for name in KEYS)).where(
        table.company.in_(companies), table.metric.in_({row["metric"] for row in rows}),
        table.period_end.between(min(ends) - HISTORY, max(ends) + HISTORY),
    )  # fmt: skip
    return connection.execute(known).tuples().all()
