"""The agent that needs no model: a question to a data request, by names, phrases and a few patterns.

It finds metrics and dates first, then companies in what is left, so that a word is never read twice. What it
cannot read it says: an ambiguous name, a date that is none, a question that names nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from finground.agent import doubts as doubting
from finground.agent import phrasing, ranking, whom
from finground.agent.spelling import Speller
from finground.catalog import dates
from finground.catalog.catalog import MARKET, Catalog
from finground.catalog.companies import Companies
from finground.catalog.mention import Mention
from finground.catalog.metrics import Metric
from finground.core.errors import CatalogError, DateError, RequestError
from finground.records.request import (
    Entity,
    Interval,
    QuestionKind,
    Rank,
    Reading,
    Request,
    RequestedMetric,
)

PAST = re.compile(r"\b(?:was|were|did|had)\b", re.I)
YES_NO = re.compile(
    r"^\W*(?:is|are|was|were|did|do|does|has|have|had|will|would|should|can|could)\b"
    r"|,\s*(?:is|are|should|can|would) \w+",
    re.I,
)
SUPERLATIVE_SIZE = re.compile(r"\b(?:largest|biggest|smallest)\b", re.I)
ASK = 'ask e.g. "What was Apple\'s net income in Q4 2023?"'


@dataclass(frozen=True, slots=True)
class When:
    """The dates of a question: all its periods from first to last, as asked, and where they stand."""

    interval: Interval | None
    phrase: str
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class RulesAgent:
    """Reads questions over one catalogue."""

    catalog: Catalog

    @cached_property
    def _speller(self) -> Speller:
        return Speller(self.catalog)

    def request(self, query: str, as_of: datetime) -> Request:
        """What the question asks for; raises what `read` raises."""
        return self.read(query, as_of).request

    def read(self, query: str, as_of: datetime) -> Reading:
        """What the question asks for, and how sure that is.

        Raises:
            RequestError: if it names nothing that data could be looked up for.
            CatalogError: if a name is ambiguous, or an unknown company is all there is.
            DateError: if a date in it is none.
        """
        seen = self.pieces(query, as_of)
        people, primary, rank = seen.people, seen.primary, seen.rank
        entities = people.entities or ((MARKET,) if rank or people.everyone else ())
        metrics = self.catalog.expand(primary)
        _check(seen.query, entities, metrics, people.unknown, seen.when)
        ranked = _rank(rank, primary, entities, seen.query)
        unresolved = tuple(one.text for one in people.unknown)
        kind = kind_of(seen.query, entities, metrics, ranked, unresolved)
        doubted = list(seen.doubts)
        if kind == "analysis" and not phrasing.WHOLE.search(seen.query):
            doubted.append(doubting.Doubt("no metric was read, so all is analysed", doubting.NO_METRIC))
        when = seen.when
        request = Request(kind, entities, metrics, when.interval, when.phrase, ranked, unresolved)
        return seen.reading(request, doubted)

    def pieces(self, query: str, as_of: datetime) -> "Pieces":
        """What the question names, before it is asked whether that makes a request.

        Raises:
            CatalogError: if a name is ambiguous.
            DateError: if a date in it is none.
        """
        asked, query = query, self._speller.mend(query)
        doubted = doubting.slips(asked, query)
        when = _when(query, as_of, self.catalog.companies)
        named = [one for one in self.catalog.metrics.mentions(query) if not _inside(one, when.places)]
        explained = [(one.start, one.end) for one in named] + list(when.places)
        people = whom.read(query, self.catalog.companies, as_of, explained)
        rank = ranking.read(query)
        if not (people.entities or people.unknown or people.everyone or rank):
            certain = when.interval is not None or PAST.search(query) is not None
            people = whom.unmarked(query, self.catalog.companies, as_of, explained, certain=certain)
            doubted += [
                doubting.Doubt(f"{entity.name} is meant", doubting.TAKEN_NAME) for entity in people.entities
            ]
        primary = _primary(named, people.places, query, rank)
        if primary and not named:
            name = self.catalog.metrics.by_slug(primary[0]).name
            doubted.append(doubting.Doubt(f"{name} is meant; no metric is named", doubting.TAKEN_METRIC))
        return Pieces(query, when, people, tuple(primary), rank, tuple(explained), tuple(doubted))


@dataclass(frozen=True, slots=True)
class Pieces:
    """What a question names; `query` with its slips mended, `explained` the places of metrics and dates."""

    query: str
    when: When
    people: whom.Whom
    primary: tuple[str, ...]
    rank: ranking.Asked | None
    explained: tuple[tuple[int, int], ...]
    doubts: tuple[doubting.Doubt, ...]

    def reading(self, request: Request, doubted: Sequence[doubting.Doubt]) -> Reading:
        """The request with what is doubtful about it, words that were not read among it."""
        names = [*(entity.name for entity in request.entities), *request.unresolved]
        every = [
            *doubted,
            *(doubting.Doubt(f"{text!r} is not known", doubting.UNKNOWN_NAME) for text in request.unresolved),
            *doubting.unread(self.query, [*self.explained, *self.people.places], names),
        ]
        return Reading(request, doubting.sureness(every), tuple(doubt.text for doubt in every))


def _when(query: str, as_of: datetime, companies: Companies) -> When:
    found = dates.find(query, as_of, companies.has_ticker)
    if not found:
        return When(None, "", ())
    interval = Interval(min(one[3].start for one in found), max(one[3].end for one in found))
    phrase = " and ".join(one[2] for one in found)
    if len(found) > 1 and not _says(phrase, interval, as_of):
        phrase = dates.written(interval)
    return When(interval, phrase, tuple((one[0], one[1]) for one in found))


def _says(phrase: str, interval: Interval, as_of: datetime) -> bool:
    try:
        return dates.parse(phrase, as_of) == interval
    except DateError:
        return False


def _primary(
    named: list[Mention[Metric]],
    companies: tuple[tuple[int, int], ...],
    query: str,
    rank: ranking.Asked | None,
) -> list[str]:
    """The metrics asked for; a ranking by size alone is by market value."""
    slugs = [one.found.slug for one in named if one.found and not _inside(one, companies)]
    if rank and not slugs and SUPERLATIVE_SIZE.search(query):
        return ["market-capitalisation"]
    return list(dict.fromkeys(slugs)) or phrasing.meant(_without(query, companies))


def _without(query: str, places: tuple[tuple[int, int], ...]) -> str:
    """The question with these places blank."""
    for start, end in places:
        query = query[:start] + " " * (end - start) + query[end:]
    return query


def _inside(one: Mention[Metric], places: tuple[tuple[int, int], ...]) -> bool:
    return any(start <= one.start and one.end <= end for start, end in places)


def _check(
    query: str,
    entities: tuple[Entity, ...],
    metrics: tuple[RequestedMetric, ...],
    unknown: tuple[whom.Unknown, ...],
    when: When,
) -> None:
    """Refuse a question that nothing can be looked up for; a metric alone, now, wants to be explained."""
    if unknown and not entities and not metrics:
        first = unknown[0]
        near = f"near it: {', '.join(first.candidates)}" if first.candidates else "write its name or ticker"
        raise CatalogError(f"no company is known as {first.text!r}; {near}", first.candidates)
    if not entities and not unknown and not metrics:
        raise RequestError(f"question {query!r} names no company, industry or metric; {ASK}")
    if not entities and not unknown and (when.interval is not None or PAST.search(query)):
        raise RequestError(f"question {query!r} names no company or industry; {ASK}")


def _rank(
    asked: ranking.Asked | None, primary: Sequence[str], entities: tuple[Entity, ...], query: str
) -> Rank | None:
    if asked is None or (not asked.explicit and any(entity.kind == "company" for entity in entities)):
        return None
    if not primary:
        raise RequestError(
            f"question {query!r} ranks without saying by what; name a metric, e.g. 'by net income'"
        )
    return Rank(primary[0], asked.n, asked.descending)


def kind_of(
    query: str, entities: tuple[Entity, ...], metrics: tuple[RequestedMetric, ...], rank: Rank | None,
    unresolved: tuple[str, ...] = (),
) -> QuestionKind:  # fmt: skip
    """What kind of question it is, once it is known whom and what it names."""
    if not entities and not unresolved:
        return "educational"
    kinds = {entity.kind for entity in entities}
    if rank is not None:
        return "ranking"
    if not metrics:
        return "analysis"
    if "peers" in kinds:
        return "peers"
    if "industry" in kinds:
        return "industry"
    if len(entities) > 1:
        return "comparative"
    return "yes-no" if YES_NO.search(query) else "open-ended"
