"""The shipped companies: listed ones of many countries, made by `scripts/make_companies.py`.

They are read when first asked for, once.
"""

from functools import cache
from importlib import resources

import msgspec

from finground.catalog.companies import Companies, Company


@cache
def shipped() -> Companies:
    """The shipped catalogue of companies."""
    data = resources.files("finground.catalog").joinpath("data/companies.json").read_bytes()
    return Companies(msgspec.json.decode(data, type=tuple[Company, ...]))
