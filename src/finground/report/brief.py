"""All that a writer is given; nothing a report says may come from elsewhere (law 3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from finground.catalog.catalog import Catalog
from finground.catalog.companies import Company
from finground.core.errors import CatalogError
from finground.records.bundle import Bundle, Fact, Finding
from finground.records.report import Plan
from finground.records.request import Request
from finground.report.naming import shown


@dataclass(frozen=True, slots=True)
class Brief:
    """A question with its plan, request, data and findings; gaps of tools stand with the bundle's.

    `profile` is the reader's own (risk, horizon), where one was handed in.
    """

    query: str
    plan: Plan
    request: Request
    bundle: Bundle
    findings: tuple[Finding, ...]
    catalog: Catalog
    profile: Mapping[str, str] | None = None

    names: Mapping[str, str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Names of companies by id, of every entity of the request or the bundle, as readers write them."""
        asked = {entity.id: entity.name for entity in self.request.entities if entity.kind == "company"}
        read = {fact.entity for fact in self.bundle.facts} | {series.entity for series in self.bundle.series}
        read |= {gap.entity for gap in self.bundle.gaps}
        day = self.bundle.as_of.date()
        every = {id: company for id in sorted(read | asked.keys()) if (company := self._company(id))}
        known = {id: company.name_at(day) for id, company in every.items()}
        asked = {id: name for id, name in asked.items() if id not in every or not every[id].names}
        object.__setattr__(self, "names", {id: shown(name) for id, name in (known | asked).items()})

    def _company(self, entity: str) -> Company | None:
        try:
            return self.catalog.companies.by_id(entity)
        except CatalogError:  # a market, or a text that no company is known by
            return None

    def ticker(self, entity: str) -> str:
        """The company's ticker at `as_of`; empty where it had none."""
        company = self._company(entity)
        return (company.ticker_at(self.bundle.as_of.date()) or "") if company else ""

    @property
    def companies(self) -> tuple[str, ...]:
        """Ids of the companies asked about, in order."""
        return tuple(entity.id for entity in self.request.entities if entity.kind == "company")

    def metric(self, slug: str) -> str:
        """A metric's name; the slug in words where the catalogue has none."""
        known = {metric.slug: metric.name for metric in self.catalog.metrics.all}
        return known.get(slug, slug.replace("-", " "))

    def findings_of(self, entity: str, tool: str) -> tuple[Finding, ...]:
        """What one tool found about one company."""
        return tuple(row for row in self.findings if row.entity == entity and row.tool == tool)

    def latest_facts(self) -> tuple[Fact, ...]:
        """The facts, of several filings for one period the last filed only."""
        last: dict[tuple[object, ...], Fact] = {}
        for fact in sorted(self.bundle.facts, key=lambda fact: (fact.filed_at, fact.recorded_at)):
            last[fact.entity, fact.metric, fact.period_start, fact.period_end] = fact
        return tuple(fact for fact in self.bundle.facts if last.get(_key(fact)) is fact)


def _key(fact: Fact) -> tuple[object, ...]:
    return fact.entity, fact.metric, fact.period_start, fact.period_end
