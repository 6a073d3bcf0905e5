"""News by company and date first, then ranked exactly by cosine with the question (case S8).

Where the vectors lie is a backend's matter (`store/vectors`); nothing is approximate.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Select, bindparam, select

from finground.records.bundle import Passage
from finground.store import schema
from finground.store.driver import fetched, one_of
from finground.store.vectors import Search, Vectors, check_width

__all__ = ["Search", "search"]

NEWS, ABOUT = schema.news.c, schema.news_companies.c


def search(
    connection: Connection, vectors: Vectors, wanted: Search, vector: npt.NDArray[np.float32] | None
) -> tuple[Passage, ...]:
    """The `k` items nearest to the vector and not under the threshold; without a vector the latest `k`, with
    score 0.

    Raises:
        InputError: if the vector is not as wide as the store's.
    """
    if wanted.k == 0:
        return ()
    if vector is not None:
        check_width(connection, len(vector))
        return _passages(connection, dict(vectors.nearest(connection, wanted, vector)))
    asked = {"start": wanted.start, "end": wanted.end, "k": wanted.k, "companies": wanted.companies}
    found = fetched(connection, _latest if wanted.companies is None else _latest_about, asked)
    return _passages(connection, {id: 0.0 for (id,) in found})


def _passages(connection: Connection, scores: dict[str, float]) -> tuple[Passage, ...]:
    """The items in the order of `scores`."""
    if not scores:
        return ()
    found = {
        id: Passage(
            id, schema.moment(published), source, headline, body, url, tuple(tickers.split()), scores[id]
        )
        for id, published, source, headline, body, url, tickers in fetched(
            connection, _items, {"ids": list(scores)}
        )
    }
    return tuple(found[id] for id in scores if id in found)


def _latest(_: str) -> Select[tuple[str]]:
    window = NEWS.published_at.between(bindparam("start"), bindparam("end"))
    return select(NEWS.id).where(window).order_by(NEWS.published_at.desc(), NEWS.id).limit(bindparam("k"))


def _latest_about(dialect: str) -> Select[tuple[str]]:
    """A link's time is that of the copy that named the company: only from then is the item about it."""
    window = ABOUT.published_at.between(bindparam("start"), bindparam("end"))
    named = select(ABOUT.news).where(one_of(dialect, ABOUT.company, "companies"), window)
    return _latest(dialect).where(NEWS.id.in_(named))


def _items(dialect: str) -> Select[tuple[Any, ...]]:
    told = (NEWS.id, NEWS.published_at, NEWS.source, NEWS.headline, NEWS.body, NEWS.url, NEWS.tickers)
    return select(*told).where(one_of(dialect, NEWS.id, "ids"))
