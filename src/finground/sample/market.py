"""Daily prices, volumes and flows of the invented companies, and their index.

Log returns are the sum of a market walk with regimes, an industry's, the company's own noise and the events
of the day. A bar keeps low <= open, close <= high. `Adj Close` takes later dividends out. Flows: large-order
shares bought and sold, the float, the margin balance in USD, and two shares of the float between 0 and 1:
held by institutions, and controlled by the largest accounts (`control_level`).
"""

import bisect
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from finground.sample.events import Event
from finground.sample.filings import Filing
from finground.sample.firms import Firm
from finground.sample.statements import INCOME

HALT = range(-31, -23)  # the halted stock's sessions without a trade, counted from the last
NEW_SESSIONS = 10
PRICES = "Date,Open,High,Low,Close,Adj Close,Volume"
FLOWS = (
    "Date,large_order_buy_shares,large_order_sell_shares,float_shares,margin_balance,"
    "institutional_share,control_level"
)


@dataclass(frozen=True, slots=True)
class Bar:
    """One session; `cause` is its log return."""

    day: date
    open: float
    high: float
    low: float
    close: float
    volume: int
    cause: float


@dataclass(frozen=True, slots=True)
class Stock:
    """A company's bars, and the sessions on which a dividend (USD a share) goes off."""

    firm: Firm
    bars: tuple[Bar, ...]
    dividends: Mapping[date, float]
    shares: int

    def until(self, day: date) -> Sequence[Bar]:
        """The bars of sessions before `day`."""
        return self.bars[: bisect.bisect_left(self.bars, day, key=lambda bar: bar.day)]


def trade(
    filed: Mapping[Firm, Sequence[Filing]], events: Iterable[Event], days: Sequence[date], seed: int
) -> dict[Firm, Stock]:
    """Every company's bars on those days."""
    shocks: dict[tuple[str, date], float] = {}
    for event in events:
        at = bisect.bisect_left(days, event.moves_on)
        if at < len(days):
            whom = event.firm.ticker if event.firm else event.industry
            shocks[whom, days[at]] = shocks.get((whom, days[at]), 0.0) + event.impact
    market = _walk(random.Random(f"{seed}/market"), days, 0.0065, shocks, "")
    stocks = {}
    for firm, reports in filed.items():
        industry = firm.trade.industry
        shared = _walk(random.Random(f"{seed}/{industry}"), days, 0.005, shocks, industry)
        own = _walk(
            firm.rng(seed, "prices"), days, firm.rng(seed, "risk").uniform(0.008, 0.016), shocks, firm.ticker
        )
        beta = firm.rng(seed, "beta").uniform(0.6, 1.5)
        returns = [beta * m + s + o for m, s, o in zip(market, shared, own, strict=True)]
        stocks[firm] = _stock(firm, reports, days, returns, firm.rng(seed, "bars"))
    return stocks


def prices_csv(stock: Stock) -> str:
    """The price file: open, high, low and close as traded, and the close adjusted for dividends."""
    factor, lines = 1.0, []
    for at in range(len(stock.bars) - 1, -1, -1):
        bar = stock.bars[at]
        adjusted = bar.close * factor
        lines.append(
            f"{bar.day},{bar.open:.2f},{bar.high:.2f},{bar.low:.2f},{bar.close:.2f},{adjusted:.6f},{bar.volume}"
        )
        if bar.day in stock.dividends:
            factor *= 1 - stock.dividends[bar.day] / stock.bars[at - 1].close
    return "\n".join([PRICES, *reversed(lines)]) + "\n"


def flows_csv(stock: Stock, rng: random.Random) -> str:
    """The flow file of a company."""
    floating = round(stock.shares * rng.uniform(0.6, 0.95))
    margin, held, control = rng.uniform(0.008, 0.03), rng.uniform(0.4, 0.8), rng.uniform(0.1, 0.8)
    lines = [FLOWS]
    for bar in stock.bars:
        margin = _within(margin * math.exp(rng.gauss(0, 0.01) + 0.3 * bar.cause), 0.004, 0.06)
        held = _within(held + rng.gauss(0, 0.0015), 0.2, 0.95)
        control = _within(control + rng.gauss(0, 0.003) + 0.05 * bar.cause, 0.02, 0.9)
        large = bar.volume * rng.uniform(0.25, 0.45)
        lean = math.tanh(12 * bar.cause + rng.gauss(0, 0.25))
        bought, sold = round(large * (1 + lean) / 2), round(large * (1 - lean) / 2)
        balance = round(floating * bar.close * margin)
        lines.append(f"{bar.day},{bought},{sold},{floating},{balance},{held:.4f},{control:.4f}")
    return "\n".join(lines) + "\n"


def index_csv(stocks: Iterable[Stock], days: Sequence[date]) -> str:
    """The index: the equal-weighted mean of the day's returns, from 1,000."""
    moves: dict[date, list[tuple[float, float, float, float]]] = {day: [] for day in days}
    volumes = dict.fromkeys(days, 0)
    for stock in stocks:
        for before, bar in zip(stock.bars, stock.bars[1:], strict=False):
            moves[bar.day].append(
                (
                    bar.open / before.close,
                    bar.high / before.close,
                    bar.low / before.close,
                    bar.close / before.close,
                )
            )
            volumes[bar.day] += bar.volume
    level, lines = 1000.0, [PRICES]
    for day in days:
        mean = [sum(column) / len(moves[day]) for column in zip(*moves[day], strict=True)] or [1.0] * 4
        o, h, low, close = (level * factor for factor in mean)
        lines.append(f"{day},{o:.2f},{h:.2f},{low:.2f},{close:.2f},{close:.2f},{volumes[day]}")
        level = close
    return "\n".join(lines) + "\n"


def _walk(
    rng: random.Random, days: Sequence[date], risk: float, shocks: Mapping[tuple[str, date], float], whom: str
) -> list[float]:
    """Returns with regimes of calm, rise and fall that last about three months each."""
    drift, heat, returns = 0.0, 1.0, []
    for day in days:
        if rng.random() < 1 / 60:
            drift, heat = rng.choice(((0.0, 0.8), (0.0006, 0.9), (0.0009, 1.1), (-0.0008, 1.5)))
        returns.append(drift + rng.gauss(0, risk * heat) + shocks.get((whom, day), 0.0))
    return returns


def _stock(
    firm: Firm, reports: Sequence[Filing], days: Sequence[date], returns: Sequence[float], rng: random.Random
) -> Stock:
    shares = reports[-1].statement.shares if reports else firm.staff * 10_000
    close = _opening_price(reports, shares, rng)
    halted = {days[at] for at in HALT if firm.halted and len(days) > 40}
    since = len(days) - NEW_SESSIONS if firm.new and len(days) > NEW_SESSIONS else 0
    turnover = rng.uniform(0.002, 0.008)
    bars = []
    for day, cause in zip(days[since:], returns[since:], strict=True):
        if day in halted:
            bars.append(Bar(day, close, close, close, close, 0, 0.0))
            continue
        bars.append(_bar(day, close, cause, round(shares * turnover), rng))
        close = bars[-1].close
    return Stock(firm, tuple(bars), _dividends(reports, [bar.day for bar in bars]), shares)


def _bar(day: date, before: float, cause: float, usual: int, rng: random.Random) -> Bar:
    close = max(round(before * math.exp(cause), 2), 0.05)
    opened = max(round(before * math.exp(cause * rng.uniform(0.1, 0.7) + rng.gauss(0, 0.002)), 2), 0.05)
    high = round(max(opened, close) * (1 + abs(rng.gauss(0, 0.004))), 2)
    low = round(min(opened, close) * (1 - abs(rng.gauss(0, 0.004))), 2)
    volume = round(usual * math.exp(rng.gauss(0, 0.3) + min(18 * abs(cause), 1.6)))
    return Bar(day, opened, high, low, close, volume, cause)


def _opening_price(reports: Sequence[Filing], shares: int, rng: random.Random) -> float:
    """The first price, from a multiple of the first known year's earnings, or of revenue without any."""
    if not reports:
        return round(rng.uniform(12, 60), 2)
    year = reports[0].seen[-4:]
    earned = sum(statement.flows[INCOME] for statement in year) * 1000
    sold = sum(next(iter(statement.flows.values())) for statement in year) * 1000
    worth = max(earned * rng.uniform(12, 24), sold * rng.uniform(0.3, 0.6))
    return max(round(worth / shares, 2), 1.0)


def _dividends(reports: Sequence[Filing], sessions: Sequence[date]) -> dict[date, float]:
    """Each declared dividend goes off a fortnight after its report."""
    off = {}
    for report in reports:
        at = bisect.bisect_left(sessions, report.filed + timedelta(days=14))
        if report.form != "10-Q/A" and report.statement.dividend_cents and 0 < at < len(sessions):
            off[sessions[at]] = report.statement.dividend_cents / 100
    return off


def _within(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)
