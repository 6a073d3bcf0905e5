"""The texts that stay: training documents in shards of equal parts of the seeded order; two held-out sets.

A shard gathers its documents out of all chunks, where they lie side by side, and leaves out what evaluation
sets or held-out documents hold.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from finground.core.artifact import write_rows
from finground.core.coding import decode
from finground.corpus import grams, overlap
from finground.corpus.chunks import BY_DATE, BY_SOURCE, PARTS, TRAIN, Chunk, Rejected
from finground.corpus.resolve import stays
from finground.corpus.sample import WHOLE
from finground.corpus.work import made
from finground.records.document import Document, Dropped
from finground.settings import Corpus


@dataclass(frozen=True, slots=True)
class Keeping:
    """One task: shard `number` of `count`."""

    out: Path
    key: str
    chunks: tuple[Path, ...]
    sifted: tuple[Path, ...]
    guard: Path
    number: int
    count: int
    settings: Corpus


def keep(task: Keeping) -> dict[str, Any]:
    """Write the documents of a training shard and what is dropped of it; counts both."""
    counts: dict[str, Any] = made(task.out, task.key, partial(_keep, task))
    return counts


def hold_out(
    out: Path, chunks: Sequence[Path], sifted: Sequence[Path], raw: Path, settings: Corpus
) -> dict[str, int]:
    """Write the two held-out sets, and what training is held against."""
    everything: list[Document] = []
    for part in (BY_DATE, BY_SOURCE):
        lines = [
            line
            for chunk, stay in zip(chunks, sifted, strict=True)
            for line in _lines(chunk, stay, part, (0, WHOLE))
        ]
        documents = [decode(line, Document) for _, _, line in sorted(lines)]
        write_rows(out / f"{part}.jsonl", documents)
        everything += documents
    return overlap.write(out, raw, settings, everything)


def _keep(task: Keeping, out: Path) -> dict[str, Any]:
    bounds = (task.number * WHOLE // task.count, (task.number + 1) * WHOLE // task.count)
    found = [each for chunk, stay in zip(task.chunks, task.sifted, strict=True)
             for each in _lines(chunk, stay, TRAIN, bounds)]  # fmt: skip
    lines = iter(sorted(found))
    guard = overlap.Guard.open(task.guard, task.settings)
    dropped: list[Dropped] = []
    rejected: list[Rejected] = []
    with (out / "documents.jsonl").open("wb") as kept:
        while part := [line for _, _, line in islice(lines, grams.BATCH)]:
            documents = [decode(line, Document) for line in part]
            for line, document, reason in zip(part, documents, guard.reasons(documents), strict=True):
                if reason is None:
                    kept.write(line)
                    continue
                dropped.append(Dropped(document.id, document.source, reason))
                if reason in task.settings.keep_rejected:
                    rejected.append(Rejected(reason, document))
    write_rows(out / "dropped.jsonl", sorted(dropped, key=lambda each: (each.source, each.reason, each.id)))
    write_rows(out / "rejected.jsonl", rejected)
    return {"documents": len(found) - len(dropped), "dropped": Counter(each.reason for each in dropped)}


def _lines(
    folder: Path, sifted: Path, part: str, bounds: tuple[int, int]
) -> Iterator[tuple[int, int, bytes]]:
    """Place, moment and line of a chunk's documents of one part, from the first place up to the second."""
    chunk, stay = Chunk.open(folder), stays(sifted)
    places = np.ascontiguousarray(chunk.rows["place"])
    begin = int(np.searchsorted(places, np.uint64(bounds[0]), "left"))
    end = len(places) if bounds[1] >= WHOLE else int(np.searchsorted(places, np.uint64(bounds[1]), "left"))
    rows = chunk.rows[begin:end]
    for row in np.flatnonzero(stay[begin:end] & (rows["part"] == PARTS.index(part))):
        yield int(places[begin + row]), int(rows["published"][row]), chunk.line(begin + int(row))
