"""The invented companies: who they are, what they sell, how their fiscal years run, and which of them is odd.

Companies are taken from the shipped list one industry after another, so that any number of them is spread
evenly. The odd cases are on purpose: a fiscal year that ends in June, one in January, one of 52 or 53 weeks,
a halted stock and a new listing.
"""

import json
import random
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

from finground.core.errors import InputError

FIRST_CIK = 9_900_000_001
Calendar = Literal["december", "june", "january", "saturday"]


@dataclass(frozen=True, slots=True)
class Trade:
    """An industry and its economics, as shares of revenue; `debt` is debt over a quarter's revenue."""

    sector: str
    industry: str
    revenue_tag: str
    quarterly_revenue_musd: tuple[float, float]
    cost: float
    research: float
    overhead: float
    capital: float
    debt: float
    growth: float
    swing: float
    season: tuple[float, float, float, float]
    products: tuple[str, ...]
    customers: tuple[str, ...]
    costs: tuple[str, ...]
    measure: str


@dataclass(frozen=True, slots=True)
class Firm:
    """One invented company."""

    index: int
    cik: int
    full: str
    name: str
    ticker: str
    city: str
    trade: Trade
    founded: int
    staff: int
    calendar: Calendar
    halted: bool
    new: bool

    def rng(self, seed: int, what: str) -> random.Random:
        """A generator of this company's own: its numbers do not depend on how many others there are."""
        return random.Random(f"{seed}/{self.ticker}/{what}")


def firms(count: int, seed: int) -> tuple[Firm, ...]:
    """The first `count` companies, industry by industry.

    Raises:
        InputError: if more are asked for than the shipped list holds.
    """
    data = shipped("companies")
    trades = [Trade(**_tuples(trade)) for trade in data["industries"]]
    listed = [
        (trades[column], row[position])
        for position in range(max(map(len, data["companies"])))
        for column, row in enumerate(data["companies"])
    ]
    if count > len(listed):
        raise InputError(
            f"sample.companies is {count}; the shipped list names {len(listed)}, so write at most that"
        )
    return tuple(_firm(index, count, *listed[index], seed) for index in range(count))


def shipped(name: str) -> Any:
    """A data file of this room."""
    return json.loads((files("finground.sample") / "data" / f"{name}.json").read_text(encoding="utf-8"))


def _firm(index: int, count: int, trade: Trade, names: list[str], seed: int) -> Firm:
    full, name, ticker, city = names
    rng = random.Random(f"{seed}/{ticker}/firm")
    calendars: dict[int, Calendar] = {7: "june", 4: "january", 6: "saturday"}
    return Firm(
        index=index,
        cik=FIRST_CIK + index,
        full=full,
        name=name,
        ticker=ticker,
        city=city,
        trade=trade,
        founded=rng.randint(1902, 1999),
        staff=rng.randint(9, 420) * 100,
        calendar=calendars.get(index, "december"),
        halted=index == 9,
        new=index == count - 1 and count > 1,
    )


def _tuples(trade: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in trade.items()}
