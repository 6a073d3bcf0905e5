"""A frozen store of what was known at `as_of`, and the canonical dump by which two stores are compared.

The folder is written whole or not at all; its manifest holds the sha256 of the dump. What the live store
notes about its own work (files read, rows set aside) stays there.
"""

import hashlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Select, Table, select

from finground.core.artifact import whole_folder
from finground.store import schema
from finground.store.ingest import add
from finground.store.reader import Store

ROWS = 5000  # copied at once
LEFT = (schema.store_schema, schema.ingested, schema.quarantine)


def snapshot(store: Store, folder: Path, *, as_of: datetime) -> dict[str, Any]:
    """Write `folder`/store.db with a manifest; returns rows by table and the sha256 of the dump."""
    about: dict[str, Any] = {"as_of": as_of.isoformat(), "schema_version": schema.VERSION}
    with whole_folder(folder, about) as out:
        about |= _freeze(store, f"sqlite+pysqlite:///{out / 'store.db'}", as_of)
    return {**about["rows"], "dump_sha256": about["dump_sha256"]}


def _freeze(store: Store, url: str, as_of: datetime) -> dict[str, Any]:
    """Copy what was known into a new store; rows by table and the digest of its dump."""
    with Store.open(url, create=True) as frozen:
        with store.reading() as live, frozen.engine.begin() as into:
            rows = {table.name: _copy(table, live, into, as_of) for table in _tables()}
        return {"rows": rows, "dump_sha256": dump_digest(frozen)}


def dump(store: Store) -> Iterator[str]:
    """Every row of what the store knows, in the order of keys, one a line; vectors as their sha256."""
    with store.reading() as connection:
        for table in _tables():
            for row in connection.execute(select(table).order_by(*table.primary_key.columns)):
                yield f"{table.name} {[_text(value) for value in row]}"


def dump_digest(store: Store) -> str:
    """sha256 of the dump: the same for two stores that know the same."""
    hashed = hashlib.sha256()
    for line in dump(store):
        hashed.update(line.encode() + b"\n")
    return hashed.hexdigest()


def _tables() -> list[Table]:
    return [table for table in schema.METADATA.sorted_tables if table not in LEFT]


def _copy(table: Table, live: Connection, into: Connection, as_of: datetime) -> int:
    count = 0
    with live.execute(_known(table, schema.seconds(as_of))) as rows:
        for some in rows.mappings().partitions(ROWS):
            count += add(into, table, [_recorded(dict(row), as_of) for row in some])
    return count


def _recorded(row: dict[str, Any], as_of: datetime) -> dict[str, Any]:
    """A frozen row is recorded at `as_of`: reading a file again later makes no other snapshot."""
    return {**row, "recorded_at": schema.seconds(as_of)} if "recorded_at" in row else row


def _known(table: Table, until: int) -> Select[Any]:
    """The rows of a table known by then, in the order of keys."""
    rows = select(table).order_by(*table.primary_key.columns)
    if table in schema.KNOWN_AT:
        return rows.where(table.c[schema.KNOWN_AT[table]] <= until)
    if table is schema.news_vectors:
        known = select(schema.news.c.id).where(schema.news.c.published_at <= until)
        return rows.where(table.c.news.in_(known))
    return rows


def _text(value: object) -> object:
    return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else str(value)
