"""Statements that are compiled once and run by the driver itself, with values by place.

What SQLAlchemy does for each execution takes as long as SQLite's answer. So the statements asked most often
are made and compiled by it once, with a list of any length as one value, and rows come as tuples.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Dialect, Select, Text, any_, bindparam, func, select
from sqlalchemy.dialects.postgresql import ARRAY

Made = Callable[[str], Select[Any]]  # of a dialect's name


def fetched(connection: Connection, made: Made, asked: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The rows of a statement for the values asked, by their names; days are text where SQLite keeps them."""
    return list(ran(connection, made, asked).fetchall())


def ran(connection: Connection, made: Made, asked: Mapping[str, Any]) -> Any:
    """The driver's cursor over the same rows, for whoever may not want all of them."""
    dialect: Any = type(connection.dialect)
    text, places = _compiled(made, dialect)
    values = [asked.get(name, constant) for name, constant in places]
    if connection.dialect.name == "sqlite":
        values = [_kept(value) for value in values]
    cursor = connection.connection.cursor()
    cursor.execute(text, values)
    return cursor


def one_of(dialect: str, column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Whether a column is one of a list of texts (numbers too on SQLite), a single value of the statement."""
    if dialect == "postgresql":
        return column == any_(bindparam(name, type_=ARRAY(Text)))
    return column.in_(select(func.json_each(bindparam(name)).table_valued("value").c.value))


def positional(dialect: Dialect) -> Dialect:
    """The dialect with values by place: `?`, or `%s` of psycopg."""
    made: Any = type(dialect)
    found: Dialect = made(paramstyle="qmark" if dialect.name == "sqlite" else "format")
    return found


@cache
def _compiled(made: Made, dialect: Any) -> tuple[str, Sequence[tuple[str, Any]]]:
    """The text of a statement, and for each of its places a name and what stands there if it is not asked."""
    statement = made(dialect.name)
    compiled = statement.compile(dialect=positional(dialect()))
    return str(compiled), [(name, compiled.params[name]) for name in compiled.positiontup or ()]


def _kept(value: Any) -> Any:
    """A value as SQLite takes it."""
    if isinstance(value, date):
        return value.isoformat()
    return value if isinstance(value, (int, str)) else msgspec.json.encode(value).decode()
