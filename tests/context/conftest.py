"""A made-up world of ten companies, and the pairs of one small build."""

from datetime import UTC, datetime

import pytest

from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies, Company
from finground.context.build import make
from finground.settings import Context

AS_OF = datetime(2025, 6, 30, 23, 59, 59, 999999, tzinfo=UTC)
NAMES = (
    ("Orrin Dynamics Inc.", "ORRD", "Machinery", ("Orrin",)),
    ("Pellam Foods Corporation", "PLMF", "Food Products", ("Pellam Foods", "Pellam")),
    ("Quillon Energy plc", "QLNE", "Oil and Gas", ("Quillon",)),
    ("Rostova Bancorp", "RSTV", "Banks", ("Rostova",)),
    ("Sundry Software Ltd.", "SDRY", "Software", ()),
    ("Tamber Health Inc.", "TMBR", "Pharmaceuticals", ("Tamber",)),
    ("Ulmo Shipping Co.", "ULMO", "Machinery", ("Ulmo",)),
    ("Varga Retail Group", "VRGA", "Food Products", ()),
    ("Wexcombe Software Inc.", "WXCB", "Software", ("Wexcombe",)),
    ("Yarrow Gas Inc.", "YRRW", "Oil and Gas", ("Yarrow",)),
)


@pytest.fixture(scope="session")
def as_of() -> datetime:
    return AS_OF


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    companies = [
        Company(f"us:{ticker}", name, ticker, "Any", industry, aliases=aliases)
        for name, ticker, industry, aliases in NAMES
    ]
    return Catalog(Companies(companies))


@pytest.fixture(scope="session")
def sizes() -> Context:
    return Context(pairs=600, test_pairs=200, held_out=0.2)


@pytest.fixture(scope="session")
def made(catalog, sizes):
    """All parts, and what is held out."""
    return make(catalog, catalog.companies.all, sizes, as_of=AS_OF, seed=7)
