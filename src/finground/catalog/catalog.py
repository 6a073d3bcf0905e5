"""The catalogue: companies and metrics together, and what a request over them is made of."""

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from finground.catalog.companies import Companies, Company
from finground.catalog.metrics import Metrics
from finground.records.request import Entity, RequestedMetric

MARKET = Entity("market", "market", "General Companies")


@dataclass(frozen=True)
class Catalog:
    """What names can mean."""

    companies: Companies
    metrics: Metrics = field(default_factory=Metrics.load)

    @property
    def digest(self) -> str:
        """sha256 of the content, in hex; the order of companies does not count."""
        from finground.core.coding import encode

        companies = sorted(
            (asdict(company) for company in self.companies.all), key=lambda row: str(row["id"])
        )
        content = encode({"companies": companies, "metrics": [asdict(metric) for metric in self.metrics.all]})
        return hashlib.sha256(content).hexdigest()

    def expand(self, primary: Iterable[str]) -> tuple[RequestedMetric, ...]:
        """Each primary metric followed by its related ones; none twice, and one asked for never as
        related."""
        asked = tuple(dict.fromkeys(primary))
        expanded: dict[str, bool] = {}
        for slug in asked:
            expanded[slug] = True
            for related in self.metrics.by_slug(slug).related:
                if related not in asked:
                    expanded.setdefault(related, False)
        return tuple(RequestedMetric(slug, first) for slug, first in expanded.items())


def company_entity(company: Company) -> Entity:
    """The company itself."""
    return Entity("company", company.id, company.name)


def peers_entity(company: Company) -> Entity:
    """The peers of a company; its id, since who they are depends on the day."""
    return Entity("peers", company.id, f"{company.name} Peers")


def industry_entity(industry: str) -> Entity:
    """The companies of an industry or sector, by its name in the catalogue."""
    return Entity("industry", industry, f"{industry} Companies")
