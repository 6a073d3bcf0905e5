"""The first step: records of raw files, cleaned, in a folder that later steps search without reading text.

A chunk holds at most `shard` records. Its documents lie in the order of their seeded place, with a row of
numbers each, their MinHash signatures, and the keys under which copies of them would be found, sorted.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from finground.core.artifact import write_rows
from finground.core.coding import decode, encode
from finground.corpus import grams
from finground.corpus.clean import Cleaned, clean
from finground.corpus.sample import in_share, place
from finground.corpus.tables import address
from finground.corpus.work import open_array, write_array
from finground.records.document import Document, Dropped
from finground.settings import Corpus

TRAIN, BY_DATE, BY_SOURCE = "train", "by-date", "by-source"
PARTS = (TRAIN, BY_DATE, BY_SOURCE)
EPOCH, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
Docs = NDArray[np.uint64]  # a document's number: its chunk's in the upper half, its row in the lower
ROW = np.dtype(
    [
        ("place", "<u8"), ("id", "<u8"), ("body", "<u8"), ("address", "<u8"), ("site", "<u8"),
        ("published", "<i8"), ("offset", "<u8"), ("size", "<u4"), ("words", "<u4"),
        ("part", "u1"), ("version", "u1"),
    ]
)  # fmt: skip
ID_KEYS, BODY_KEYS, ADDRESS_KEYS, BAND_KEYS = range(1, 5)  # kinds of keys, kept apart


@dataclass(frozen=True, slots=True)
class Rejected:
    """The text of a document that was left out, where params ask for it."""

    reason: str
    document: Document


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk on disk; nothing of it is read until it is asked for."""

    folder: Path
    rows: NDArray[Any]
    text: NDArray[np.uint8]

    @classmethod
    def open(cls, folder: Path) -> "Chunk":
        """Map its rows and its documents."""
        return cls(
            folder, open_array(folder / "rows.bin", ROW), open_array(folder / "documents.jsonl", np.uint8)
        )

    @property
    def keys(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Keys in their order, and the row that each belongs to."""
        return open_array(self.folder / "keys.bin", np.uint64), open_array(
            self.folder / "owners.bin", np.uint32
        )

    def signatures(self, permutations: int) -> NDArray[np.uint32]:
        """[documents, permutations]."""
        return open_array(self.folder / "signatures.bin", np.uint32, permutations)

    def line(self, row: int) -> bytes:
        """A document as it is written, its line end included."""
        start, size = int(self.rows["offset"][row]), int(self.rows["size"][row])
        return self.text[start : start + size].tobytes()

    def document(self, row: int) -> Document:
        """A document."""
        return decode(self.line(row), Document)


def write(out: Path, records: Iterable[Document | Dropped], settings: Corpus, seed: int) -> dict[str, int]:
    """Fill a chunk; returns how many records, documents and keys it has."""
    taken: list[Cleaned] = []
    dropped: list[Dropped] = []
    rejected: list[Rejected] = []
    for record in records:
        found = _judged(record, settings)
        if isinstance(found, Cleaned):
            taken.append(found)
            continue
        dropped.append(found)
        if isinstance(record, Document) and found.reason in settings.keep_rejected:
            rejected.append(Rejected(found.reason, record))
    places = {each.document.id: place(each.document.id, seed) for each in taken}
    taken.sort(key=lambda each: (places[each.document.id], each.document.published_at, each.document.text))
    rows = np.zeros(len(taken), ROW)
    rows["place"] = [places[each.document.id] for each in taken]
    with (out / "documents.jsonl").open("wb") as text:
        rows["size"] = [text.write(encode(each.document) + b"\n") for each in taken]
    rows["offset"] = np.cumsum(rows["size"], dtype=np.uint64) - rows["size"]
    _describe(rows, taken, settings)
    signatures = _hashed(rows, taken, settings)
    keys, owners = _keys(rows, signatures, settings)
    write_array(out / "rows.bin", rows)
    write_array(out / "keys.bin", keys)
    write_array(out / "owners.bin", owners)
    write_array(out / "signatures.bin", signatures)
    write_rows(out / "dropped.jsonl", dropped)
    write_rows(out / "rejected.jsonl", rejected)
    return {"records": len(taken) + len(dropped), "documents": len(taken), "keys": len(keys)}


def part_of(document: Document, settings: Corpus) -> str:
    """Trained on, or held out by source or by date."""
    if document.source == settings.holdout_source:
        return BY_SOURCE
    return BY_DATE if document.published_at.date() >= settings.holdout_from else TRAIN


def place_of_address(document: Document) -> int:
    """Where a document's address falls; 0 where it has none."""
    return place(address(document.url)) if document.url else 0


def _judged(record: Document | Dropped, settings: Corpus) -> Cleaned | Dropped:
    if isinstance(record, Dropped):
        return record
    if not in_share(record, settings.shares):
        return Dropped(record.id, record.source, "outside the share")
    return clean(record, settings)


def _describe(rows: NDArray[Any], taken: Sequence[Cleaned], settings: Corpus) -> None:
    """What a row says of its document without its text."""
    documents = [each.document for each in taken]
    rows["id"] = [place(document.id) for document in documents]
    rows["address"] = [place_of_address(document) for document in documents]
    rows["site"] = [_site(document) for document in documents]
    rows["published"] = [(document.published_at - EPOCH) // MICROSECOND for document in documents]
    rows["words"] = [each.words for each in taken]
    rows["version"] = [each.version for each in taken]
    rows["part"] = [PARTS.index(part_of(document, settings)) for document in documents]


def _site(document: Document) -> int:
    """Where a document was published: the host of its address, else its source."""
    return _place_of_site(urlsplit(document.url).netloc.lower() if document.url else document.source)


@lru_cache(maxsize=4096)
def _place_of_site(name: str) -> int:
    return place(name)


def _hashed(rows: NDArray[Any], taken: Sequence[Cleaned], settings: Corpus) -> NDArray[np.uint32]:
    """The hash of each body into its row; the signatures, [documents, bands × rows]."""
    permutations = settings.near.bands * settings.near.rows
    found = [np.zeros((0, permutations), np.uint32)]
    at = 0
    for texts in grams.batches([each.document.text for each in taken]):
        words = grams.words(texts)
        rows["body"][at : at + len(texts)] = grams.bodies(words)
        found.append(grams.signatures(grams.grams(words, settings.near.gram), permutations))
        at += len(texts)
    return np.concatenate(found)


def _keys(
    rows: NDArray[Any], signatures: NDArray[np.uint32], settings: Corpus
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """Every key of every document, sorted, and whose it is."""
    bands, width = settings.near.bands, settings.near.rows
    own = np.arange(len(rows), dtype=np.uint32)
    located = own[rows["address"] != 0]
    found = [
        grams.salted(rows["id"], ID_KEYS),
        grams.salted(rows["body"], BODY_KEYS),
        grams.salted(rows["address"][located], ADDRESS_KEYS),
    ]
    for band in range(bands):
        together = np.zeros(len(rows), np.uint64)
        for column in range(band * width, (band + 1) * width):
            together = grams.salted(together ^ signatures[:, column], BAND_KEYS + band)
        found.append(together)
    keys = np.concatenate(found)
    owners = np.concatenate([own, own, located, *([own] * bands)])
    order = np.lexsort((owners, keys))
    return keys[order], owners[order]


def by_chunk(docs: Docs) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Chunks in their order, with the rows that are asked of each; `docs` are sorted."""
    numbers = (docs >> np.uint64(32)).astype(np.int64)
    rows = (docs & np.uint64(0xFFFFFFFF)).astype(np.int64)
    for number in np.unique(numbers):
        yield int(number), rows[numbers == number]


def rows_of(folders: Sequence[Path], docs: Docs) -> NDArray[Any]:
    """The rows of documents, which are sorted."""
    taken = [Chunk.open(folders[number]).rows[own] for number, own in by_chunk(docs)]
    return np.concatenate([np.zeros(0, ROW), *taken])


def documents_of(folders: Sequence[Path], docs: Docs) -> Iterator[Document]:
    """Documents, which are sorted by their numbers."""
    for number, own in by_chunk(docs):
        chunk = Chunk.open(folders[number])
        yield from (chunk.document(int(row)) for row in own)
