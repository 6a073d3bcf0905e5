"""A catalogue of three companies: an ordinary name, one beyond ASCII, one that looks like another form."""

import pytest

from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies, Company


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return Catalog(
        Companies(
            [
                Company("us:ACME", "Acme Robotics Inc.", "ACME", "Industrials", "Machinery"),
                Company("us:SOGN", "Søgne & Æren A/S", "SOGN", "Consumer Staples", "Food"),
                Company("us:PEER", 'The "Jury" Peers', "PEER", "Industrials", "Machinery"),
            ]
        )
    )
