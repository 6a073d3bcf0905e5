"""Raw files into the live store: each file in one transaction, the same file never twice (case S6).

Files are read in a fixed order, companies first, so that an ingest killed anywhere and run again gives the
same store. A file of a layout we do not know is listed as skipped; a damaged one of a known layout is an
InputError, and nothing of it is written (case S7).
"""

import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Table, select, update

from finground.catalog.metrics import Metrics
from finground.core.artifact import digest
from finground.core.errors import InputError
from finground.core.log import progress
from finground.store import schema
from finground.store.reader import Store
from finground.store.sources import edgar, news, prices, tables
from finground.store.sources.known import Known
from finground.store.sources.rows import Aside, Batch, Read

log = logging.getLogger(__name__)
Embed = Callable[[list[str]], npt.NDArray[np.float32]]
CHUNK = 1024  # headlines embedded at once
LONGEST = 200  # characters embedded where there is a body; what a news item is about it says first

KINDS: tuple[tuple[str, str], ...] = (  # in the order they are read
    ("tickers", "sec/company_tickers.json*"),
    ("securities", "market/sp500_constituents*.csv*"),
    ("securities", "market/*securities*.csv*"),
    ("facts", "sec/companyfacts/*.json*"),
    ("price-archive", "market/*price*.tar.xz"),
    ("prices", "market/prices/*.csv*"),
    ("index", "market/index/*.csv*"),
    ("flows", "market/company-flows/*.csv*"),
    ("news", "news/*/*.jsonl*"),
)
ELSEWHERE = {
    "sec/10k-html/*": "a text for the corpus", "news/reuters21578/*": "a text for the corpus",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ingested:
    """sha256 of each file by path, new rows by table, files skipped with the reason, rows set aside by
    reason.
    """

    hashes: dict[str, str]
    rows: dict[str, int]
    skipped: dict[str, str]
    quarantined: dict[str, int]


def ingest(store: Store, raw: Path, *, now: datetime, metrics: Metrics, embed: Embed) -> Ingested:
    """Read what is new under `raw` into the store; `now` is noted as the time of recording.

    Raises:
        InputError: if the folder is missing or a file in it is damaged.
    """
    if not raw.is_dir():
        raise InputError(
            f"{raw} is not a folder; give one with sec/, market/ and news/ in it, as `finground fetch` writes"
        )
    files, skipped = _files(raw)
    if not files:
        raise InputError(
            f"{raw} has no file of a known layout; it should hold sec/, market/ or news/ (docs/data-card.md)"
        )
    hashes = {str(path.relative_to(raw)): digest(path) for _, path in files}
    known = _known(store, synthetic=(raw / "SYNTHETIC").exists())
    rows, aside = dict[str, int](), dict[str, int]()
    with store.reading() as connection:
        done = set(connection.scalars(select(schema.ingested.c.sha256)))
    for kind, path in progress(files, "ingest"):
        name = str(path.relative_to(raw))
        if hashes[name] not in done:
            done.add(hashes[name])
            writer = _Writer(name, hashes[name], kind, schema.seconds(now), embed, rows, aside)
            writer.write(store, _read(kind, path, known, metrics))
    log.info("ingest: %d files, new rows %s, set aside %s", len(files), rows, aside)
    return Ingested(hashes, rows, skipped, aside)


def _files(raw: Path) -> tuple[list[tuple[str, Path]], dict[str, str]]:
    """Files of known layouts in reading order, and the others with the reason why they are left."""
    files: list[tuple[str, Path]] = []
    skipped: dict[str, str] = {}
    walked = [walk for top in ("sec", "market", "news") for walk in os.walk(raw / top, followlinks=True)]
    found = sorted(Path(folder) / name for folder, _, names in walked for name in names if name[0] != ".")
    kinds = {path: _kind(str(path.relative_to(raw))) for path in found}
    for place in range(len(KINDS)):
        files += [(KINDS[place][0], path) for path in found if kinds[path] == place]
    index = [path for kind, path in files if kind == "index"]
    for path in index[1:]:
        files.remove(("index", path))
        skipped[str(path.relative_to(raw))] = f"one index is read, {index[0].name}"
    for path in (path for path in found if kinds[path] is None):
        name = str(path.relative_to(raw))
        skipped[name] = next(
            (why for form, why in ELSEWHERE.items() if fnmatch(name, form)), "no layout we read"
        )
    return files, skipped


def _kind(name: str) -> int | None:
    """The place in KINDS of a file's layout."""
    return next((place for place, (_, form) in enumerate(KINDS) if fnmatch(name, form)), None)


def _read(kind: str, path: Path, known: Known, metrics: Metrics) -> Iterator[Read]:
    if kind == "facts":
        return edgar.company_facts(path, known, metrics)
    readers: dict[str, Callable[[Path, Known], Iterator[Read]]] = {
        "tickers": tables.company_tickers,
        "securities": tables.securities,
        "price-archive": prices.price_archive,
        "prices": prices.price_file,
        "index": prices.index_file,
        "flows": prices.flow_file,
        "news": news.headlines,
    }
    return readers[kind](path, known)


def _known(store: Store, synthetic: bool) -> Known:
    """The companies and tickers of the store as it is."""
    with store.reading() as connection:
        stored = connection.execute(select(schema.companies.c.id, schema.companies.c.name))
        names = dict(stored.tuples().all())
        known = Known(synthetic, names)
        order = select(schema.tickers.c.ticker, schema.tickers.c.company).order_by("place", "company")
        for ticker, company in connection.execute(order):
            known.tickers.setdefault(ticker, company)
    return known


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes one file in one transaction; counts go into `rows` and `aside`."""

    path: str
    sha256: str
    kind: str
    recorded_at: int
    embed: Embed
    rows: dict[str, int]
    aside: dict[str, int]

    def write(self, store: Store, read: Iterator[Read]) -> None:
        """All of the file and the note that it was read, or nothing; nothing if another ingest was first."""
        counts, reasons = dict[str, int](), dict[str, int]()
        with store.engine.begin() as connection:
            note = {"sha256": self.sha256, "path": self.path, "kind": self.kind, "rows": 0}
            if not add(connection, schema.ingested, [{**note, "recorded_at": self.recorded_at}]):
                return
            for item in _gathered(read):
                if isinstance(item, Aside):
                    self._set_aside(connection, item)
                    reasons[item.reason] = reasons.get(item.reason, 0) + 1
                else:
                    counts[item.table.name] = counts.get(item.table.name, 0) + self._add(connection, item)
            total_rows = update(schema.ingested).where(schema.ingested.c.sha256 == self.sha256)
            connection.execute(total_rows.values(rows=sum(counts.values())))
        for total, new in ((self.rows, counts), (self.aside, reasons)):
            for key, count in new.items():
                total[key] = total.get(key, 0) + count

    def _add(self, connection: Connection, batch: Batch) -> int:
        fresh = _fresh(connection, batch)
        if batch.table is schema.news and fresh:
            self._embed(connection, fresh)
        if fresh and batch.table is schema.news_companies:
            return add(connection, batch.table, fresh)
        return add(connection, batch.table, [{**row, "recorded_at": self.recorded_at} for row in fresh])

    def _embed(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Vectors of new headlines, each text once; made before anything of the file is written."""
        texts = list(dict.fromkeys(text_of(row) for row in rows))
        starts = progress(range(0, len(texts), CHUNK), f"embedding {self.path}")
        made = [np.asarray(self.embed(texts[start : start + CHUNK]), dtype="<f4") for start in starts]
        vectors = dict(zip(texts, np.concatenate(made), strict=True))
        add(
            connection,
            schema.news_vectors,
            [{"news": r["id"], "vector": vectors[text_of(r)].tobytes()} for r in rows],
        )

    def _set_aside(self, connection: Connection, item: Aside) -> None:
        row = {"sha256": self.sha256, "place": item.place, "path": self.path, "reason": item.reason}
        add(
            connection, schema.quarantine, [{**row, "content": item.content, "recorded_at": self.recorded_at}]
        )


def text_of(row: Mapping[str, Any]) -> str:
    """What is embedded of a news item: the headline, and how the body begins."""
    return f"{row['headline']}. {row['body']}"[:LONGEST] if row["body"] else str(row["headline"])


def add(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert rows whose key is not there yet; returns how many were new."""
    if not rows:
        return 0
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as keep_insert
    else:
        from sqlalchemy.dialects.sqlite import insert as keep_insert  # type: ignore[assignment]  # same calls
    return connection.execute(keep_insert(table).on_conflict_do_nothing(), list(rows)).rowcount


def _gathered(read: Iterator[Read]) -> Iterator[Read]:
    """Small batches of one table joined, so that a file of thousands of names is not as many statements."""
    held: dict[str, tuple[Table, list[Mapping[str, Any]]]] = {}
    for item in read:
        if isinstance(item, Aside) or item.table in schema.KNOWN_AT:
            yield item
        else:
            held.setdefault(item.table.name, (item.table, []))[1].extend(item.rows)
    yield from (Batch(table, rows) for table, rows in held.values())


def _fresh(connection: Connection, batch: Batch) -> Sequence[Mapping[str, Any]]:
    """Rows the store does not have: for bars and flows, those whose values differ from the last recorded."""
    if batch.table is schema.news:
        held = set(connection.scalars(select(schema.news.c.id)))
        return [row for row in batch.rows if row["id"] not in held]
    if batch.table not in (schema.bars, schema.flows) or not batch.rows:
        return batch.rows
    columns = [column for column in batch.table.c if column.name not in ("recorded_at", "entity", "source")]
    entity = batch.rows[0]["entity"]
    stored = select(*columns).where(batch.table.c.entity == entity).order_by("closed_at", "recorded_at")
    last = {row.closed_at: tuple(row) for row in connection.execute(stored)}
    names = [column.name for column in columns]
    return [row for row in batch.rows if last.get(row["closed_at"]) != tuple(row[name] for name in names)]
