"""The ways people write well-known companies, and the tickers that changed, merged into companies by ticker.

A ticker alone is not enough, since tickers are used again by others: the company's name must also share its
first word with one of the names known here. Invented companies are never merged.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from importlib import resources

from finground.catalog.companies import Company, DatedTicker
from finground.catalog.names import normal


@dataclass(frozen=True, slots=True)
class Known:
    """What people call a company, and the tickers it has had, where there was more than one."""

    aliases: tuple[str, ...]
    tickers: tuple[DatedTicker, ...]

    def fits(self, name: str) -> bool:
        """Whether a company of this name may be the one meant."""
        written = normal(name).split()
        return any(normal(alias).split()[0] in written for alias in self.aliases)


def merged(companies: Iterable[Company]) -> tuple[Company, ...]:
    """The companies, with the shipped names and tickers added to those they belong to."""
    return tuple(with_known(company) for company in companies)


def with_known(company: Company) -> Company:
    """The company with its shipped names and tickers, if it is one of those known."""
    known = shipped().get(company.ticker)
    if known is None or company.synthetic or not known.fits(company.name):
        return company
    aliases = tuple(dict.fromkeys(company.aliases + known.aliases))
    return replace(company, aliases=aliases, tickers=company.tickers or known.tickers)


@cache
def shipped() -> dict[str, Known]:
    """What is shipped, by each ticker the company has or had."""
    text = resources.files("finground.catalog").joinpath("data/aliases.json").read_text("utf-8")
    found = {}
    for ticker, row in json.loads(text).items():
        dated = tuple(
            DatedTicker(name, _day(start), _day(end)) for name, start, end in row.get("tickers", [])
        )
        known = Known(tuple(row["aliases"]), dated)
        for name in (ticker, *(one.ticker for one in dated)):
            found[name] = known
    return found


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
