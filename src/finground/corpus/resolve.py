"""Of every group of copies one document stays: the earliest published, then the smallest id (cases C1, C3).

The others are dropped with a reason and linked to the one that stays, so that a syndicated copy or a
correction is not lost. Held-out documents form groups of their own.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from finground.core.artifact import read_rows, write_rows
from finground.corpus.chunks import PARTS, TRAIN, Chunk, Docs, Rejected, documents_of, rows_of
from finground.corpus.match import links, within
from finground.corpus.wire import Version
from finground.corpus.work import made, open_array, write_array
from finground.records.document import Dropped

EXACT, NEARLY, SYNDICATED = "exact duplicate", "near duplicate", "syndicated copy"
VERSIONS = {Version.CORRECTION: "correction", Version.UPDATE: "update"}


@dataclass(frozen=True, slots=True)
class Link:
    """A document left out and the one that stands for it; `kind` is what the first is to the second."""

    id: str
    source: str
    published_at: datetime
    to: str
    kind: str


@dataclass(frozen=True, slots=True)
class Sifting:
    """One task: what becomes of the documents of chunk `number`."""

    out: Path
    key: str
    chunks: tuple[Path, ...]
    number: int
    resolved: Path
    limits: tuple[int, ...]
    keep_rejected: tuple[str, ...]


def resolve(out: Path, chunks: Sequence[Path], checked: Sequence[Path]) -> int:
    """Write, for every document that a copy stands for, its number and that of the copy; returns how many."""
    found = [links(folder) for folder in checked]
    first, second = (np.concatenate([np.zeros(0, np.uint64), *(each[at] for each in found)]) for at in (0, 1))
    docs, where = np.unique(np.concatenate([first, second]), return_inverse=True)
    rows = rows_of(chunks, docs)
    held = rows["part"] != PARTS.index(TRAIN)
    one, other = where[: len(first)], where[len(first) :]
    alike = held[one] == held[other]
    groups = _groups(len(docs), one[alike], other[alike])
    keepers = _keepers(chunks, docs, rows, groups)
    lost = np.flatnonzero(keepers != np.arange(len(docs)))
    write_array(out / "docs.bin", docs[lost])
    write_array(out / "keepers.bin", docs[keepers[lost]])
    return len(lost)


def sift(task: Sifting) -> dict[str, dict[str, int]]:
    """Write what is dropped of a chunk, the links, the texts kept of it, and which rows stay; counts them."""
    counts: dict[str, dict[str, int]] = made(task.out, task.key, lambda out: _sift(out, task))
    return counts


def stays(folder: Path) -> NDArray[np.bool_]:
    """Which rows of a chunk are neither over a limit nor a copy."""
    return open_array(folder / "stays.bin", np.bool_)


def _groups(count: int, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each of `count` documents the smallest number of those it is linked with, directly or not."""
    root = list(range(count))

    def top(at: int) -> int:
        while root[at] != at:
            root[at] = at = root[root[at]]
        return at

    for a, b in zip(one.tolist(), other.tolist(), strict=True):
        low, high = sorted((top(a), top(b)))
        root[high] = low
    return np.array([top(at) for at in range(count)], np.int64)


def _keepers(
    chunks: Sequence[Path], docs: Docs, rows: NDArray[Any], groups: NDArray[np.int64]
) -> NDArray[np.int64]:
    """For each document the position of the one that stays of its group."""
    order = np.lexsort((rows["body"], rows["published"], groups))
    bounds = np.append(np.flatnonzero(np.diff(groups[order], prepend=-1)), len(order))
    keepers = np.zeros(len(docs), np.int64)
    for begin, end in pairwise(bounds):
        members = order[begin:end]
        earliest = members[rows["published"][members] == rows["published"][members[0]]]
        if len(earliest) > 1:
            ids = [next(documents_of(chunks, docs[at : at + 1])).id for at in earliest]
            earliest = [at for id, at in zip(ids, earliest, strict=True) if id == min(ids)]
        keepers[members] = earliest[0]  # of one id and moment the smallest hash of the body
    return keepers


def _sift(out: Path, task: Sifting) -> dict[str, dict[str, int]]:
    folder = task.chunks[task.number]
    chunk = Chunk.open(folder)
    stay = within(chunk.rows, task.limits)
    dropped = list(read_rows(folder / "dropped.jsonl", Dropped))
    rejected = list(read_rows(folder / "rejected.jsonl", Rejected))
    linked: list[Link] = []
    for row in np.flatnonzero(~stay).tolist():
        document = chunk.document(row)
        dropped.append(Dropped(document.id, document.source, _over(PARTS[chunk.rows["part"][row]])))
    for row, kept, to in _lost(task):
        stay[row] = False
        document, about = chunk.document(row), chunk.rows[row]
        kind = _kind(about, kept)
        reason = _reason(kind, about, kept)
        linked.append(Link(document.id, document.source, document.published_at, to, kind))
        dropped.append(Dropped(document.id, document.source, reason))
        if reason in task.keep_rejected:
            rejected.append(Rejected(reason, document))
    write_array(out / "stays.bin", stay)
    write_rows(out / "dropped.jsonl", sorted(dropped, key=lambda each: (each.source, each.reason, each.id)))
    write_rows(out / "links.jsonl", linked)
    write_rows(out / "rejected.jsonl", rejected)
    stay_of = {part: int((stay & (chunk.rows["part"] == at)).sum()) for at, part in enumerate(PARTS)}
    return {"stay": stay_of, "dropped": Counter(each.reason for each in dropped)}


def _lost(task: Sifting) -> Iterator[tuple[int, Any, str]]:
    """Rows of the chunk that a copy stands for, with that copy's row and id."""
    docs, keepers = (open_array(task.resolved / name, np.uint64) for name in ("docs.bin", "keepers.bin"))
    begin, end = np.searchsorted(docs, np.array([task.number << 32, (task.number + 1) << 32], np.uint64))
    kept, where = np.unique(keepers[begin:end], return_inverse=True)
    rows, ids = rows_of(task.chunks, kept), [document.id for document in documents_of(task.chunks, kept)]
    for doc, at in zip(docs[begin:end], where, strict=True):
        yield int(doc) & 0xFFFFFFFF, rows[at], ids[at]


def _kind(lost: Any, kept: Any) -> str:
    """What a lost document is to the kept one, by their rows."""
    elsewhere = SYNDICATED if lost["site"] != kept["site"] else "copy"
    return VERSIONS.get(Version(int(lost["version"])), elsewhere)


def _reason(kind: str, lost: Any, kept: Any) -> str:
    if kind in (VERSIONS[Version.CORRECTION], SYNDICATED):
        return kind
    return EXACT if any(lost[name] == kept[name] != 0 for name in ("id", "body", "address")) else NEARLY


def _over(part: str) -> str:
    return "over max_documents" if part == TRAIN else f"over holdout_documents ({part})"
