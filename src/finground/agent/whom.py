"""Whom a question is about: companies, their peers, industries, everyone; and names that nobody knows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from finground.catalog import unmarked as names
from finground.catalog.catalog import company_entity, industry_entity, peers_entity
from finground.catalog.companies import Companies, Company
from finground.catalog.mention import Mention
from finground.catalog.names import Word, words
from finground.catalog.spotting import lists
from finground.core.errors import CatalogError
from finground.records.request import Entity

PEER = r"(?:peers?|competitors?|competition|rivals?)\b"
KIND = r"(?:(?:main|closest|direct|industry|sector|biggest|largest|key|listed|other) )"
OWN_PEERS = re.compile(rf"^\.?(?:['’`]s?)? {KIND}{{0,2}}{PEER}", re.I)
PEERS_OF = re.compile(rf"\b{PEER} (?:of|to|for) (?:the )?$", re.I)
WITH_PEERS = re.compile(
    rf"\b{PEER}|\b(?:its|the) (?:own )?(?:industry|sector)"
    r"(?: average| median)?(?=\W*(?:$|in\b|for\b|on\b|over\b|during\b|[,.?]))",
    re.I,
)
THEIR = re.compile(rf"\b(?:their|respective) {KIND}?{PEER}", re.I)
EVERYONE = re.compile(
    r"\b(?:all|every|any|various|different|listed|public|which|of|for|by|across)"
    r" (?:the )?(?:listed |public )?(?:compan(?:ies|y)|stocks|firms)\b"
    r"|\b(?:whole|entire|overall|general) market\b|\bgeneral companies\b"
    r"|\b(?:top|bottom|end) of the market\b",
    re.I,
)
HEADS = frozenset({
    "companies", "company", "firms", "firm", "stocks", "stock", "sector", "sectors", "industry", "industries",
    "businesses", "players", "peers", "space", "names",
})  # fmt: skip
NOT_IN = frozenset(
    {"marketing", "delivery", "education", "leasing", "engineering", "cash", "general", "gold"}
)
BEFORE = frozenset(
    ("top", "largest", "biggest", "best", "worst", "smallest", "all", "other", "which", "leading")
)
STRANGE = re.compile(
    r"\bin the (?P<sector>(?!same\b|entire\b|whole\b|their\b)[\w&-]+(?: [\w&-]+)?) (?:sector|industry)\b"
    r"|\b(?:companies|firms) in (?!the\b)(?P<plain>[\w&-]+)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name that the catalogue does not hold, and names near it."""

    text: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Whom:
    """Entities in the order of the question; `places` are where companies stand; `everyone` if all are
    meant."""

    entities: tuple[Entity, ...]
    unknown: tuple[Unknown, ...]
    places: tuple[tuple[int, int], ...]
    everyone: bool


def read(query: str, companies: Companies, as_of: datetime, explained: Sequence[tuple[int, int]]) -> Whom:
    """Whom the question is about.

    Raises:
        CatalogError: if a name may be that of several companies.
    """
    mentions = companies.mentions(query, as_of, explained)
    longer = [(one.start, one.end) for one in mentions if one.found]
    industries = [
        found for found in _industries(query, companies, explained) if not _within(found[:2], longer)
    ]
    places = [(start, end) for start, end, _ in industries]
    mentions = companies.mentions(query, as_of, [*explained, *places]) if places else mentions
    known = [one for one in mentions if one.found]
    mentions += names.beside(companies, query, as_of, known, [*explained, *places])
    _refuse_ambiguous(mentions)
    placed = [(start, industry_entity(name)) for start, _, name in industries] + _entities(query, mentions)
    entities = tuple(dict.fromkeys(entity for _, entity in sorted(placed, key=lambda pair: pair[0])))
    if not entities:
        industries = _industries(query, companies, explained, loose=True)
        entities = tuple(dict.fromkeys(industry_entity(name) for _, _, name in industries))
        places = [(start, end) for start, end, _ in industries]
    unknown = [Unknown(one.text, one.candidates) for one in mentions if one.found is None]
    unknown += _strange(query, companies, [*explained, *places, *((one.start, one.end) for one in mentions)])
    known_places = tuple((one.start, one.end) for one in mentions if one.found)
    return Whom(
        entities,
        tuple(dict.fromkeys(unknown)),
        known_places,
        not unknown and EVERYONE.search(query) is not None,
    )


def unmarked(
    query: str, companies: Companies, as_of: datetime, explained: Sequence[tuple[int, int]], *, certain: bool
) -> Whom:
    """Whom a question is about that `read` found nobody in; `certain` if it must be about somebody.

    Raises:
        CatalogError: if a name may be that of several companies.
    """
    mentions = names.unmarked(companies, query, as_of, explained, certain=certain)
    _refuse_ambiguous(mentions)
    entities = tuple(dict.fromkeys(entity for _, entity in _entities(query, mentions)))
    unknown = tuple(Unknown(one.text, one.candidates) for one in mentions if one.found is None)
    return Whom(entities, unknown, tuple((one.start, one.end) for one in mentions if one.found), False)


def _refuse_ambiguous(mentions: Sequence[Mention[Company]]) -> None:
    for one in mentions:
        if one.ambiguous:
            raise CatalogError(
                f"{one.text!r} may be {', '.join(one.candidates[:5])}; write the one that is meant",
                one.candidates,
            )


def _within(place: tuple[int, int], longer: Sequence[tuple[int, int]]) -> bool:
    """Whether something longer covers the place: "Teva Pharmaceutical Industries" is no industry."""
    return any(start <= place[0] and place[1] <= end and (start, end) != place for start, end in longer)


def _entities(query: str, mentions: tuple[Mention[Company], ...]) -> list[tuple[int, Entity]]:
    """Companies, or their peers ("Tyson's rivals"), or both ("Adobe and its competitors")."""
    found, free = list[tuple[int, Entity]](), query
    for one in mentions:
        if one.found is None:
            continue
        after = OWN_PEERS.match(query[one.end - (1 if query[one.end - 1] in "'’" else 0) :])
        before = PEERS_OF.search(query[: one.start])
        alone = before is not None or after is not None
        found.append((one.start, peers_entity(one.found) if alone else company_entity(one.found)))
        if alone:
            start, end = (
                (before.start(), before.end()) if before else (one.end, one.end + len((after or [""])[0]))
            )
            free = free[:start] + "_" * (end - start) + free[end:]
    return found + _with_peers(free, [one for one in mentions if one.found])


def _with_peers(query: str, mentions: list[Mention[Company]]) -> list[tuple[int, Entity]]:
    match = WITH_PEERS.search(query)
    if match is None or not mentions:
        return []
    earlier = [one for one in mentions if one.start < match.start()]
    meant = mentions if THEIR.search(query) else (earlier[-1:] or mentions[:1])
    return [(max(one.start, match.start()), peers_entity(one.found)) for one in meant if one.found]


def _industries(
    query: str, companies: Companies, explained: Sequence[tuple[int, int]], *, loose: bool = False
) -> list[tuple[int, int, str]]:
    """The industries a question names: "energy companies", "the energy sector", "top 5 banks"."""
    cut, found, place = words(query), list[tuple[int, int, str]](), 0
    while place < len(cut):
        longest = companies.industry_words.get(cut[place].keys[0], 0)
        for stop in range(min(len(cut), place + longest), place, -1):
            name = companies.industry_of(" ".join(word.keys[0] for word in cut[place:stop]))
            if (
                name
                and (_stands(cut, place, stop) or (loose and _led(cut, place)))
                and not _taken(cut[place], explained)
            ):
                found.append((cut[place].start, cut[stop - 1].end, name))
                place = stop - 1
                break
        place += 1
    return found


def _stands(cut: Sequence[Word], place: int, stop: int) -> bool:
    """Whether what stands around makes it an industry and not any word."""
    after = cut[stop].keys[-1] if stop < len(cut) else ""
    before = cut[place - 1].keys[0] if place else ""
    many = cut[stop - 1].keys[0].endswith("s") and (before in BEFORE or before.isdigit())
    within = before in ("of", "in", "from", "across") and place > 1 and cut[place - 2].keys[0] in HEADS
    return after in HEADS or many or within


def _led(cut: Sequence[Word], place: int) -> bool:
    """Whether a word before says that something is in it: "the fattest margins in semis"."""
    before = cut[place - 1].keys[0] if place else ""
    return before in ("in", "among", "amongst", "across", "within") and cut[place].keys[0] not in NOT_IN


def _taken(word: Word, explained: Sequence[tuple[int, int]]) -> bool:
    return any(start <= word.start and word.end <= end for start, end in explained)


def _strange(query: str, companies: Companies, known: Sequence[tuple[int, int]]) -> list[Unknown]:
    """An industry that nobody knows; it stays in the request like an unknown company."""
    found = list[Unknown]()
    for match in STRANGE.finditer(query):
        start, end = match.span("sector" if match["sector"] else "plain")
        name = query[start:end]
        ordinary = match["plain"] is not None and (
            name.isdigit() or name.lower() in lists().never | {"terms"}
        )
        if not ordinary and not any(first < end and start < last for first, last in known):
            found.append(Unknown(f"{name} companies", companies.industries[:5]))
    return found
