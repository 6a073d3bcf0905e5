"""A catalogue of three companies, and requests over it."""

from datetime import date

import pytest

from finground.catalog.catalog import Catalog, company_entity
from finground.catalog.companies import Companies, Company
from finground.records.request import Interval, Request

ACME = Company("us:ACME", "Acme Robotics Inc.", "ACME", "Industrials", "Machinery")
BOLT = Company("us:BOLT", "Bolt Foods Corporation", "BOLT", "Consumer Staples", "Food")
CRUX = Company("us:CRUX", "Crux Energy plc", "CRUX", "Energy", "Oil and Gas")
TWIN = Company("us:ACMF", "Acme Rubber Inc.", "ACMF", "Materials", "Rubber")
SEPTEMBER = Interval(date(2018, 9, 1), date(2018, 9, 30))


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return Catalog(Companies([ACME, BOLT, CRUX, TWIN]))


@pytest.fixture(scope="session")
def three() -> tuple[Company, Company, Company]:
    return ACME, BOLT, CRUX


@pytest.fixture(scope="session")
def asks(catalog):
    """A request for metrics of companies in September 2018."""

    def make(*slugs: str, of=(ACME,), interval=SEPTEMBER) -> Request:
        entities = tuple(company_entity(company) for company in of)
        return Request("open-ended", entities, catalog.expand(slugs), interval)

    return make
