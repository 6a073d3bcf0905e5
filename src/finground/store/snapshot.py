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
from finground.store.reader import Store
from finground.store.vectors import check_width
from finground.store.write import add

ROWS = 5000  # copied at once
VECTORS = "news_vectors"
# what the live store notes of its own work, and where its vectors lie
LEFT = (
    schema.store_schema, schema.ingested, schema.quarantine, schema.news_places, schema.vector_space,
)  # fmt: skip


def snapshot(store: Store, folder: Path, *, as_of: datetime) -> dict[str, Any]:
    """Write `folder`/store.db, its vectors and a manifest; returns rows by table and the dump's sha256."""
    about: dict[str, Any] = {"as_of": as_of.isoformat(), "schema_version": schema.VERSION}
    with whole_folder(folder, about) as out:
        about |= _freeze(store, out / "store.db", as_of)
    return {**about["rows"], "dump_sha256": about["dump_sha256"]}


def _freeze(store: Store, place: Path, as_of: datetime) -> dict[str, Any]:
    """Copy what was known into a new store; rows by table and the digest of its dump."""
    with Store.open(place, create=True) as frozen:
        with store.reading() as live, frozen.engine.begin() as into:
            rows = {table.name: _copy(table, store, live, frozen, into, as_of) for table in _tables()}
        rows[VECTORS] = rows[schema.news.name]
        return {"rows": rows, "dump_sha256": dump_digest(frozen)}


def dump(store: Store) -> Iterator[str]:
    """Every row of what the store knows, in the order of keys, one a line; vectors as their sha256."""
    with store.reading() as connection:
        for table in _tables():
            columns = [column for column in table.c if column.name != "place" or table is schema.companies]
            for row in connection.execute(select(*columns).order_by(*table.primary_key.columns)):
                yield f"{table.name} {[_text(value) for value in row]}"
        ids = connection.scalars(select(schema.news.c.id).order_by(schema.news.c.id)).all()
        for start in range(0, len(ids), ROWS):
            some = ids[start : start + ROWS]
            for id, vector in zip(some, store.vectors.of(connection, some), strict=True):
                yield f"{VECTORS} {[id, hashlib.sha256(vector.tobytes()).hexdigest()]}"


def dump_digest(store: Store) -> str:
    """sha256 of the dump: the same for two stores that know the same."""
    hashed = hashlib.sha256()
    for line in dump(store):
        hashed.update(line.encode() + b"\n")
    return hashed.hexdigest()


def _tables() -> list[Table]:
    return [table for table in schema.METADATA.sorted_tables if table not in LEFT]


def _copy(
    table: Table, store: Store, live: Connection, frozen: Store, into: Connection, as_of: datetime
) -> int:
    """The known rows of a table; with news go their vectors, with links the places of these."""
    count = 0
    with live.execute(_known(table, schema.seconds(as_of))) as rows:
        for some in rows.mappings().partitions(ROWS):
            copied = [_recorded(dict(row), as_of) for row in some]
            if table is schema.news_companies:
                copied = [dict(row) for row in frozen.vectors.links(into, copied)]
            count += add(into, table, copied)
            if table is schema.news:
                vectors = store.vectors.of(live, [row["id"] for row in copied])
                check_width(into, vectors.shape[1], schema.seconds(as_of))
                frozen.vectors.add(into, copied, vectors)
    return count


def _recorded(row: dict[str, Any], as_of: datetime) -> dict[str, Any]:
    """A frozen row is recorded at `as_of`: reading a file again later makes no other snapshot."""
    return {**row, "recorded_at": schema.seconds(as_of)} if "recorded_at" in row else row


def _known(table: Table, until: int) -> Select[Any]:
    """The rows of a table known by then, in the order of keys."""
    rows = select(table).order_by(*table.primary_key.columns)
    if table in schema.KNOWN_AT:
        return rows.where(table.c[schema.KNOWN_AT[table]] <= until)
    return rows


def _text(value: object) -> object:
    return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else str(value)
