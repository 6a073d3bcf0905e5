"""What the shipped catalogue knows of companies, merged into a store's: by id, else by ticker and name.

A ticker alone is not enough, since tickers are used again by others: the company's name must also have the
first word of one of the names known here. Invented companies are never merged.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from finground.catalog import shipped as catalogue
from finground.catalog.companies import AMERICAN, Company, DatedTicker
from finground.catalog.names import normal


@dataclass(frozen=True, slots=True)
class Known:
    """A shipped company as others may know it."""

    company: Company

    @property
    def aliases(self) -> tuple[str, ...]:
        """What people call it, its own name first."""
        return (self.company.name, *self.company.aliases)

    @property
    def tickers(self) -> tuple[DatedTicker, ...]:
        """The tickers it has and had, if there was more than one."""
        return self.company.tickers

    def fits(self, name: str) -> bool:
        """Whether a company of this name may be the one meant."""
        written = normal(name).split()
        names = [*self.aliases, *(one.name for one in self.company.names)]
        return any(normal(one).removeprefix("the ").split()[0] in written for one in names)


def merged(companies: Iterable[Company]) -> tuple[Company, ...]:
    """The companies, with the shipped names and tickers added to those they belong to."""
    return tuple(with_known(company) for company in companies)


def with_shipped(companies: Sequence[Company]) -> tuple[Company, ...]:
    """The companies of a store, and the shipped ones that are none of them; an invented world stays alone."""
    if any(company.synthetic for company in companies):
        return tuple(companies)
    there = {known.company.id for company in companies if (known := _known(company))}
    return (*companies, *(company for company in catalogue.shipped().all if company.id not in there))


def with_known(company: Company) -> Company:
    """The company with its shipped names and tickers, if it is one of those known."""
    known = None if company.synthetic else _known(company)
    if known is None:
        return company
    own_first = sorted(known.tickers, key=lambda dated: dated.ticker != company.ticker)
    return replace(
        company,
        sector=company.sector or known.company.sector,
        industry=company.industry or known.company.industry,
        aliases=tuple(dict.fromkeys(company.aliases + known.aliases)),
        tickers=company.tickers or tuple(own_first),
        names=company.names or known.company.names,
    )


def _known(company: Company) -> Known | None:
    shipped_one = catalogue.shipped().find(company.id)
    if shipped_one is not None:
        return Known(shipped_one)
    known = shipped().get(company.ticker)
    return known if known and known.fits(company.name) else None


@cache
def shipped() -> dict[str, Known]:
    """The shipped companies by each ticker they have or had; an American one, and who has it today, first."""
    ranked: dict[str, tuple[tuple[bool, bool], Company]] = {}
    for company in catalogue.shipped().all:
        for dated in company.dated:
            rank = (dated.exchange not in AMERICAN, dated.end is not None)
            if dated.ticker not in ranked or rank < ranked[dated.ticker][0]:
                ranked[dated.ticker] = (rank, company)
    return {ticker: Known(company) for ticker, (_, company) in ranked.items()}
