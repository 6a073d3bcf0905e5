"""Which documents are trained on, which held out, which dropped: every step of the corpus but its tokens.

read → share → clean → limit → copies → held out → decontaminate

Each arrow is a step over shards, done once (`work.py`): text is read twice, and between lie sorted hashes.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from finground.core.artifact import manifest
from finground.core.errors import InputError
from finground.core.log import progress, timed
from finground.corpus import keep, match, resolve, sources
from finground.corpus.chunks import BY_DATE, BY_SOURCE, PARTS, TRAIN, Chunk
from finground.corpus.files import found, stamp
from finground.corpus.ledger import reasons
from finground.corpus.sample import threshold
from finground.corpus.work import Workplace, key_of, made, written
from finground.settings import Corpus

VERSION = 1  # of these steps; raised when what they write changes
HELD_BY = {"evaluation", "overlap", "near"}
T = TypeVar("T")
R = TypeVar("R")
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Selected:
    """The steps that hold what is kept, and what was counted on the way."""

    chunks: tuple[Path, ...]
    sifted: tuple[Path, ...]
    held: Path
    kept: tuple[Path, ...]
    records: int
    dropped: dict[str, int]
    evaluation: dict[str, int]


def select(raw: Path, settings: Corpus, seed: int, at: Workplace) -> Selected:
    """Decide for every document of a raw folder, in a workplace that is held.

    Raises:
        InputError: if the folder holds no documents, or none is left to train on.
    """
    read = _read(raw, settings, seed, at)
    counts = [manifest(folder)["made"] for folder in read]
    records, keys = (sum(each[what] for each in counts) for what in ("records", "keys"))
    if not records:
        patterns = ", ".join(source.files for source in settings.sources)
        raise InputError(f"0 documents in {raw}; it should hold {patterns}")
    limits = _limits(read, settings)
    resolved = _copies(read, keys, limits, settings, at)
    sifted, sifted_counts = _sift(read, resolved, limits, settings, at)
    held = at.folder / "held" / "out"
    stamps = [(place, stamp(place)) for each in settings.evaluation for place, _ in found(each.files, raw)]
    key = key_of(VERSION, written(sifted), settings.model_dump(mode="json", include=HELD_BY), stamps)
    evaluation = made(held, key, lambda out: keep.hold_out(out, read, sifted, raw, settings))
    kept, kept_counts = _keep(
        read, sifted, held, sum(each["stay"][TRAIN] for each in sifted_counts), settings, at
    )
    dropped = reasons([each["dropped"] for each in [*sifted_counts, *kept_counts]])
    if not any(each["documents"] for each in kept_counts):
        why = ", ".join(f"{count} {reason}" for reason, count in dropped.items()) or "all held out"
        raise InputError(
            f"0 documents to train on of {records} in {raw} ({why}); "
            "see corpus.shares, min_words, holdout_from and holdout_source in params.yaml"
        )
    return Selected(tuple(read), tuple(sifted), held, tuple(kept), records, dropped, evaluation)


def _read(raw: Path, settings: Corpus, seed: int, at: Workplace) -> list[Path]:
    """Raw files to chunks."""
    folder = at.folder / "read"
    tasks = [sources.Reading(group, folder, settings, seed) for group in sources.groups(raw, settings)]
    names = [name for group in run(at, sources.read_group, tasks, "reading") for name in group]
    return at.steps("read", names)


def _limits(read: Sequence[Path], settings: Corpus) -> tuple[int, ...]:
    """By part, the place up to which documents are taken."""
    most = {
        TRAIN: settings.max_documents,
        BY_DATE: settings.holdout_documents,
        BY_SOURCE: settings.holdout_documents,
    }
    rows = [Chunk.open(folder).rows for folder in read] if any(most.values()) else []
    return tuple(
        threshold((each["place"][each["part"] == number] for each in rows), most[part])
        for number, part in enumerate(PARTS)
    )


def _copies(
    read: Sequence[Path], keys: int, limits: tuple[int, ...], settings: Corpus, at: Workplace
) -> Path:
    """Candidates by ranges of keys, checked chunk by chunk, then one verdict for all."""
    before, near = written(read), settings.near.model_dump(mode="json")
    bounds = match.ranges(keys)
    ranges = at.steps("candidates", (f"{number:05d}" for number in range(len(bounds))))
    searching = [
        match.Range(out, key_of(VERSION, before, limits, low, high), tuple(read), low, high, limits)
        for out, (low, high) in zip(ranges, bounds, strict=True)
    ]
    run(at, match.candidates, searching, "candidates")
    before = written(ranges)
    checked = at.steps("links", (folder.name for folder in read))
    checking = [
        match.Checking(
            out, key_of(VERSION, before, near, number), tuple(read), tuple(ranges), number, settings.near
        )
        for number, out in enumerate(checked)
    ]
    run(at, match.check, checking, "copies")
    resolved = at.folder / "copies" / "out"
    made(resolved, key_of(VERSION, written(checked)), lambda out: resolve.resolve(out, read, checked))
    return resolved


def _sift(
    read: Sequence[Path], resolved: Path, limits: tuple[int, ...], settings: Corpus, at: Workplace
) -> tuple[list[Path], list[Any]]:
    """Which documents of each chunk stay, and why the others do not."""
    sifted = at.steps("sifted", (folder.name for folder in read))
    key = key_of(VERSION, written([resolved]), limits, settings.keep_rejected)
    tasks = [
        resolve.Sifting(
            out, key_of(key, number), tuple(read), number, resolved, limits, settings.keep_rejected
        )
        for number, out in enumerate(sifted)
    ]
    return sifted, run(at, resolve.sift, tasks, "sifting")


def _keep(
    read: Sequence[Path], sifted: Sequence[Path], held: Path, stay: int, settings: Corpus, at: Workplace
) -> tuple[list[Path], list[Any]]:
    """Training documents in shards, without what evaluation holds."""
    count = max(1, -(-stay // settings.shard))
    kept = at.steps("kept", (f"{TRAIN}-{number:05d}" for number in range(count)))
    key = key_of(VERSION, written([held]), written(sifted), count)
    tasks = [
        keep.Keeping(out, key_of(key, number), tuple(read), tuple(sifted), held, number, count, settings)
        for number, out in enumerate(kept)
    ]
    return kept, run(at, keep.keep, tasks, "texts")


def run(at: Workplace, does: Callable[[T], R], tasks: Sequence[T], what: str) -> list[R]:
    """Run tasks where the workplace runs them, and say how many and how long."""
    with timed(log, f"corpus: {what}, {len(tasks)} shards"):
        return list(progress(at.each(does, tasks), what, len(tasks)))
