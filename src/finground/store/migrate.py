"""A store of an older schema version brought to this one, step by step, in one transaction.

The steps are constant statements that SQLite and PostgreSQL both take; rows keep all their times. What a step
cannot do in SQL stands beside it as a function.
"""

import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sqlalchemy import Connection, LargeBinary, column, delete, select, table

from finground.core.errors import InputError
from finground.store import schema
from finground.store.reader import Store
from finground.store.vectors import Vectors, check_width

log = logging.getLogger(__name__)
ROWS = 10_000
STEPS: dict[int, tuple[str, ...]] = {
    1: (
        "ALTER TABLE metric_values ADD COLUMN scale FLOAT NOT NULL DEFAULT 1",
        "DROP INDEX metric_values_by_metric",
        "ALTER TABLE news_companies ADD COLUMN place INTEGER",
    ),
}
AFTER: dict[int, tuple[str, ...]] = {1: ("DROP TABLE news_vectors",)}


def migrate(place: Path | str) -> tuple[int, int]:
    """Bring a store to this version; the versions before and after.

    Raises:
        InputError: if there is no store, or one of a version that no step leads on from.
    """
    with Store.unchecked(place) as store:
        with store.reading() as connection:
            before = connection.scalar(select(schema.store_schema.c.version)) or 0
        if before > schema.VERSION or any(step not in STEPS for step in range(before, schema.VERSION)):
            raise InputError(
                f"{place} has schema version {before}, and no step leads from it to {schema.VERSION}; "
                "ingest the raw files into a new store"
            )
        with store.writing() as connection:
            for version in range(before, schema.VERSION):
                _step(connection, version, store.vectors)
            connection.execute(delete(schema.store_schema))
            connection.execute(schema.store_schema.insert(), [{"version": schema.VERSION}])
    log.info("store %s: schema version %d to %d", place, before, schema.VERSION)
    return before, schema.VERSION


def _step(connection: Connection, version: int, vectors: Vectors) -> None:
    for statement in STEPS[version]:
        connection.exec_driver_sql(statement)
    schema.METADATA.create_all(connection)
    for of_table in schema.METADATA.tables.values():
        for index in of_table.indexes:
            index.create(connection, checkfirst=True)
    if version in MOVES:
        MOVES[version](connection, vectors)
    for statement in AFTER[version]:
        connection.exec_driver_sql(statement)


def _vectors_out_of_the_table(connection: Connection, vectors: Vectors) -> None:
    """Version 1 kept vectors as blobs: they go to the backend, and links learn their places."""
    blobs = table("news_vectors", column("news"), column("vector", LargeBinary))
    news, links = schema.news.c, schema.news_companies
    stored = select(news.id, news.published_at, news.source, news.headline, blobs.c.vector)
    joined = stored.join_from(schema.news, blobs, blobs.c.news == news.id).order_by(
        news.published_at, news.id
    )
    kept = connection.execute(joined).mappings().all()
    for start in range(0, len(kept), ROWS):
        rows = [dict(row) for row in kept[start : start + ROWS]]
        matrix = np.stack([np.frombuffer(row["vector"], dtype="<f4") for row in rows])
        check_width(connection, matrix.shape[1], 0)
        vectors.add(connection, rows, matrix)
    held = [dict(row) for row in connection.execute(select(links)).mappings()]
    if held:
        connection.execute(delete(links))
        connection.execute(links.insert(), vectors.links(connection, held))


MOVES: dict[int, Callable[[Connection, Vectors], None]] = {1: _vectors_out_of_the_table}
