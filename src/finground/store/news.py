"""News by company and date first, then ranked exactly by cosine with the question (case S8).

Where the vectors lie is a backend's matter (`store/vectors`); nothing is approximate.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Select, select

from finground.records.bundle import Passage
from finground.store import schema
from finground.store.vectors import Search, Vectors, check_width

__all__ = ["Search", "search"]


def search(
    connection: Connection, vectors: Vectors, wanted: Search, vector: npt.NDArray[np.float32] | None
) -> tuple[Passage, ...]:
    """The `k` items nearest to the vector and not under the threshold; without a vector the latest `k`, with
    score 0.

    Raises:
        InputError: if the vector is not as wide as the store's.
    """
    news = schema.news.c
    if vector is None:
        latest = _filtered(select(news.id), wanted).order_by(news.published_at.desc(), news.id)
        ids: Sequence[str] = connection.scalars(latest.limit(wanted.k)).all()
        return _passages(connection, dict.fromkeys(ids, 0.0))
    check_width(connection, len(vector))
    return _passages(connection, dict(vectors.nearest(connection, wanted, vector)))


def _filtered(query: Select[Any], wanted: Search) -> Select[Any]:
    """The query over the items of the window, about the companies."""
    news, about = schema.news.c, schema.news_companies.c
    inside = query.where(news.published_at >= wanted.start, news.published_at <= wanted.end)
    if wanted.companies is not None:
        # a link's time is that of the copy that named the company: only from then is the item about it
        named = select(about.news).where(
            about.company.in_(wanted.companies),
            about.published_at >= wanted.start,
            about.published_at <= wanted.end,
        )
        inside = inside.where(news.id.in_(named))
    return inside


def _passages(connection: Connection, scores: dict[str, float]) -> tuple[Passage, ...]:
    """The items in the order of `scores`."""
    if not scores:
        return ()
    news = schema.news.c
    columns = (news.id, news.published_at, news.source, news.headline, news.body, news.url, news.tickers)
    found = {
        id: Passage(
            id, schema.moment(published), source, headline, body, url, tuple(tickers.split()), scores[id]
        )
        for id, published, source, headline, body, url, tickers in connection.execute(
            select(*columns).where(news.id.in_(list(scores)))
        )
    }
    return tuple(found[id] for id in scores)
