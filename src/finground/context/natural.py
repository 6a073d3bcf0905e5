"""Questions as people ask them, with requests labelled by hand apart from templates and rules; only ever
tested on.

A text marks who is meant: `{AAPL|apple}` is Apple, written "apple"; `{@Banks|lenders}` an industry;
`{?|Foo}` a company nobody knows. Where the catalogue does not hold a company or an industry (an invented
world), another stands in for it, under a name that this catalogue knows, in the case of the original; words,
dates and metrics stay as they were written.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from typing import Literal

import msgspec

from finground.catalog.catalog import MARKET, Catalog, company_entity, industry_entity, peers_entity
from finground.catalog.companies import Company
from finground.catalog.dates import as_of_of
from finground.catalog.names import company_keys, normal
from finground.context.split import NATURAL
from finground.records.request import Entity, Interval, Pair, QuestionKind, Rank, Request

MARK = re.compile(r"\{([^|{}]+)\|([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class Question:
    """A labelled question, as shipped."""

    id: str
    channel: Literal["technology", "advisor", "investor"]
    as_of: str
    kind: QuestionKind
    text: str
    entities: tuple[dict[str, str | bool], ...]
    metrics: tuple[str, ...]
    interval: tuple[date, date] | None = None
    phrase: str = ""
    rank: Rank | None = None
    unresolved: tuple[str, ...] = ()


def questions() -> tuple[Question, ...]:
    """The shipped questions."""
    text = (files("finground.context") / "data" / "natural.jsonl").read_text("utf-8")
    return tuple(msgspec.json.decode(line, type=Question) for line in text.splitlines())


def natural(catalog: Catalog) -> Iterator[Pair]:
    """Each question once, about this catalogue's companies."""
    for number, question in enumerate(questions()):
        cast = Cast(catalog, number)
        written = [cast.written(found[1], found[2]) for found in MARK.finditer(question.text)]
        names = iter(written)
        text = MARK.sub(lambda _, names=names: next(names), question.text)  # type: ignore[misc]  # bound at once
        yield Pair(
            text, as_of_of(question.as_of), _request(question, cast), question.id, question.channel,
            question.kind, "none", NATURAL,
        )  # fmt: skip


def _request(question: Question, cast: "Cast") -> Request:
    metrics = cast.catalog.metrics
    rank = question.rank
    return Request(
        question.kind,
        tuple(cast.entity(entity) for entity in question.entities),
        cast.catalog.expand(metrics.resolve(name).slug for name in question.metrics),
        Interval(*question.interval) if question.interval else None,
        question.phrase,
        rank and Rank(metrics.resolve(rank.by).slug, rank.n, rank.descending),
        question.unresolved,
    )


class Cast:
    """Who plays whom in one question: those who are meant, or others of the catalogue in their place."""

    def __init__(self, catalog: Catalog, number: int) -> None:
        self.catalog = catalog
        self.number = number
        self.stand_ins: dict[str, Company] = {}

    def entity(self, label: Mapping[str, str | bool]) -> Entity:
        """The entity of a label: `{"company": …}`, `{"peers": …}`, `{"industry": …}`, `{"market": true}`."""
        ((kind, name),) = label.items()
        if kind == "market":
            return MARKET
        if kind == "industry":
            return industry_entity(self.industry(str(name)))
        company = self.company(str(name))
        return peers_entity(company) if kind == "peers" else company_entity(company)

    def written(self, key: str, text: str) -> str:
        """What stands in the question where the mark is."""
        if key == "?":
            return text
        if key.startswith("@"):
            name = self.industry(key[1:])
            return text if self._known_industry(key[1:]) else _in_case(name, text)
        company = self.company(key)
        return text if key not in self.stand_ins else _in_case(company_keys(company.name)[1], text)

    def company(self, key: str) -> Company:
        """The company of a ticker, or who stands in for it."""
        if found := self.catalog.companies.listed(key):
            return found
        if key not in self.stand_ins:
            pool = [one for one in self.catalog.companies.all if one not in self.stand_ins.values()]
            self.stand_ins[key] = pool[(7 * self.number + len(self.stand_ins)) % len(pool)]
        return self.stand_ins[key]

    def industry(self, name: str) -> str:
        """The industry of that name, or one that stands in for it."""
        names = self.catalog.companies.industries
        return self._known_industry(name) or names[self.number % len(names)]

    def _known_industry(self, name: str) -> str | None:
        return self.catalog.companies.industry_of(normal(name))


def _in_case(name: str, like: str) -> str:
    """A name in small letters where the one it stands for is, else with capitals."""
    return name.lower() if like.islower() else name.title()
