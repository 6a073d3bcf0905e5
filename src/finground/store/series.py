"""Daily bars and flows of one entity, out of the rows known at `as_of`.

Of a revised day the last row recorded by then counts; of one that was recorded only later, as history is, the
first: a correction made after `as_of` is not known.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Table, select

from finground.records.bundle import Series
from finground.store import schema

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
    names = COLUMNS[table.name]
    closed = table.c.closed_at
    columns = (
        closed,
        table.c.recorded_at,
        table.c.currency,
        table.c.source,
        *(table.c[name] for name in names),
    )
    known = select(*columns).where(table.c.entity == entity, closed <= until)
    if window.end is not None:
        known = known.where(closed < _midnight(window.end + timedelta(days=1)))
    if window.start is not None and window.last is None:
        known = known.where(closed >= _midnight(window.start))
    rows: dict[int, Sequence[Any]] = {}
    earliest = None if window.start is None else _midnight(window.start)
    with connection.execute(known.order_by(closed.desc(), table.c.recorded_at.desc())) as result:
        for row in result:
            enough = window.last is not None and len(rows) >= window.last
            if row[0] not in rows and enough and (earliest is None or row[0] < earliest):
                break
            if row[0] not in rows or rows[row[0]][1] > until:
                rows[row[0]] = row
    return _sessions(entity, table.name, names, list(reversed(rows.values()))) if rows else None


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


def _sessions(entity: str, kind: str, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Sessions:
    by_column = list(zip(*rows, strict=True))
    times = np.array(by_column[0], dtype="datetime64[s]")
    columns = tuple(np.array(values, dtype=np.float64) for values in by_column[4:])
    series = Series(
        _id(entity, kind, times),
        entity,
        tuple(names),
        times,
        columns,
        str(by_column[2][-1]),
        str(by_column[3][-1]),
    )
    return Sessions(series, np.array(by_column[1], dtype=np.int64))


def _id(entity: str, kind: str, times: npt.NDArray[np.datetime64]) -> str:
    days = times.astype("datetime64[D]")
    return f"{entity}/{kind}/{days[0]}..{days[-1]}"


def _midnight(day: date) -> int:
    return schema.seconds(datetime(day.year, day.month, day.day, tzinfo=UTC))
