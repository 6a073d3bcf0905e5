"""Copies found through an index on disk: the sorted keys of all chunks, read one range of keys at a time.

Documents that share a key are candidates; a candidate pair is a copy if body, address or id are the same, or
if the Jaccard similarity of the word n-grams reaches the threshold, which is counted on the texts, not
estimated. Memory depends on the size of a range, not on how many documents there are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from finground.corpus import grams
from finground.corpus.chunks import Chunk, Docs, by_chunk, documents_of, rows_of
from finground.corpus.work import made, open_array, write_array
from finground.settings import Near

RANGE = 500_000  # keys that one task compares; some 100 bytes each while it does
WINDOW = 4  # next documents under the same key that each is paired with, besides the first
UNSURE = 0.15  # four standard errors of an estimate by 100 permutations
PAIRS_AT_ONCE = 2000
SAME, NEAR = 1, 2


@dataclass(frozen=True, slots=True)
class Range:
    """One task of the index: keys from `low` to `high`, both included, of documents within their limits."""

    out: Path
    key: str
    chunks: tuple[Path, ...]
    low: int
    high: int
    limits: tuple[int, ...]  # by part: the place up to which documents are taken


@dataclass(frozen=True, slots=True)
class Checking:
    """One task of the check: pairs whose first document lies in chunk `number`."""

    out: Path
    key: str
    chunks: tuple[Path, ...]
    ranges: tuple[Path, ...]
    number: int
    near: Near


def ranges(keys: int) -> list[tuple[int, int]]:
    """So many equal ranges of all 64-bit numbers that each holds about RANGE keys."""
    count = max(1, -(-keys // RANGE))
    bounds = [at * (1 << 64) // count for at in range(count + 1)]
    return [(low, high - 1) for low, high in pairwise(bounds)]


def within(rows: NDArray[np.void], limits: Sequence[int]) -> NDArray[np.bool_]:
    """Which documents of a chunk the limits take."""
    taken: NDArray[np.bool_] = rows["place"] <= np.array(limits, np.uint64)[rows["part"]]
    return taken


def candidates(task: Range) -> int:
    """Write the pairs of one range, sorted; returns how many."""
    count: int = made(task.out, task.key, lambda out: _write_pairs(out, _pairs(task)))
    return count


def check(task: Checking) -> int:
    """Write the links of one chunk: pairs that are copies, and whether the same or near; returns how many."""
    count: int = made(task.out, task.key, lambda out: _write_links(out, task))
    return count


def links(folder: Path) -> tuple[Docs, Docs, NDArray[np.uint8]]:
    """First and second document of each link, and its kind."""
    first, second = pairs_of(folder)
    return first, second, open_array(folder / "kind.bin", np.uint8)


def pairs_of(folder: Path) -> tuple[Docs, Docs]:
    """First and second document of each candidate pair of a range."""
    return open_array(folder / "first.bin", np.uint64), open_array(folder / "second.bin", np.uint64)


def _pairs(task: Range) -> tuple[Docs, Docs]:
    """Each document with the next few under its key and with the first; under a key they lie by place."""
    found = [_slice(task, number, chunk) for number, chunk in enumerate(map(Chunk.open, task.chunks))]
    keys, docs, places, bodies = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.lexsort((bodies, places, keys))
    keys, docs = keys[order], docs[order]
    starts = (
        np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.zeros(0, int)
    )
    first = np.repeat(docs[starts], np.diff(np.append(starts, len(keys))))
    ones, others = [first], [docs]
    for step in range(1, min(WINDOW, max(len(keys) - 1, 0)) + 1):
        together = keys[step:] == keys[:-step]
        ones.append(docs[:-step][together])
        others.append(docs[step:][together])
    return _unique(np.concatenate(ones), np.concatenate(others))


def _slice(task: Range, number: int, chunk: Chunk) -> tuple[Docs, Docs, Docs, Docs]:
    """Keys of one chunk in the range, with document, place and body."""
    keys, owners = chunk.keys
    begin = np.searchsorted(keys, np.uint64(task.low), "left")
    end = np.searchsorted(keys, np.uint64(task.high), "right")
    rows = owners[begin:end]
    taken = within(chunk.rows, task.limits)[rows]
    rows, about = rows[taken], chunk.rows
    docs = (np.uint64(number) << np.uint64(32)) | rows.astype(np.uint64)
    return np.asarray(keys[begin:end])[taken], docs, about["place"][rows], about["body"][rows]


def _unique(one: Docs, other: Docs) -> tuple[Docs, Docs]:
    """Pairs in order, the smaller number first, each once, none with itself."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    low, high = low[low != high], high[low != high]
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    new = np.ones(len(low), bool)
    new[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    return low[new], high[new]


def _write_pairs(out: Path, pairs: tuple[Docs, Docs]) -> int:
    for name, values in zip(("first", "second"), pairs, strict=True):
        write_array(out / f"{name}.bin", values)
    return len(pairs[0])


def _write_links(out: Path, task: Checking) -> int:
    first, second = _of_chunk(task)
    kinds = np.zeros(len(first), np.uint8)
    for begin in range(0, len(first), PAIRS_AT_ONCE):
        part = slice(begin, begin + PAIRS_AT_ONCE)
        kinds[part] = _kinds(task, first[part], second[part])
    for name, values in (("first", first), ("second", second), ("kind", kinds)):
        write_array(out / f"{name}.bin", values[kinds > 0])
    return int((kinds > 0).sum())


def _of_chunk(task: Checking) -> tuple[Docs, Docs]:
    """The candidates of all ranges whose first document lies in the chunk, each once."""
    ones, others = [np.zeros(0, np.uint64)], [np.zeros(0, np.uint64)]
    for folder in task.ranges:
        first, second = pairs_of(folder)
        begin, end = np.searchsorted(first, np.array([task.number << 32, (task.number + 1) << 32], np.uint64))
        ones.append(first[begin:end])
        others.append(second[begin:end])
    return _unique(np.concatenate(ones), np.concatenate(others))


def _kinds(task: Checking, first: Docs, second: Docs) -> NDArray[np.uint8]:
    """For each pair: 0, SAME or NEAR."""
    docs, where = np.unique(np.concatenate([first, second]), return_inverse=True)
    one, other = where[: len(first)], where[len(first) :]
    rows, signatures = rows_of(task.chunks, docs), _signatures(task, docs)
    same = np.zeros(len(first), bool)
    for name in ("id", "body", "address"):
        values = rows[name]
        same |= (values[one] == values[other]) & (values[one] != 0)
    alike = (signatures[one] == signatures[other]).mean(axis=1)
    kinds = np.where(same, SAME, 0).astype(np.uint8)
    asked = np.flatnonzero(~same & (alike >= task.near.jaccard - UNSURE))
    texts = np.unique(np.concatenate([one[asked], other[asked]]))
    sets = dict(zip(texts.tolist(), _sets(task, docs[texts]), strict=True))
    for at in asked:
        if grams.jaccard(sets[int(one[at])], sets[int(other[at])]) >= task.near.jaccard:
            kinds[at] = NEAR
    return kinds


def _signatures(task: Checking, docs: Docs) -> NDArray[np.uint32]:
    """MinHash of documents, which are sorted."""
    permutations = task.near.bands * task.near.rows
    return np.concatenate(
        [Chunk.open(task.chunks[number]).signatures(permutations)[own] for number, own in by_chunk(docs)]
    )


def _sets(task: Checking, docs: Docs) -> Iterator[grams.Hashes]:
    """The n-grams of documents, which are sorted: of each a sorted set."""
    for part in grams.batches(document.text for document in documents_of(task.chunks, docs)):
        flat = grams.grams(grams.words(part), task.near.gram)
        yield from (np.unique(flat[at]) for at in range(len(part)))
