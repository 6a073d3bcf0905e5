"""A small catalogue of invented and well-known names; nothing of it comes from a data file."""

from datetime import UTC, datetime

import pytest

from finground.catalog.aliases import merged
from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies, Company

ROWS = (
    ("cik:0000320193", "Apple Inc.", "AAPL", "Technology", "Hardware"),
    ("cik:0001652044", "Alphabet Inc.", "GOOGL", "Technology", "Software"),
    ("cik:0000789019", "MICROSOFT CORP", "MSFT", "Technology", "Software"),
    ("cik:0001018724", "AMAZON COM INC", "AMZN", "Consumer", "Retail"),
    ("cik:0001326801", "Meta Platforms, Inc.", "META", "Technology", "Software"),
    ("cik:0001067983", "BERKSHIRE HATHAWAY INC", "BRK-B", "Financials", "Insurance"),
    ("cik:0000080424", "PROCTER & GAMBLE Co", "PG", "Consumer", "Household Products"),
    ("cik:0000732717", "AT&T INC.", "T", "Communication", "Telecom"),
    ("cik:0000066740", "3M CO", "MMM", "Industrials", "Conglomerates"),
    ("cik:0001059556", "MOODYS CORP /DE/", "MCO", "Financials", "Data"),
    ("cik:0000027904", "DELTA AIR LINES, INC.", "DAL", "Industrials", "Airlines"),
    ("cik:0001101396", "DELTA APPAREL, INC", "DLA", "Consumer", "Apparel"),
    ("cik:0000027419", "TARGET CORP", "TGT", "Consumer", "Retail"),
    ("cik:0001090872", "AGILENT TECHNOLOGIES, INC.", "A", "Health Care", "Instruments"),
    ("cik:0000749251", "GARTNER INC", "IT", "Technology", "Services"),
    ("cik:0000045012", "HALLIBURTON CO", "HAL", "Energy", "Oil & Gas"),
    ("cik:0000100493", "TYSON FOODS, INC.", "TSN", "Consumer", "Food"),
    ("cik:0001748790", "Amcor plc", "AMCR", "Materials", "Packaging"),
    ("cik:0000796343", "ADOBE INC.", "ADBE", "Technology", "Software"),
    ("us:KALVO", "Kalvo Energy S.A.", "KLV", "Energy", "Oil & Gas"),
)


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return Catalog(Companies(merged(Company(*row) for row in ROWS)))


@pytest.fixture(scope="session")
def companies(catalog: Catalog) -> Companies:
    return catalog.companies


@pytest.fixture(scope="session")
def today() -> datetime:
    return datetime(2024, 7, 7, 23, 59, 59, 999_999, UTC)
