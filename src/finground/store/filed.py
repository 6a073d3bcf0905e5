"""Rows of figures of many companies and metrics that were known at a moment, in one statement."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from sqlalchemy import Connection, Select, bindparam, literal_column, select

from finground.store import schema
from finground.store.chains import Reported
from finground.store.driver import fetched, one_of

VALUES = schema.metric_values.c
START, END = (Reported._fields.index(name) for name in ("period_start", "period_end"))


def filed(
    connection: Connection, ids: Sequence[str], slugs: Sequence[str], ended: tuple[date, date], as_of: int
) -> Iterator[Reported]:
    """What was filed by `as_of`, in seconds UTC, of the periods that ended between the two days."""
    asked = {"ids": ids, "slugs": slugs, "since": ended[0], "until": ended[1], "as_of": as_of}
    rows = fetched(connection, _known, asked)
    return _dated(rows) if rows and isinstance(rows[0][START], str) else map(Reported._make, rows)


def _known(dialect: str) -> Select[Any]:
    """By the key alone: hidden in a sum, the day of filing leads no planner to the index of rankings, which
    PostgreSQL would take, in twice the time.
    """
    return select(*(VALUES[name] for name in Reported._fields)).where(
        one_of(dialect, VALUES.company, "ids"),
        one_of(dialect, VALUES.metric, "slugs"),
        VALUES.period_end.between(bindparam("since"), bindparam("until")),
        VALUES.filed_at + literal_column("0") <= bindparam("as_of"),
    )


def _dated(rows: Sequence[Sequence[Any]]) -> Iterator[Reported]:
    """Rows of SQLite, which keeps days as text."""
    for row in rows:
        dated = list(row)
        dated[START], dated[END] = date.fromisoformat(row[START]), date.fromisoformat(row[END])
        yield Reported._make(dated)
