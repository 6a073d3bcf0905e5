"""A follow-up in a conversation: "and Microsoft?" changes who was asked about and keeps the rest.

What the new question names (companies, metrics, dates) takes the place of the same in the request before it.
"""

import dataclasses
from dataclasses import dataclass
from datetime import datetime

from finground.catalog.catalog import Catalog, company_entity
from finground.catalog.dates import find
from finground.core.errors import RequestError
from finground.records.request import Entity, Reading, Request, RequestedMetric


@dataclass(frozen=True, slots=True)
class FollowUp:
    """An agent that reads a question against the request before it."""

    catalog: Catalog
    before: Request

    def read(self, query: str, as_of: datetime) -> Reading:
        """The request before, with what this question names in place.

        Raises:
            RequestError: if it names nothing that could change.
        """
        entities, unresolved = self._whom(query, as_of)
        metrics, dates = self._metrics(query), find(query, as_of)
        if not (entities or unresolved or metrics or dates):
            raise RequestError(
                f"the follow-up {query!r} names no company, metric or date; "
                "name what should change, as in 'and Microsoft?'"
            )
        before = self.before
        named = bool(entities or unresolved)
        changed = dataclasses.replace(
            before,
            entities=entities if named else before.entities,
            unresolved=unresolved if named else before.unresolved,
            metrics=metrics or before.metrics,
            interval=dates[0][3] if dates else before.interval,
            phrase=dates[0][2] if dates else before.phrase,
        )
        return Reading(changed)

    def _whom(self, query: str, as_of: datetime) -> tuple[tuple[Entity, ...], tuple[str, ...]]:
        mentions = self.catalog.companies.mentions(query, as_of)
        known = dict.fromkeys(mention.found for mention in mentions if mention.found is not None)
        unknown = tuple(mention.text for mention in mentions if mention.found is None)
        return tuple(company_entity(company) for company in known), unknown

    def _metrics(self, query: str) -> tuple[RequestedMetric, ...]:
        found = [
            mention.found.slug
            for mention in self.catalog.metrics.mentions(query)
            if mention.found is not None
        ]
        return self.catalog.expand(dict.fromkeys(found))
