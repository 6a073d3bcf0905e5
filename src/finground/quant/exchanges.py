"""How an exchange trades: its board lot, its tick, and how far a price may move in a session.

A-shares: lots of 100 shares; 10% a session on the main boards, 20% on STAR from its start and on ChiNext from
24 August 2020 (rules of the Shanghai and Shenzhen exchanges). Taiwan: lots of 1,000 shares; 10% since 1 June
2015, 7% before; ticks grow with the price. The United States: round lots of 100 shares and no daily limit.
"""

from dataclasses import dataclass
from datetime import date

CHINEXT_AT_20, TAIWAN_AT_10 = date(2020, 8, 24), date(2015, 6, 1)
ROUND_LOT, TAIWAN_LOT = 100, 1000
CENT = ((float("inf"), 0.01),)
TAIWAN_TICKS = ((10.0, 0.01), (50.0, 0.05), (100.0, 0.1), (500.0, 0.5), (1000.0, 1.0), (float("inf"), 5.0))


@dataclass(frozen=True, slots=True)
class Exchange:
    """`lot` in shares; `limit` in percent of the close before, None where there is none; `ticks` are steps of
    the price, each below a price.
    """

    lot: int
    limit: float | None = None
    ticks: tuple[tuple[float, float], ...] = CENT

    def at_limit(self, close: float, before: float) -> bool:
        """Whether a close is the last that a session after the close `before` allows."""
        if self.limit is None:
            return False
        up = close > before
        bound = before * (1 + (self.limit if up else -self.limit) / 100)
        tick = next(step for below, step in self.ticks if bound < below) * (1 - 1e-9)
        return close > bound - tick if up else close < bound + tick


def exchange_of(entity: str, day: date) -> Exchange:
    """The rules of a company's exchange on a day, by the market code of its id (`XSHG:600036`); of the
    United States where the id has none.
    """
    market, _, code = entity.partition(":")
    if market in ("XSHG", "XSHE"):
        growth = code.startswith("688") or (code.startswith(("300", "301")) and day >= CHINEXT_AT_20)
        return Exchange(ROUND_LOT, 20.0 if growth else 10.0)
    if market == "XTAI":
        return Exchange(TAIWAN_LOT, 10.0 if day >= TAIWAN_AT_10 else 7.0, TAIWAN_TICKS)
    return Exchange(ROUND_LOT)
