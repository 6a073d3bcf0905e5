"""News by company and date first, then ranked exactly by cosine with the question (case S8).

Vectors have length 1, so the cosine is a dot product over what the filter leaves; nothing is approximate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Select, select

from finground.records.bundle import Passage
from finground.store import schema


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for: companies (None is all), seconds UTC from `start` to `end`, and how many."""

    companies: Sequence[str] | None
    start: int
    end: int
    k: int
    threshold: float


def search(
    connection: Connection, wanted: Search, vector: npt.NDArray[np.float32] | None
) -> tuple[Passage, ...]:
    """The `k` items nearest to the vector and not under the threshold; without a vector the latest `k`, with
    score 0.
    """
    news = schema.news.c
    if vector is None:
        latest = _filtered(select(news.id), wanted).order_by(news.published_at.desc(), news.id)
        ids: Sequence[str] = connection.scalars(latest.limit(wanted.k)).all()
        return _passages(connection, dict.fromkeys(ids, 0.0))
    stored = schema.news_vectors.c
    joined = select(news.id, stored.vector).join(schema.news_vectors, stored.news == news.id)
    found = _filtered(joined, wanted).order_by(news.published_at.desc(), news.id)
    rows: Sequence[Any] = connection.execute(found).all()
    if not rows:
        return ()
    matrix = np.frombuffer(b"".join(row[1] for row in rows), dtype="<f4").reshape(len(rows), -1)
    scores = matrix @ vector.astype(np.float32)
    best = [
        int(at) for at in np.argsort(-scores, kind="stable")[: wanted.k] if scores[at] >= wanted.threshold
    ]
    return _passages(connection, {rows[at][0]: float(scores[at]) for at in best})


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
