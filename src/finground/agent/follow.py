"""A follow-up in a conversation: "and Microsoft?" changes who was asked about and keeps the rest.

What the new question names (companies, metrics, dates, a ranking) takes the place of the same in the request
before it. "Why did it fall?" is about the same request. What stands by itself is read by itself: an
explanation, and an analysis of a company by name.
"""

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from finground.agent import phrasing, whom
from finground.agent.rules import Pieces, RulesAgent, kind_of
from finground.catalog.catalog import MARKET, Catalog, peers_entity
from finground.core.errors import RequestError
from finground.records.request import Entity, Rank, Reading, Request, RequestedMetric

OWN_PEERS = re.compile(rf"\b(?:its|their|the) {whom.KIND}{{0,2}}{whom.PEER}", re.I)
BACK = re.compile(r"\b(?:it|its|they|their|them|that|those|these|this)\b", re.I)
WHY = re.compile(r"\bwhy\b|\bhow come\b", re.I)
MOVED = re.compile(
    r"\b(?:ris|rose|fall|fell|gr[eo]w|increas|decreas|drop|declin|improv|worsen|chang|shr[iau]n)\w*"
    r"|\b(?:up|down|higher|lower|more|less)\b",
    re.I,
)
BETWEEN = re.compile(r"\b(?:which|who|compare|difference|higher|lower|larger|smaller|better|worse)\b", re.I)
TOGETHER = re.compile(
    r"\b(?:compare|compared|comparison|against|versus|vs|higher|lower|larger|smaller|better|worse|than|too"
    r"|also|as well|add|both)\b",
    re.I,
)
EXPLAIN = re.compile(
    r"^\W*(?:and )?(?:what(?:['’]?s| is| are) an? |what (?:does|do|did) .*\b(?:mean|stand for)\b|explain\b"
    r"|define\b|meaning of\b|what(?:['’]?s| is| are) [\w/&-]+\W*$)",
    re.I,
)


@dataclass(frozen=True)
class FollowUp:
    """An agent that reads a question against the request before it."""

    catalog: Catalog
    before: Request

    def read(self, query: str, as_of: datetime) -> Reading:
        """The request before, with what this question names in place.

        Raises:
            RequestError: if it names nothing that could change and points back to nothing.
            CatalogError, DateError: as by rules.
        """
        seen, before = self._rules.pieces(query, as_of), self.before
        named = bool(seen.people.entities or seen.people.unknown)
        explains = bool(seen.primary) and not named and EXPLAIN.search(seen.query) is not None
        whole = not seen.primary and phrasing.WHOLE.search(seen.query) is not None
        if explains or (whole and named) or not (before.entities or before.unresolved or before.metrics):
            return self._rules.read(query, as_of)
        if whole and BACK.search(seen.query) and self._companies:
            return seen.reading(Request("analysis", self._companies, ()), seen.doubts)
        entities, unresolved = self._whom(seen)
        metrics = self.catalog.expand(seen.primary) or before.metrics
        when, rank = seen.when, self._rank(seen, metrics, entities)
        if not (named or seen.primary or when.interval or rank != before.rank or entities != before.entities):
            self._check_points_back(query, seen)
        changed = Request(
            kind_of(seen.query, entities, metrics, rank, unresolved), entities, metrics,
            when.interval or before.interval, when.phrase or before.phrase, rank, unresolved,
        )  # fmt: skip
        if (entities, metrics, rank) == (before.entities, before.metrics, before.rank):
            changed = dataclasses.replace(changed, kind=before.kind)
        return seen.reading(changed, seen.doubts)

    def _check_points_back(self, query: str, seen: Pieces) -> None:
        """Refuse what names nothing and is no question about the request before."""
        moved = MOVED.search(seen.query) is not None and BACK.search(seen.query) is not None
        several = len(self.before.entities) > 1 or self.before.rank is not None
        if not (WHY.search(seen.query) or moved or (several and BETWEEN.search(seen.query))):
            raise RequestError(
                f"the follow-up {query!r} names no company, metric or date; "
                "name what should change, as in 'and Microsoft?'"
            )

    @property
    def _companies(self) -> tuple[Entity, ...]:
        return tuple(entity for entity in self.before.entities if entity.kind == "company")

    def _whom(self, seen: Pieces) -> tuple[tuple[Entity, ...], tuple[str, ...]]:
        """Whom the question is about: those it names, beside those before where it sets them together."""
        people, before = seen.people, self.before
        unresolved = tuple(one.text for one in people.unknown)
        if people.entities or unresolved:
            alone = len(people.entities) + len(unresolved) == 1 and before.rank is None
            if alone and TOGETHER.search(seen.query):
                return tuple(dict.fromkeys((*before.entities, *people.entities))), unresolved
            return people.entities, unresolved
        if people.everyone:
            return (MARKET,), ()
        if OWN_PEERS.search(seen.query) and self._companies:
            known = self.catalog.companies
            return tuple(peers_entity(known.by_id(company.id)) for company in self._companies), ()
        if seen.rank and seen.rank.explicit and self._companies:
            return (MARKET,), ()
        return before.entities, before.unresolved

    def _rank(
        self, seen: Pieces, metrics: Sequence[RequestedMetric], entities: tuple[Entity, ...]
    ) -> Rank | None:
        """The ranking asked for now, or the one before of others, or by another metric."""
        before, by = self.before.rank, next((metric.slug for metric in metrics if metric.primary), None)
        asked = seen.rank if seen.rank and (seen.rank.explicit or before) else None
        if by is None or any(entity.kind == "company" for entity in entities):
            return None
        if asked:
            return Rank(by, asked.n, asked.descending)
        if before is None:
            return None
        return dataclasses.replace(before, by=by if seen.primary else before.by)

    @cached_property
    def _rules(self) -> RulesAgent:
        return RulesAgent(self.catalog)
