"""Vectors in two files beside an SQLite store: `vectors.f4`, one float32 row a headline, and `times.i8`.

The database says which row is whose and how many there are; rows are appended and flushed before it commits,
so a row behind the last one it knows is left over from a killed ingest and is written over. Readers map the
files: what a filter leaves is gathered and scored exactly, the whole is scored block by block.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Select, bindparam, func, select

from finground.store import schema
from finground.store.driver import fetched, one_of
from finground.store.vectors import Array, Search

BLOCK = 32_768  # rows scored at once
GATHERED = 1_024  # the same of rows that lie apart, so that their copies stay in the core's cache
ABOUT, PLACES = schema.news_companies.c, schema.news_places.c


@dataclass(frozen=True, slots=True)
class FileVectors:
    """Vectors in a folder."""

    folder: Path

    def add(self, connection: Connection, news: Sequence[Mapping[str, Any]], vectors: Array) -> None:
        """Append behind the last row the database knows."""
        first = _rows(connection)
        self.folder.mkdir(parents=True, exist_ok=True)
        times = np.array([row["published_at"] for row in news], dtype="<i8")
        for name, array in (("vectors.f4", vectors.astype("<f4")), ("times.i8", times)):
            path = self.folder / name
            with path.open("r+b" if path.exists() else "w+b") as out:
                out.truncate(first * array.itemsize * (array.size // len(array)))
                out.seek(0, os.SEEK_END)
                out.write(np.ascontiguousarray(array).data)
                out.flush()
                os.fsync(out.fileno())
        places = [{"place": first + at, "news": row["id"]} for at, row in enumerate(news)]
        connection.execute(schema.news_places.insert(), places)

    def links(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The rows with the places of their vectors, so that a filter need not look them up."""
        table, ids = schema.news_places.c, list({row["news"] for row in rows})
        places: dict[str, int] = {}
        for start in range(0, len(ids), 10_000):
            known = select(table.news, table.place).where(table.news.in_(ids[start : start + 10_000]))
            places |= dict(connection.execute(known).tuples().all())
        return [{**row, "place": places[row["news"]]} for row in rows]

    def nearest(self, connection: Connection, wanted: Search, vector: Array) -> list[tuple[str, float]]:
        """Exact cosines over the rows that the filter leaves."""
        rows = _rows(connection)
        if not rows:
            return []
        times = _mapped(self.folder / "times.i8", "<i8", (rows,))
        stored = _mapped(self.folder / "vectors.f4", "<f4", (rows, vector.shape[0]))
        places = _places(connection, wanted, times)
        scores = _scores(stored, places, vector)
        best = _best(scores, times[places], wanted)
        chosen = {int(places[at]): float(scores[at]) for at in best}
        ids = dict(fetched(connection, _at, {"places": list(chosen)})) if chosen else {}
        return [(ids[place], score) for place, score in chosen.items()]

    def of(self, connection: Connection, news: Sequence[str]) -> Array:
        """Rows of the file."""
        table = schema.news_places.c
        known = select(table.news, table.place).where(table.news.in_(news))
        places = dict(connection.execute(known).tuples().all())
        width = connection.scalar(select(schema.vector_space.c.width)) or 0
        stored = _mapped(self.folder / "vectors.f4", "<f4", (_rows(connection), width))
        return np.asarray(stored[[places[id] for id in news]])


def _mapped(path: Path, kind: str, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """The first rows of a file as an array, mapped anew only when the file has changed."""
    about = path.stat()
    return _map(path, kind, shape, about.st_ino, about.st_ctime_ns)


@lru_cache(maxsize=8)
def _map(path: Path, kind: str, shape: tuple[int, ...], _inode: int, _changed: int) -> npt.NDArray[Any]:
    return np.memmap(path, dtype=kind, mode="r", shape=shape).view(np.ndarray)


def _rows(connection: Connection) -> int:
    ((last,),) = fetched(connection, _last, {})
    return 0 if last is None else int(last) + 1


def _last(_: str) -> Select[tuple[int]]:
    return select(func.max(PLACES.place))


def _at(dialect: str) -> Select[tuple[int, str]]:
    return select(PLACES.place, PLACES.news).where(one_of(dialect, PLACES.place, "places"))


def _named(dialect: str) -> Select[tuple[int]]:
    window = ABOUT.published_at.between(bindparam("start"), bindparam("end"))
    return select(ABOUT.place).where(one_of(dialect, ABOUT.company, "companies"), window)


def _places(connection: Connection, wanted: Search, times: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The rows of the window about the companies, in order."""
    if wanted.companies is None:
        return np.flatnonzero((times >= wanted.start) & (times <= wanted.end))
    # a link's time is that of the copy that named the company: only from then is the item about it
    asked = {"companies": wanted.companies, "start": wanted.start, "end": wanted.end}
    places = np.unique(np.array(fetched(connection, _named, asked), dtype=np.int64).ravel())
    return np.asarray(places[times[places] >= wanted.start])


def _scores(stored: Array, places: npt.NDArray[np.int64], vector: Array) -> Array:
    """Dot products of the rows with the vector."""
    asked = vector.astype(np.float32)
    parts = [part @ asked for part in _parts(stored, places)]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)


def _parts(stored: Array, places: npt.NDArray[np.int64]) -> Iterator[Array]:
    """The rows, some at a time; such as lie together are not copied."""
    for start in range(0, len(places), BLOCK):
        block = places[start : start + BLOCK]
        if len(block) == block[-1] - block[0] + 1:
            yield stored[block[0] : block[-1] + 1]
        else:
            yield from (stored[block[at : at + GATHERED]] for at in range(0, len(block), GATHERED))


def _best(scores: Array, times: npt.NDArray[np.int64], wanted: Search) -> list[int]:
    """The `k` highest from the threshold on, of equal ones the latest first."""
    passing = np.flatnonzero(scores >= wanted.threshold)
    if len(passing) > wanted.k:
        last = np.partition(scores[passing], -wanted.k)[-wanted.k]
        passing = passing[scores[passing] >= last]
    order = np.lexsort((passing, -times[passing], -scores[passing]))
    return [int(at) for at in passing[order[: wanted.k]]]
