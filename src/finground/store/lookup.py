"""A request, and what tools need, served from the store in one read as of one moment.

What comes out is a Bundle: facts and series with sources, passages, and a gap for each thing asked for and
not there. A request compiles to fixed statements over ids the catalogue knows; texts of users never become
part of one (law 4), and no statement is without `as_of` (law 1).
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from finground.catalog.catalog import Catalog
from finground.records.bundle import Bundle, Gap, Needs
from finground.records.request import Request
from finground.store import news, ranking, schema
from finground.store.reader import Store
from finground.store.reading import MARKET, Reading, Take

NEWS_DAYS = 365  # how far back news is looked for when no dates are asked


def lookup(
    store: Store, request: Request, needs: Mapping[str, Needs], *, as_of: datetime, catalog: Catalog,
    vector: npt.NDArray[np.float32] | None, k: int, threshold: float,
) -> Bundle:  # fmt: skip
    """What was known at `as_of` of what the request asks and the tools need.

    Raises:
        CatalogError: if the request names an id, a metric or an industry that the catalogue does not know.
    """
    take = Take([Gap(text, "data", str(catalog.companies.unknown(text))) for text in request.unresolved])
    with store.reading() as connection:
        reading = Reading(connection, catalog, as_of)
        ranked = request.rank is not None
        members = {entity: reading.members(entity, take, ranked) for entity in request.entities}
        companies = list(dict.fromkeys(id for found in members.values() for id in found))
        slugs = [metric.slug for metric in request.metrics]
        if request.rank is not None:
            ranking.rank(reading, request.rank, companies, slugs, request.interval, take)
        elif slugs:
            if not companies and not request.unresolved and request.entities:
                take.gaps.append(
                    Gap(request.entities[0].id, "data", f"no company with data by {as_of:%Y-%m-%d}")
                )
            reading.asked(companies, slugs, request.interval, take)
        if any(entity.kind == "market" for entity in request.entities) and not request.rank:
            reading.index(take, 1 if request.interval is None else None, request.interval)
        reading.needed(needs, request.interval, take)
        wanted = search_of(request, needs, members_of_news(request, companies), as_of, (k, threshold))
        passages = news.search(connection, store.vectors, wanted, vector)
    sources = [row.source for rows in (take.facts.values(), take.series.values(), passages) for row in rows]
    return Bundle(
        as_of,
        tuple(take.facts.values()),
        tuple(take.series.values()),
        passages,
        tuple(dict.fromkeys(take.gaps)),
        any(schema.is_synthetic(source) for source in sources),
    )


def members_of_news(request: Request, companies: list[str]) -> list[str] | None:
    """Whose news: the companies named, else the members of what is named, else everyone's."""
    named = [entity.id for entity in request.entities if entity.kind in ("company", "peers")]
    if any(entity.kind == MARKET for entity in request.entities) or not (
        request.entities or request.unresolved
    ):
        return None
    return named or companies


def search_of(
    request: Request,
    needs: Mapping[str, Needs],
    companies: list[str] | None,
    as_of: datetime,
    best: tuple[int, float],
) -> news.Search:
    """The window of the news: the interval asked, widened to the days tools need; a year where no dates are
    asked.
    """
    until = schema.seconds(as_of)
    days = max((need.news_days for need in needs.values()), default=0)
    start, end = until - (days or NEWS_DAYS) * 86400, until
    if request.interval is not None:
        first = schema.seconds(datetime.combine(request.interval.start, datetime.min.time(), as_of.tzinfo))
        after = request.interval.end + timedelta(days=1)
        last = schema.seconds(datetime.combine(after, datetime.min.time(), as_of.tzinfo)) - 1
        start = min(first, until - days * 86400) if days else first
        end = until if days else min(last, until)
    return news.Search(companies, start, end, *best)
