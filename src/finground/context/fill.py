"""Fill a template's slots from the catalogue; out comes a question in parts, and the exact request it means.

The request is never read off the text: each slot is chosen first, then written in one of its known ways,
and a way that the catalogue would resolve to something else on that day is not used. Randomness is handed
in.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import get_args

from finground.catalog.catalog import MARKET, Catalog, company_entity, industry_entity, peers_entity
from finground.catalog.companies import Company
from finground.catalog.metrics import Metric
from finground.catalog.spotting import lists
from finground.context.periods import Moment, Period, in_words
from finground.context.templates import Need, Template
from finground.core.errors import CatalogError
from finground.records.request import Entity, Rank, Request

NUMBERS = {3: "three", 5: "five", 10: "ten"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a question: plain words of the template (`slot` is empty), or what fills a slot."""

    text: str
    slot: str = ""


@dataclass(frozen=True)
class Pool:
    """What a part of the data set may be filled with."""

    companies: tuple[Company, ...]
    metrics: tuple[Metric, ...]
    industries: tuple[str, ...]

    def fitting(self, need: Need) -> tuple[Metric, ...]:
        """Metrics a slot of that need can take."""
        return self._fitting[need]

    @cached_property
    def _fitting(self) -> dict[Need, tuple[Metric, ...]]:
        return {need: tuple(m for m in self.metrics if fits(m, need)) for need in get_args(Need)}


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was put into the slots, before it is put in words."""

    companies: dict[str, tuple[Company, ...]]
    metrics: tuple[Metric, ...]
    industry: str | None
    period: Period | None
    n: int | None


def fits(metric: Metric, need: Need) -> bool:
    """Whether a metric can be asked about so: what is no number cannot rise, nor be the highest."""
    if need == "trackable":
        return metric.numeric and metric.trackable
    return metric.numeric or need == "any"


def usable(template: Template, pool: Pool) -> bool:
    """Whether the pool has enough to fill this template."""
    slots = template.slots
    return (
        len(pool.companies) >= template.companies
        and ("metrics" not in slots or len(pool.fitting(template.metric)) >= template.least)
        and ("industry" not in slots or bool(pool.industries))
    )


def choose(template: Template, pool: Pool, moment: Moment, rng: random.Random) -> Chosen:
    """Something for every slot; the pool must be enough for it (`usable`)."""
    slots = template.slots
    companies = _companies(template, pool, rng)
    metrics = _metrics(template, pool.fitting(template.metric), rng) if "metrics" in slots else ()
    industry = _industry(companies, pool, rng) if "industry" in slots else None
    period = moment.draw(rng) if "date" in slots else None
    n = rng.choice(tuple(NUMBERS)) if "number" in slots else template.n
    return Chosen(companies, metrics, industry, period, n)


def request(template: Template, chosen: Chosen, catalog: Catalog) -> Request:
    """The data request that the filled template means."""
    slugs = tuple(metric.slug for metric in chosen.metrics)
    rank = None
    if template.rank and chosen.n:
        rank = Rank(slugs[0], chosen.n, template.rank == "top")
    return Request(
        template.kind,
        tuple(_entities(template, chosen)),
        catalog.expand(slugs),
        chosen.period.interval if chosen.period else None,
        chosen.period.phrase if chosen.period else "",
        rank,
    )


@dataclass(slots=True)
class Wording:
    """Puts what was chosen in words; remembers which written names the catalogue resolves as meant."""

    catalog: Catalog
    means: dict[tuple[str, datetime], str | None] = field(default_factory=dict)

    def question(
        self, template: Template, chosen: Chosen, as_of: datetime, rng: random.Random
    ) -> list[Piece]:
        """The question in pieces; joined, they are the text."""
        pieces = []
        for index, part in enumerate(template.parts):
            if index % 2 == 0:
                pieces.append(Piece(part))
            else:
                pieces.append(self._slot(part, chosen, as_of, rng))
        pieces = [piece for piece in pieces if piece.text]
        if pieces[0].slot == "date":
            pieces[0] = Piece(pieces[0].text[0].upper() + pieces[0].text[1:], "date")
        return pieces

    def _slot(self, slot: str, chosen: Chosen, as_of: datetime, rng: random.Random) -> Piece:
        if slot.startswith("compan"):
            names = [self._company(company, as_of, rng) for company in chosen.companies[slot]]
            return Piece(listed(names, rng), slot)
        if slot == "metrics":
            return Piece(listed([self._metric(metric, rng) for metric in chosen.metrics], rng), slot)
        if slot == "industry" and chosen.industry:
            return Piece(rng.choice((chosen.industry, chosen.industry.lower())), slot)
        if slot == "number" and chosen.n:
            return Piece(NUMBERS[chosen.n] if rng.random() < 0.2 else str(chosen.n), slot)
        assert chosen.period is not None
        return Piece(in_words(chosen.period, rng), slot)

    def _company(self, company: Company, as_of: datetime, rng: random.Random) -> str:
        """A written name: the full one, another, the ticker, or one in lower case."""
        way = rng.random()
        if way < 0.3:
            text = company.name
        elif way < 0.5:
            text = company.ticker_at(as_of.date()) or company.name
            text = company.name if _reads_otherwise(text) else text
        else:
            text = rng.choice((company.name, *company.aliases))
            text = text.lower() if way > 0.8 else text
        return text if self._resolves(text, as_of) == company.id else company.name

    def _metric(self, metric: Metric, rng: random.Random) -> str:
        text = rng.choice((metric.name, *metric.aliases))
        return " ".join(_quiet(word) for word in text.split(" "))

    def _resolves(self, text: str, as_of: datetime) -> str | None:
        if (text, as_of) not in self.means:
            try:
                self.means[text, as_of] = self.catalog.companies.resolve(text, as_of).id
            except CatalogError:
                self.means[text, as_of] = None
        return self.means[text, as_of]


def listed(names: Sequence[str], rng: random.Random) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(names) == 1:
        return names[0]
    return ", ".join(names[:-1]) + rng.choice((" and ", " and ", " & ")) + names[-1]


def _companies(template: Template, pool: Pool, rng: random.Random) -> dict[str, tuple[Company, ...]]:
    slots = [slot for slot in template.slots if slot.startswith("compan")]
    most = max(min(3, len(pool.companies) - len(slots) + 1), 2)
    sizes = {slot: rng.randint(2, most) if slot == "companies" else 1 for slot in slots}
    drawn = iter(rng.sample(pool.companies, sum(sizes.values())))
    return {slot: tuple(next(drawn) for _ in range(size)) for slot, size in sizes.items()}


def _industry(companies: dict[str, tuple[Company, ...]], pool: Pool, rng: random.Random) -> str:
    """The industry of the company the question is about ("other … companies"), where there is one."""
    own = [company.industry for slot in companies.values() for company in slot if company.industry]
    return own[0] if own else rng.choice(pool.industries)


def _metrics(template: Template, fitting: Sequence[Metric], rng: random.Random) -> tuple[Metric, ...]:
    """Mostly one metric, at times two or three."""
    wanted = rng.choices((1, 2, 3), (70, 20, 10))[0]
    count = min(max(wanted, template.least), template.most, len(fitting))
    return tuple(rng.sample(fitting, count))


def _entities(template: Template, chosen: Chosen) -> Iterable[Entity]:
    """In the order of the text: companies, each followed by its peers where asked, industries, the market."""
    for slot in template.slots:
        for company in chosen.companies.get(slot, ()):
            if not (template.only_peers and slot == "company"):
                yield company_entity(company)
            if template.peers and slot == "company":
                yield peers_entity(company)
        if slot == "industry" and chosen.industry:
            yield industry_entity(chosen.industry)
    if template.market:
        yield MARKET


def _reads_otherwise(ticker: str) -> bool:
    """Whether anybody would read the ticker as a word or a year: IT, 2020, T."""
    return (
        len(ticker) < 2
        or ticker.lower() in lists().capitals
        or (ticker.isdigit() and 1900 <= int(ticker) < 2101)
    )


def _quiet(word: str) -> str:
    """A word in lower case, unless it is an abbreviation (`P/E`, `EBITDA`, `EPS`)."""
    return word if sum(letter.isupper() for letter in word) > 1 else word.lower()
