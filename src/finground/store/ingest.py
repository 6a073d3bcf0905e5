"""Raw files into the live store: each file whole or not at all, the same file never twice (case S6).

Files are read in a fixed order, companies first, so that an ingest killed anywhere and run again gives the
same store. A file of a layout we do not know is listed as skipped; a damaged one of a known layout is an
InputError, and nothing of it is written (case S7).
"""

import hashlib
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
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
from finground.store.fresh import fresh, merged
from finground.store.reader import Store
from finground.store.sources import edgar, figures, news, prices, snapshots, tables
from finground.store.sources.known import Known
from finground.store.sources.rows import Aside, Batch, Read
from finground.store.vectors import Array, check_width
from finground.store.write import add

log = logging.getLogger(__name__)
Embed = Callable[[list[str]], npt.NDArray[np.float32]]
CHUNK = 1024  # headlines embedded at once
LONGEST = 200  # characters embedded where there is a body; what a news item is about it says first

KINDS: tuple[tuple[str, str], ...] = (  # in the order they are read
    ("tickers", "sec/company_tickers.json*"),
    ("submissions", "sec/submissions/*.json*"),
    ("securities", "market/sp500_constituents*.csv*"),
    ("securities", "market/*securities*.csv*"),
    ("facts", "sec/companyfacts/*.json*"),
    ("figures", "market/figures/*.csv*"),
    ("snapshots", "market/snapshots*/*.csv*"),
    ("price-archive", "market/*price*.tar.xz"),
    ("prices", "market/prices/*.csv*"),
    ("quotes", "market/quotes/*.csv*"),
    ("index", "market/index/*.csv*"),
    ("flows", "market/company-flows/*.csv*"),
    ("news", "news/*/*.jsonl*"),
)
BY_COMPANY = ("submissions", "facts", "prices", "quotes", "flows")  # a file for each company
TOGETHER = 50_000  # rows of such files written at once
BY_CATALOGUE = ("facts", "figures")  # what is read of these depends on the metrics of the catalogue
ELSEWHERE = {
    "sec/10k-html/*": "a text for the corpus", "news/reuters21578/*": "a text for the corpus",
    "market/nyse_fundamentals*": "figures without the day they became known",
    "market/ashare/*": "prices adjusted for dividends, without the close as traded",
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
    tags = hashlib.sha256(repr(metrics.all).encode()).hexdigest()
    _describe(store, metrics, schema.seconds(now))
    with store.reading() as connection:
        done = set(connection.scalars(select(schema.ingested.c.sha256)))
    with closing(_Writer(store, schema.seconds(now), embed)) as writer:
        for kind, path in progress(files, "ingest"):
            name = str(path.relative_to(raw))
            key = _key(hashes[name], tags) if kind in BY_CATALOGUE else hashes[name]
            if key not in done:
                done.add(key)
                writer.write(_File(name, key, kind), _read(kind, path, known, metrics))
    log.info("ingest: %d files, new rows %s, set aside %s", len(files), writer.rows, writer.aside)
    return Ingested(hashes, writer.rows, skipped, writer.aside)


def _key(sha256: str, tags: str) -> str:
    """What stands for a file whose reading depends on the catalogue: with other metrics it is read again."""
    return hashlib.sha256(f"{sha256} {tags}".encode()).hexdigest()


def _describe(store: Store, metrics: Metrics, recorded_at: int) -> None:
    """The metrics as a table of the star, for whoever reads the store with other tools."""
    rows = [
        {"slug": m.slug, "name": m.name, "unit": m.unit, "frequency": m.frequency, "instant": m.instant}
        for m in metrics.all
    ]
    with store.engine.begin() as connection:
        add(connection, schema.metrics, [{**row, "recorded_at": recorded_at} for row in rows])


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
    if kind == "figures":
        return figures.figure_file(path, known, metrics)
    readers: dict[str, Callable[[Path, Known], Iterator[Read]]] = {
        "tickers": tables.company_tickers,
        "submissions": tables.submissions,
        "securities": tables.securities,
        "snapshots": snapshots.snapshot,
        "quotes": prices.quote_file,
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
class _File:
    """A file to be read: its path under the raw folder, the key by which it is noted, its kind."""

    path: str
    key: str
    kind: str


@dataclass(slots=True)
class _Writer:
    """Writes whole files, those of one company each together in a transaction: rows of many companies fall
    on the same pages of an index. `rows` and `aside` count what was written and set aside.
    """

    store: Store
    recorded_at: int
    embed: Embed
    rows: dict[str, int] = field(default_factory=dict)
    aside: dict[str, int] = field(default_factory=dict)
    _open: ExitStack = field(default_factory=ExitStack)  # the transaction
    _connection: Connection | None = None
    _held: int = 0

    def close(self) -> None:
        """Commit the whole files that are not yet."""
        self._connection, self._held = None, 0
        self._open.close()

    def write(self, file: _File, read: Iterator[Read]) -> None:
        """All of the file and the note that it was read, or nothing; nothing if another ingest was first."""
        items, vectors = (
            list(_gathered(read)),
            dict[str, Array](),
        )  # what is damaged is found before it writes
        if file.kind == "news":  # encoding takes minutes, in which others may write
            self.close()
            with self.store.reading() as connection:
                items = merged(connection, items)
            vectors = self._embedded(file, items)
        if self._connection is None:
            self._connection = self._open.enter_context(self.store.writing())
        with ExitStack() as unless_whole:
            unless_whole.push(self._undo)
            written = self._write(self._connection, file, items, vectors)
            unless_whole.pop_all()
        self._held += written
        if self._held >= TOGETHER or file.kind not in BY_COMPANY:
            self.close()

    def _undo(self, *why: Any) -> None:
        """Give up the transaction: half a file is in it."""
        self._connection = None
        self._open.__exit__(*why)

    def _write(
        self, connection: Connection, file: _File, items: Sequence[Read], vectors: Mapping[str, Array]
    ) -> int:
        note = {"sha256": file.key, "path": file.path, "kind": file.kind, "rows": 0}
        if not add(connection, schema.ingested, [{**note, "recorded_at": self.recorded_at}]):
            return 0
        counts = dict[str, int]()
        for item in items:
            if isinstance(item, Aside):
                self._set_aside(connection, file, item)
            else:
                new = self._add(connection, file, item, vectors)
                counts[item.table.name] = counts.get(item.table.name, 0) + new
        total_rows = update(schema.ingested).where(schema.ingested.c.sha256 == file.key)
        connection.execute(total_rows.values(rows=sum(counts.values())))
        for name, count in counts.items():
            self.rows[name] = self.rows.get(name, 0) + count
        return sum(counts.values())

    def _add(self, connection: Connection, file: _File, batch: Batch, vectors: Mapping[str, Array]) -> int:
        new, off = fresh(connection, batch)
        for row, reason in off:
            place = " ".join(
                str(row[column.name]) for column in batch.table.primary_key if column.name in row
            )
            value = row["close"] if "close" in row else row["value"]
            self._set_aside(connection, file, Aside(place, reason, str(value)))
        if batch.table is schema.news_companies:
            return add(connection, batch.table, self.store.vectors.links(connection, new)) if new else 0
        written = add(connection, batch.table, [{**row, "recorded_at": self.recorded_at} for row in new])
        if batch.table is schema.news and new:
            matrix = np.stack([vectors[text_of(row)] for row in new])
            check_width(connection, matrix.shape[1], self.recorded_at)
            self.store.vectors.add(connection, new, matrix)
        return written

    def _embedded(self, file: _File, items: Sequence[Read]) -> dict[str, Array]:
        """Vectors of the headlines the store does not have, by text; made before anything is written."""
        with self.store.reading() as connection:
            batches = (item for item in items if isinstance(item, Batch) and item.table is schema.news)
            texts = list(dict.fromkeys(text_of(r) for b in batches for r in fresh(connection, b)[0]))
        starts = progress(range(0, len(texts), CHUNK), f"embedding {file.path}")
        made = [np.asarray(self.embed(texts[start : start + CHUNK]), dtype="<f4") for start in starts]
        return dict(zip(texts, np.concatenate(made), strict=True)) if made else {}

    def _set_aside(self, connection: Connection, file: _File, item: Aside) -> None:
        row = {"sha256": file.key, "place": item.place, "path": file.path, "reason": item.reason}
        add(
            connection, schema.quarantine, [{**row, "content": item.content, "recorded_at": self.recorded_at}]
        )
        self.aside[item.reason] = self.aside.get(item.reason, 0) + 1


def text_of(row: Mapping[str, Any]) -> str:
    """What is embedded of a news item: the headline, and how the body begins."""
    return f"{row['headline']}. {row['body']}"[:LONGEST] if row["body"] else str(row["headline"])


def _gathered(read: Iterator[Read]) -> Iterator[Read]:
    """Small batches of one table joined, so that a file of thousands of names is not as many statements."""
    held: dict[str, tuple[Table, list[Mapping[str, Any]]]] = {}
    for item in read:
        if isinstance(item, Aside) or item.table in schema.KNOWN_AT:
            yield item
        else:
            held.setdefault(item.table.name, (item.table, []))[1].extend(item.rows)
    yield from (Batch(table, rows) for table, rows in held.values())
