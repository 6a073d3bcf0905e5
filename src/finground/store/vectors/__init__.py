"""Backends for the vectors of headlines: filter first, then exact cosines, with as many results as qualify.

A backend stores unit vectors of news and finds the nearest of those a filter leaves; none is approximate.
`embedded` keeps them in files beside an SQLite store, `pgvector` in PostgreSQL, `elastic` in Elasticsearch.
The width of a store's vectors is fixed by the first ones: another encoder needs another store (PAPERS P12).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, select

from finground.core.errors import InputError
from finground.store import schema

Array = npt.NDArray[np.float32]
WIDTH = select(schema.vector_space.c.width)


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for: companies (None is all), seconds UTC from `start` to `end`, and how many."""

    companies: Sequence[str] | None
    start: int
    end: int
    k: int
    threshold: float


class Vectors(Protocol):
    """Where a store's vectors lie."""

    def add(self, connection: Connection, news: Sequence[Mapping[str, Any]], vectors: Array) -> None:
        """Keep the vectors [n, width] of `n` rows of news, which are written in the same transaction."""

    def links(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Rows of `news_companies` as this backend wants them stored."""

    def nearest(self, connection: Connection, wanted: Search, vector: Array) -> list[tuple[str, float]]:
        """Ids and cosines of the `k` nearest that the filter leaves and the threshold lets pass."""

    def of(self, connection: Connection, news: Sequence[str]) -> Array:
        """The vectors of these ids, in their order."""


def check_width(connection: Connection, width: int, recorded_at: int | None = None) -> None:
    """Fix the width of a store's vectors, or hold a new one to it.

    Raises:
        InputError: if the store's vectors are of another width.
    """
    held = connection.scalar(WIDTH)
    if held is None and recorded_at is not None:
        connection.execute(schema.vector_space.insert(), [{"width": width, "recorded_at": recorded_at}])
    elif held not in (None, width):
        raise InputError(
            f"the store's headlines are vectors of width {held}, this encoder's have {width}; "
            "use the encoder they were ingested with, or ingest into a new store"
        )
