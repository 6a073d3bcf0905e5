"""What training must not share with evaluation (law 8, case C4).

A training document goes if it has `overlap` words in a row that an evaluation item has too; of an item too
short for that, a run of eight. It also goes if its body or address is a held-out document's, or if the two
are near-duplicates, which is counted exactly.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from finground.core.errors import InputError
from finground.corpus import grams
from finground.corpus.chunks import place_of_address
from finground.corpus.files import found
from finground.corpus.tables import Row, rows
from finground.corpus.work import open_array, write_array
from finground.records.document import Document
from finground.settings import Corpus, Evaluation

SHORTEST = 8  # words of an evaluation item below which it is too common to tell
LEAKED, OVERLAPS = "duplicate of a held-out document", "overlaps an evaluation set"
FILTER_BITS = 22
Found = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Known:
    """Sorted hashes, and a small table that says of most others at once that they are not among them."""

    hashes: grams.Hashes
    filter: Found

    @classmethod
    def of(cls, hashes: grams.Hashes) -> "Known":
        """Over sorted hashes."""
        filter = np.zeros(1 << FILTER_BITS, bool)
        filter[_low(hashes)] = True
        return cls(hashes, filter)

    def has(self, values: grams.Hashes) -> Found:
        """Which of the values are among them."""
        maybe = self.filter[_low(values)]
        at = np.flatnonzero(maybe)
        if len(at):
            maybe[at] = _among(values[at], self.hashes)
        return maybe


@dataclass(frozen=True, slots=True)
class Guard:
    """All that evaluation sets and held-out documents consist of, to be held against training documents."""

    settings: Corpus
    runs: Known  # of `overlap` words
    short: Known  # of SHORTEST words, of items shorter than that
    held: Known  # n-grams of held-out documents
    owners: NDArray[np.uint64]  # n-gram and held-out document, [n, 2], sorted
    sizes: NDArray[np.uint32]  # different n-grams of each held-out document
    bodies: Known
    addresses: Known

    @classmethod
    def open(cls, folder: Path, settings: Corpus) -> "Guard":
        """As `write` left it."""
        known = {
            name: np.asarray(open_array(folder / f"{name}.bin", np.uint64))
            for name in ("runs", "short", "bodies", "addresses")
        }
        owners = open_array(folder / "owners.bin", np.uint64, 2)
        return cls(
            settings, Known.of(known["runs"]), Known.of(known["short"]),
            Known.of(np.unique(owners[:, 0])), owners, open_array(folder / "sizes.bin", np.uint32),
            Known.of(known["bodies"]), Known.of(known["addresses"]),
        )  # fmt: skip

    def reasons(self, documents: Sequence[Document]) -> list[str | None]:
        """For each document why it must not be trained on, or None."""
        words = grams.words([document.text for document in documents])
        overlapping = self._overlapping(words)
        flat = grams.grams(words, self.settings.near.gram)
        same = self.bodies.has(grams.bodies(words)) & (words.counts > 0)
        same |= self.addresses.has(np.array([place_of_address(each) for each in documents], np.uint64))
        hits = _per_text(self.held.has(flat.values), flat)
        leaked = [
            bool(same[at]) or (bool(hits[at]) and self._near(np.unique(flat[at])))
            for at in range(len(documents))
        ]
        return [
            LEAKED if leak else OVERLAPS if over else None
            for leak, over in zip(leaked, overlapping, strict=True)
        ]

    def _overlapping(self, words: grams.Flat) -> Found:
        """Which texts share a run of words with an evaluation item."""
        found = np.zeros(len(words), bool)
        for known, length in ((self.runs, self.settings.overlap), (self.short, SHORTEST)):
            if len(known.hashes):
                flat = grams.grams(words, length)
                found |= _per_text(known.has(flat.values), flat) > 0
        return found

    def _near(self, own: grams.Hashes) -> bool:
        """Whether a document with these n-grams is a near-duplicate of a held-out one, by exact count."""
        starts = np.searchsorted(self.owners[:, 0], own, "left")
        ends = np.searchsorted(self.owners[:, 0], own, "right")
        shared: dict[int, int] = {}
        for start, end in zip(starts[ends > starts], ends[ends > starts], strict=True):
            for owner in self.owners[start:end, 1].tolist():
                shared[owner] = shared.get(owner, 0) + 1
        near = self.settings.near.jaccard
        return any(
            count >= near * (len(own) + int(self.sizes[owner]) - count) for owner, count in shared.items()
        )


def write(out: Path, raw: Path, settings: Corpus, held: Sequence[Document]) -> dict[str, int]:
    """Write what training is held against; counts the items, and those too short to tell."""
    long, short, counts = _runs(evaluation_texts(raw, settings.evaluation), settings.overlap)
    write_array(out / "runs.bin", long)
    write_array(out / "short.bin", short)
    owners, sizes = [np.zeros((0, 2), np.uint64)], list[int]()
    bodies = [np.zeros(0, np.uint64)]
    for texts in grams.batches(document.text for document in held):
        words = grams.words(texts)
        flat = grams.grams(words, settings.near.gram)
        bodies.append(grams.bodies(words))
        for at in range(len(texts)):
            own = np.unique(flat[at])
            owners.append(np.stack([own, np.full(len(own), len(sizes), np.uint64)], axis=1))
            sizes.append(len(own))
    pairs = np.concatenate(owners)
    write_array(out / "owners.bin", pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])
    write_array(out / "sizes.bin", np.array(sizes, np.uint32))
    write_array(out / "bodies.bin", np.unique(np.concatenate(bodies)))
    places = [place_of_address(document) for document in held if document.url]
    write_array(out / "addresses.bin", np.unique(np.array(places, np.uint64)))
    return counts


def evaluation_texts(raw: Path, sets: Iterable[Evaluation]) -> Iterator[str]:
    """Every text of every evaluation set.

    Raises:
        InputError: if a set has no file, or a field that no row of it has.
    """
    for each in sets:
        files = found(each.files, raw)
        if not files:
            raise InputError(
                f"no evaluation set at {each.files} below {raw}; see corpus.evaluation in params.yaml"
            )
        count = 0
        for file, _ in files:
            for row in _joined(rows(file, each.read), each) if each.by else rows(file, each.read):
                for field in each.fields:
                    for text in _texts(row, field.split(".")):
                        count += 1
                        yield text
        if not count:
            raise InputError(
                f"{each.files} has no text in {', '.join(each.fields)}; see corpus.evaluation in params.yaml"
            )


def _runs(texts: Iterable[str], length: int) -> tuple[grams.Hashes, grams.Hashes, dict[str, int]]:
    """Sorted runs of the items long enough, those of the shorter ones, and counts of items."""
    long, short = [np.zeros(0, np.uint64)], [np.zeros(0, np.uint64)]
    counts = {"items": 0, "too_short": 0}
    for part in grams.batches(texts):
        words = grams.words(part)
        counts["items"] += len(part)
        counts["too_short"] += int((words.counts < SHORTEST).sum())
        for runs, size, chosen in (
            (long, length, words.counts >= length),
            (short, SHORTEST, (words.counts < length) & (words.counts >= SHORTEST)),
        ):
            flat = grams.grams(words, size)
            runs.append(flat.values[np.repeat(chosen, flat.counts)])
    return np.unique(np.concatenate(long)), np.unique(np.concatenate(short)), counts


def _joined(read: Iterable[Row | None], each: Evaluation) -> Iterator[Row]:
    """Rows next to each other that are equal in `by` as one, the words of each field joined."""
    whole = (row for row in read if row is not None)
    for _, same in groupby(whole, key=lambda row: tuple(row.get(name) for name in each.by)):
        together = list(same)
        yield {field: " ".join(str(row.get(field) or "") for row in together) for field in each.fields}


def _texts(value: Any, path: Sequence[str]) -> Iterator[str]:
    """The texts at a path of keys; lists on the way are gone through."""
    if isinstance(value, list):
        for each in value:
            yield from _texts(each, path)
    elif path and isinstance(value, Mapping):
        yield from _texts(value.get(path[0]), path[1:])
    elif not path and isinstance(value, str) and value.strip():
        yield value


def _low(values: grams.Hashes) -> NDArray[np.int64]:
    return (values & np.uint64((1 << FILTER_BITS) - 1)).astype(np.int64)


def _among(values: grams.Hashes, known: grams.Hashes) -> Found:
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    found: Found = known[at] == values
    return found


def _per_text(hits: Found, flat: grams.Flat) -> NDArray[np.int64]:
    """How many of each text's values are hits."""
    sums = np.concatenate([[0], np.cumsum(hits)])
    counts: NDArray[np.int64] = sums[flat.starts[1:]] - sums[flat.starts[:-1]]
    return counts
