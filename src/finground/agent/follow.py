"""A follow-up in a conversation: "and Microsoft?" changes who was asked about and keeps the rest.

What the new question names (companies, metrics, dates) takes the place of the same in the request before it;
one that only points back ("why did it fall?") is about the same request; and one that asks for an analysis of
a company by name stands by itself.
"""

import dataclasses
import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from finground.agent import phrasing, whom
from finground.agent.rules import RulesAgent, kind_of
from finground.catalog.catalog import Catalog, peers_entity
from finground.catalog.dates import find
from finground.core.errors import RequestError
from finground.records.request import Entity, Rank, Reading, Request, RequestedMetric

OWN_PEERS = re.compile(rf"\b(?:its|their|the) {whom.KIND}{{0,2}}{whom.PEER}", re.I)
BACK = re.compile(r"\b(?:it|its|they|their|them|that|those|these|this|why|which|both)\b", re.I)


@dataclass(frozen=True)
class FollowUp:
    """An agent that reads a question against the request before it."""

    catalog: Catalog
    before: Request

    def read(self, query: str, as_of: datetime) -> Reading:
        """The request before, with what this question names in place.

        Raises:
            RequestError: if it names nothing that could change and points back to nothing.
            CatalogError: if a name is ambiguous.
        """
        metrics, dates = self._metrics(query), find(query, as_of)
        entities, unresolved = self._whom(query, as_of)
        named, before = bool(entities or unresolved), self.before
        if named and not metrics and phrasing.WHOLE.search(query):
            return self._rules.read(query, as_of)
        if not (named or metrics or dates or BACK.search(query)):
            raise RequestError(
                f"the follow-up {query!r} names no company, metric or date; "
                "name what should change, as in 'and Microsoft?'"
            )
        changed = dataclasses.replace(
            before,
            entities=entities if named else before.entities,
            unresolved=unresolved if named else before.unresolved,
            metrics=metrics or before.metrics,
            interval=dates[0][3] if dates else before.interval,
            phrase=dates[0][2] if dates else before.phrase,
            rank=None if named else self._rank(metrics),
        )
        if changed.entities == before.entities and changed.metrics == before.metrics:
            return Reading(changed)
        kind = kind_of(query, changed.entities, changed.metrics, changed.rank)
        return Reading(dataclasses.replace(changed, kind=kind))

    def _whom(self, query: str, as_of: datetime) -> tuple[tuple[Entity, ...], tuple[str, ...]]:
        metrics = [(one.start, one.end) for one in self.catalog.metrics.mentions(query)]
        dates = [(one[0], one[1]) for one in find(query, as_of)]
        found = whom.read(query, self.catalog.companies, as_of, [*metrics, *dates])
        if not (found.entities or found.unknown) and OWN_PEERS.search(query):
            return tuple(self._peers()), ()
        return found.entities, tuple(one.text for one in found.unknown)

    def _peers(self) -> list[Entity]:
        companies = [entity.id for entity in self.before.entities if entity.kind == "company"]
        return [peers_entity(self.catalog.companies.by_id(id)) for id in companies]

    def _rank(self, metrics: tuple[RequestedMetric, ...]) -> Rank | None:
        """The ranking before, by what is named now."""
        rank = self.before.rank
        return dataclasses.replace(rank, by=metrics[0].slug) if rank and metrics else rank

    def _metrics(self, query: str) -> tuple[RequestedMetric, ...]:
        found = [
            mention.found.slug
            for mention in self.catalog.metrics.mentions(query)
            if mention.found is not None
        ]
        return self.catalog.expand(dict.fromkeys(found))

    @cached_property
    def _rules(self) -> RulesAgent:
        return RulesAgent(self.catalog)
