"""Word n-grams of many texts at once, as 64-bit hashes, and MinHash signatures over them.

A word is a run of letters, digits or underscores in lower case; every other character only separates. The
hash of a word is a polynomial over its UTF-8 bytes, that of a gram one over its words, both computed for a
whole batch in numpy: a gram is never a string. rensa turns the grams into signatures. No hash depends on the
process, so the same text has the same numbers everywhere (law 7).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
BATCH = 48  # texts hashed together: arrays that fit a core's cache
SEED = 1
BASE = 0x5851F42D4C957F2D  # odd, so that it has an inverse modulo 2^64
WORD_BYTES = bytes(
    byte if (chr(byte).isalnum() and byte < 128) or byte in b"_" or byte >= 128 else 0 for byte in range(256)
)
FOREIGN = re.compile(r"[^\w\s]")
SMALLEST_TABLE = (1 << 18) - 1


@dataclass(frozen=True, slots=True)
class Flat:
    """Values of several texts one after the other: text i has `values[starts[i]:starts[i + 1]]`."""

    values: Hashes
    starts: NDArray[np.int64]

    def __getitem__(self, at: int) -> Hashes:
        return self.values[self.starts[at] : self.starts[at + 1]]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many values each text has."""
        return np.diff(self.starts)


def words(texts: Sequence[str]) -> Flat:
    """The hashes of the words of each text, in their order."""
    parts = [_plain(text) for text in texts]
    joined = b"\n".join([*parts, b""])
    letters = np.frombuffer(joined.translate(WORD_BYTES), np.uint8)
    inside = letters.astype(bool)
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    if len(inside) and inside[0]:
        edges = np.concatenate([[0], edges])
    begins, ends = edges[::2], edges[1::2]
    powers, inverses = _powers(len(letters) + 1)
    sums = np.zeros(len(letters) + 1, np.uint64)
    np.cumsum(letters * powers[: len(letters)], out=sums[1:])
    hashed = _mixed((sums[ends] - sums[begins]) * inverses[begins])
    lengths = np.fromiter((len(part) + 1 for part in parts), np.int64, len(parts))
    starts = np.searchsorted(begins, np.concatenate([[0], np.cumsum(lengths)]))
    return Flat(hashed, starts.astype(np.int64))


def grams(found: Flat, length: int) -> Flat:
    """Runs of `length` words; a shorter text is one gram of all its words, an empty one none."""
    values = np.zeros(len(found.values), np.uint64)
    for at in range(min(length, len(values))):
        values[: len(values) - at] += found.values[at:] * np.uint64(pow(BASE, at + 1, 1 << 64))
    counts = np.maximum(found.counts - length + 1, np.minimum(found.counts, 1))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    taken = np.repeat(found.starts[:-1] - starts[:-1], counts) + np.arange(starts[-1])
    chosen = values[taken]
    for short in np.flatnonzero((found.counts > 0) & (found.counts < length)):
        chosen[starts[short]] = _together(found[int(short)])
    return Flat(_mixed(chosen), starts)


def signatures(found: Flat, permutations: int) -> NDArray[np.uint32]:
    """MinHash of each text's grams, [texts, permutations]."""
    from rensa import RMinHash

    if not len(found):
        return np.zeros((0, permutations), np.uint32)
    made: Any = RMinHash.digest_matrix_from_flat_token_hashes(
        found.values, found.starts.astype(np.uint64), permutations, SEED
    )
    return np.array(made.to_rows(), np.uint32)


def bodies(found: Flat) -> Hashes:
    """One hash a text over all its words in their order; 0 where it has none."""
    places = np.arange(len(found.values)) - np.repeat(found.starts[:-1], found.counts)
    powers, _ = _powers(int(found.counts.max(initial=0)) + 1)
    sums = np.zeros(len(places) + 1, np.uint64)
    np.cumsum(found.values * powers[places], out=sums[1:])
    return _mixed(sums[found.starts[1:]] - sums[found.starts[:-1]])


def jaccard(one: Hashes, other: Hashes) -> float:
    """Similarity of two sets of grams, each sorted and without repeats."""
    shared = len(np.intersect1d(one, other, assume_unique=True))
    together = len(one) + len(other) - shared
    return shared / together if together else 0.0


def salted(values: Hashes, salt: int) -> Hashes:
    """The same hashes in a space of their own, so that keys of two kinds never meet."""
    return _mixed(values ^ np.uint64(salt * BASE % (1 << 64)))


def batches(texts: Iterable[str], size: int = BATCH) -> Iterator[Sequence[str]]:
    """Texts in parts small enough to be hashed in cache."""
    stream = iter(texts)
    while part := list(islice(stream, size)):
        yield part


def _plain(text: str) -> bytes:
    text = text.lower()
    return text.encode() if text.isascii() else FOREIGN.sub(" ", text).encode("utf-8", "replace")


def _together(values: Hashes) -> np.uint64:
    total = sum(int(value) * pow(BASE, at + 1, 1 << 64) for at, value in enumerate(values))
    return np.uint64(total % (1 << 64))


def _mixed(values: Hashes) -> Hashes:
    """The finaliser of MurmurHash3 (Appleby): every bit depends on every other."""
    values = values ^ (values >> np.uint64(33))
    values *= np.uint64(0xFF51AFD7ED558CCD)
    values ^= values >> np.uint64(33)
    values *= np.uint64(0xC4CEB9FE1A85EC53)
    values ^= values >> np.uint64(33)
    return values


def _powers(count: int) -> tuple[Hashes, Hashes]:
    """BASE to the powers 0 … count or more, and the inverses of these."""
    return _raised(1 << max(count - 1, SMALLEST_TABLE).bit_length())


@lru_cache(maxsize=2)
def _raised(size: int) -> tuple[Hashes, Hashes]:
    upwards, downwards = np.full(size, BASE, np.uint64), np.full(size, pow(BASE, -1, 1 << 64), np.uint64)
    upwards[0] = downwards[0] = 1
    return np.multiply.accumulate(upwards), np.multiply.accumulate(downwards)
