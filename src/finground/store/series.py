"""Daily bars and flows of one entity, out of the rows known at `as_of`.

Of a revised day the last row recorded by then counts; of one that was recorded only later, as history is, the
first: a correction made after `as_of` is not known.
"""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Table, bindparam, select

from finground.records.bundle import Series
from finground.store import schema
from finground.store.driver import Made, fetched, ran

COLUMNS = {
    schema.bars.name: schema.BAR_COLUMNS,
    schema.quotes.name: schema.BAR_COLUMNS,
    schema.flows.name: schema.FLOW_COLUMNS,
}


@dataclass(frozen=True, slots=True)
class Window:
    """The sessions from `start` to `end`, both days included, and at least the `last` ones known; None is
    open.
    """

    start: date | None = None
    end: date | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Sessions:
    """A series, and when each of its rows was recorded, in seconds UTC."""

    series: Series
    recorded_at: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.series.times)

    def day(self, at: int) -> date:
        """The day of a session; New York closes on the same day UTC."""
        found: date = self.series.times[at].astype("datetime64[D]").item()
        return found

    def closed_at(self, at: int) -> datetime:
        """When a session closed."""
        return schema.moment(int(self.series.times[at].astype(np.int64)))

    def value(self, name: str, at: int) -> float:
        """A column's value; NaN where the source has none."""
        column = self.series.column(name)
        return float("nan") if column is None else float(column[at])


def sessions(
    connection: Connection, table: Table, entity: str, until: int, window: Window
) -> Sessions | None:
    """The sessions of the window that had closed by `until`, oldest first; None if there are none."""
    end = until if window.end is None else min(until, _midnight(window.end + timedelta(days=1)) - 1)
    earliest = 0 if window.start is None else _midnight(window.start)
    asked = {"entity": entity, "start": earliest if window.last is None else 0, "end": end}
    with closing(ran(connection, _between(table, window.last is not None), asked)) as cursor:
        if window.last is None:
            rows = cursor.fetchall()
        else:
            rows = _newest(cursor, window.last, None if window.start is None else earliest)
    return _sessions(connection, table, entity, _last_known(rows, until)) if rows else None


@cache
def _between(table: Table, newest_first: bool) -> Made:
    """The rows of an entity between two times; made once for each table and order."""
    closed, recorded = table.c.closed_at, table.c.recorded_at
    known = select(closed, recorded, *(table.c[name] for name in COLUMNS[table.name])).where(
        table.c.entity == bindparam("entity"), closed.between(bindparam("start"), bindparam("end"))
    )
    return lambda _: known.order_by(
        *((closed.desc(), recorded.desc()) if newest_first else (closed, recorded))
    )


@cache
def _told(table: Table) -> Made:
    """The currency and the source of one row."""
    key = (table.c[name] == bindparam(name) for name in ("entity", "closed_at", "recorded_at"))
    told = select(table.c.currency, table.c.source).where(*key)
    return lambda _: told


def _newest(rows: Iterable[Sequence[Any]], last: int, earliest: int | None) -> list[Sequence[Any]]:
    """Of rows that come newest first, those of the `last` times and all from `earliest` on, oldest first."""
    found: list[Sequence[Any]] = []
    times = 0
    for row in rows:
        if not found or found[-1][0] != row[0]:
            if times >= last and (earliest is None or row[0] < earliest):
                break
            times += 1
        found.append(row)
    return found[::-1]


def _last_known(rows: Sequence[Sequence[Any]], until: int) -> Sequence[Sequence[Any]]:
    """Of rows in the order of time and recording, one a time: the last recorded by then, else the first."""
    if len({row[0] for row in rows}) == len(rows):
        return rows
    kept: dict[int, Sequence[Any]] = {}
    for row in rows:
        if row[0] not in kept or row[1] <= until:
            kept[row[0]] = row
    return list(kept.values())


def joined(all_sessions: Iterable[Sessions | None]) -> tuple[Series, ...]:
    """The series of those that are there, each id once."""
    return tuple({found.series.id: found.series for found in all_sessions if found is not None}.values())


def within(found: Sessions, start: date) -> Sessions | None:
    """The sessions from a day on."""
    kept = found.series.times >= np.datetime64(start, "s")
    if not kept.any():
        return None
    columns = tuple(column[kept] for column in found.series.columns)
    series = replace(found.series, times=found.series.times[kept], columns=columns)
    return Sessions(
        replace(series, id=_id(series.entity, series.id.split("/")[1], series.times)), found.recorded_at[kept]
    )


def _sessions(connection: Connection, table: Table, entity: str, rows: Sequence[Sequence[Any]]) -> Sessions:
    closed, recorded, *columns = zip(*rows, strict=True)
    last = {"entity": entity, "closed_at": closed[-1], "recorded_at": recorded[-1]}
    ((currency, source),) = fetched(connection, _told(table), last)  # of every row they would take a quarter
    times = np.array(closed, dtype=np.int64).astype("datetime64[s]")
    arrays = tuple(np.array(values, dtype=np.float64) for values in columns)
    kind = table.name
    series = Series(_id(entity, kind, times), entity, COLUMNS[kind], times, arrays, currency, source)
    return Sessions(series, np.array(recorded, dtype=np.int64))


def _id(entity: str, kind: str, times: npt.NDArray[np.datetime64]) -> str:
    first, last = times[0].astype("datetime64[D]"), times[-1].astype("datetime64[D]")
    return f"{entity}/{kind}/{first}..{last}"


def _midnight(day: date) -> int:
    return schema.seconds(datetime(day.year, day.month, day.day, tzinfo=UTC))
