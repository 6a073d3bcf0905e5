"""News by company and date first, then ranked exactly by cosine with the question (case S8).

Where the vectors lie is a backend's matter (`store/vectors`); nothing is approximate.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, bindparam, select

from finground.records.bundle import Passage
from finground.store import schema
from finground.store.vectors import Search, Vectors, check_width

__all__ = ["Search", "search"]

NEWS, ABOUT = schema.news.c, schema.news_companies.c
# statements are made once; what is asked comes as parameters
LATEST = (
    select(NEWS.id)
    .where(NEWS.published_at.between(bindparam("start"), bindparam("end")))
    .order_by(NEWS.published_at.desc(), NEWS.id)
    .limit(bindparam("k"))
)
# a link's time is that of the copy that named the company: only from then is the item about it
NAMED = select(ABOUT.news).where(
    ABOUT.company.in_(bindparam("companies", expanding=True)),
    ABOUT.published_at.between(bindparam("start"), bindparam("end")),
)
LATEST_ABOUT = LATEST.where(NEWS.id.in_(NAMED))
ITEMS = select(
    NEWS.id, NEWS.published_at, NEWS.source, NEWS.headline, NEWS.body, NEWS.url, NEWS.tickers
).where(NEWS.id.in_(bindparam("ids", expanding=True)))


def search(
    connection: Connection, vectors: Vectors, wanted: Search, vector: npt.NDArray[np.float32] | None
) -> tuple[Passage, ...]:
    """The `k` items nearest to the vector and not under the threshold; without a vector the latest `k`, with
    score 0.

    Raises:
        InputError: if the vector is not as wide as the store's.
    """
    if vector is not None:
        check_width(connection, len(vector))
        return _passages(connection, dict(vectors.nearest(connection, wanted, vector)))
    asked: dict[str, Any] = {"start": wanted.start, "end": wanted.end, "k": wanted.k}
    if wanted.companies is None:
        found = connection.scalars(LATEST, asked)
    else:
        found = connection.scalars(LATEST_ABOUT, {**asked, "companies": wanted.companies})
    return _passages(connection, dict.fromkeys(found, 0.0))


def _passages(connection: Connection, scores: dict[str, float]) -> tuple[Passage, ...]:
    """The items in the order of `scores`."""
    if not scores:
        return ()
    found = {
        id: Passage(
            id, schema.moment(published), source, headline, body, url, tuple(tickers.split()), scores[id]
        )
        for id, published, source, headline, body, url, tickers in connection.execute(
            ITEMS, {"ids": list(scores)}
        )
    }
    return tuple(found[id] for id in scores if id in found)
