"""Raw files to chunks: the files of a source in the order of their names, grouped to tasks of like size.

Every record comes out, as a `Document` or as a `Dropped` with the reason; nothing vanishes.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from finground.core.artifact import read_json, write_json
from finground.core.errors import InputError
from finground.corpus import chunks, feeds, filings, newsml, reuters, tables
from finground.corpus.files import found, stamp
from finground.corpus.work import key_of, made, standing
from finground.records.document import Document, Dropped
from finground.settings import Corpus, Source

Reader = Callable[[str, Source], Iterator[Document | Dropped]]
READERS: dict[str, Reader] = {
    "reuters": reuters.read, "newsml": newsml.read, "jsonl": tables.read, "csv": tables.read,
    "parquet": tables.read, "edgar": filings.read, "rss": feeds.read,
}  # fmt: skip
GROUP = 32 << 20  # bytes of raw files that one task reads, at least
HELD = 64 << 20  # characters of one chunk, at most one document more
VERSION = 2  # of what a chunk holds; raised when reading, cleaning or hashing change
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Group:
    """Raw files that one task reads."""

    name: str
    source: Source
    places: tuple[str, ...]
    bytes: int


@dataclass(frozen=True, slots=True)
class Reading:
    """One task: a group into chunks below a folder."""

    group: Group
    folder: Path
    settings: Corpus
    seed: int


def groups(raw: Path, settings: Corpus) -> list[Group]:
    """All files of all sources, in their order.

    Raises:
        InputError: if the raw folder is missing.
    """
    if not raw.is_dir():
        raise InputError(f"{raw} is not there; give a folder with news/ and sec/ in it")
    made: list[Group] = []
    for number, source in enumerate(settings.sources):
        places: list[str] = []
        size = 0
        files = found(source.files, raw)
        for at, (place, bytes) in enumerate(files):
            places.append(place)
            size += bytes
            if size >= GROUP or at == len(files) - 1:
                name = f"{number:02d}-{source.name}-{sum(each.source is source for each in made):05d}"
                made.append(Group(name, source, tuple(places), size))
                places, size = [], 0
    return made


def read(group: Group) -> Iterator[Document | Dropped]:
    """The records of a group's files; only a piece of a file, or one record, is in memory at a time.

    Raises:
        InputError: if a file is damaged; names it.
    """
    reader = READERS[group.source.read]
    return chain.from_iterable(reader(place, group.source) for place in group.places)


def parts(records: Iterable[Document | Dropped], most: int) -> Iterator[list[Document | Dropped]]:
    """Records in parts of `most`, or fewer where they are long: a part is what a worker holds in memory."""
    part: list[Document | Dropped] = []
    size = 0
    for record in records:
        part.append(record)
        size += len(record.text) if isinstance(record, Document) else 0
        if len(part) == most or size >= HELD:
            yield part
            part, size = [], 0
    if part:
        yield part


def read_group(task: Reading) -> list[str]:
    """Make the chunks of a group that are not there yet; returns the names of all."""
    group, settings = task.group, task.settings
    about = settings.model_dump(mode="json", include=set(READ_BY))
    key = key_of(VERSION, about, task.seed, group.source.model_dump(mode="json"),
                 [(place, stamp(place)) for place in group.places])  # fmt: skip
    done = task.folder / f"{group.name}.json"
    if done.is_file() and (before := read_json(done))["key"] == key:
        names: list[str] = before["chunks"]
        if all(standing(task.folder / name, key) is not None for name in names):
            return names
    names = []
    for part in parts(read(group), settings.shard):
        names.append(f"{group.name}-{len(names):05d}")
        made(
            task.folder / names[-1],
            key,
            partial(chunks.write, records=part, settings=settings, seed=task.seed),
        )
    write_json(done, {"key": key, "chunks": names})
    return names


READ_BY = (
    "shares", "min_words", "max_words", "shard", "near", "keep_rejected", "holdout_from", "holdout_source"
)  # fmt: skip
