"""The words and figures a text about an event may use: every figure of a company is the one it filed.

What is not known yet (no report, no closing price) is not among the values, and a sentence that needs it is
not written; nothing is made up in its place.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from finground.sample.events import Event
from finground.sample.filings import Filing
from finground.sample.firms import Firm
from finground.sample.market import Stock
from finground.sample.statements import CAPEX, CASH, CFO, DEBT, GROSS, INCOME, Statement

ORDINAL = ("first", "second", "third", "fourth")


@dataclass(frozen=True, slots=True)
class World:
    """What a teller knows: reports and bars of every company, and the list of names."""

    filed: Mapping[Firm, Sequence[Filing]]
    stocks: Mapping[Firm, Stock]
    names: Mapping[str, Any]


def values(event: Event, world: World, rng: random.Random) -> dict[str, str]:
    """Everything a sentence about this event may say."""
    firm = event.firm or rng.choice(_concerned(event.industry, world))
    day = event.at.date()
    known = [filing for filing in world.filed[firm] if filing.filed < day]
    filing = event.filing or (known[-1] if known else None)
    return {
        **_invented(world.names, rng),
        **about(firm, world.filed, rng),
        **(figures(firm, filing) if filing else {}),
        **_trading(world.stocks[firm], day, rng),
        "weekday": f"{event.at:%A}",
        **({"month": f"{event.at:%B}"} if "month" not in event.values else {}),
        **event.values,
        **_forecast(event.values, rng),
    }


def about(firm: Firm, others: Mapping[Firm, Any], rng: random.Random) -> dict[str, str]:
    """Who a company is, what it sells, and against whom."""
    product, product2 = rng.sample(firm.trade.products, 2)
    customer, customer2 = rng.sample(firm.trade.customers, 2)
    same = [other.name for other in others if other.trade.industry == firm.trade.industry and other != firm]
    return {
        "full": firm.full,
        "name": firm.name,
        "city": firm.city,
        "city_short": firm.city.partition(",")[0],
        "industry_words": firm.trade.industry.lower().replace("&", "and"),
        "founded": str(firm.founded),
        "staff": f"{firm.staff:,}",
        "staff_some": f"{max(firm.staff // rng.randint(4, 12), 50):,}",
        "product": product,
        "product2": product2,
        "customer": customer,
        "customer2": customer2,
        "cost": rng.choice(firm.trade.costs),
        "measure": firm.trade.measure,
        "rival": rng.choice(same or ["smaller private firms"]),
    }


def figures(firm: Firm, filing: Filing) -> dict[str, str]:
    """The reported quarter's figures, beside those of a year before."""
    now, before = filing.statement, filing.year_ago
    sales, sales_before = (statement.flows[firm.trade.revenue_tag] for statement in (now, before))
    truth = filing.form == "10-Q/A"
    change = 100 * (sales / sales_before - 1)
    return {
        "quarter": f"{ORDINAL[now.quarter.number - 1]} quarter",
        "revenue": money(sales),
        "revenue_before": money(round(sales * 1.04) if truth else sales_before),
        "revenue_change": f"{abs(change):.1f}",
        "rose_or_fell": "rose" if change >= 0 else "fell",
        "income": money(abs(now.flows[INCOME])),
        "income_before": money(abs(before.flows[INCOME])),
        "profit_word": "profit" if now.flows[INCOME] >= 0 else "loss",
        "profit_word_before": "profit" if before.flows[INCOME] >= 0 else "loss",
        "eps": _per_share(now),
        "eps_before": _per_share(before),
        "margin": f"{100 * now.flows[GROSS] / sales:.1f}",
        "expense_share": f"{100 * now.flows['OperatingExpenses'] / sales:.1f}",
        "cfo": money(sum(statement.cash_flows[CFO] for statement in filing.year())),
        "cash": money(now.balances[CASH]),
        "debt": money(now.balances[DEBT]),
        "capex": money(now.cash_flows[CAPEX]),
    }


def money(thousands: int) -> str:
    """`$1.24 billion`, `$512.4 million`, with a minus in front of what is negative."""
    size, sign = abs(thousands), "-" if thousands < 0 else ""
    return f"{sign}${size / 1e6:.2f} billion" if size >= 1e6 else f"{sign}${size / 1e3:.1f} million"


def _per_share(statement: Statement) -> str:
    return f"${abs(statement.flows[INCOME] * 1000 / statement.shares / 1.012):.2f}"


def _trading(stock: Stock, day: date, rng: random.Random) -> dict[str, str]:
    """The last session before that day, where there were two."""
    bars = stock.until(day)
    if len(bars) < 2:
        return {}
    span = min(rng.choice((5, 10, 20, 60)), len(bars) - 1)
    move = 100 * (bars[-1].close / bars[-2].close - 1)
    return {
        "close": f"${bars[-1].close:.2f}",
        "session": f"{bars[-1].day:%A}",
        "updown": "up" if move >= 0 else "down",
        "move": f"{abs(move):.1f}",
        "days": str(span),
        "trend": f"{100 * (bars[-1].close / bars[-1 - span].close - 1):+.1f}",
        "market_did": rng.choice(("moved little", "was mixed", "was quiet", "went both ways")),
    }


def _forecast(told: Mapping[str, str], rng: random.Random) -> dict[str, str]:
    """Where dealers see the price of the event's own commodity."""
    if "price" not in told:
        return {}
    return {"forecast": f"{float(told['price'].replace(',', '')) * rng.uniform(0.85, 1.2):,.0f}"}


def _concerned(industry: str, world: World) -> list[Firm]:
    return [firm for firm in world.filed if firm.trade.industry == industry] or list(world.filed)


def _invented(names: Mapping[str, Any], rng: random.Random) -> dict[str, str]:
    """People, places and sizes that belong to no company."""
    commodity, unit, price, _ = rng.choice(names["commodity"])
    people = [f"{rng.choice(names['first'])} {rng.choice(names['last'])}" for _ in range(3)]
    indicator = rng.choice(names["indicator"])
    return {
        **dict(zip(("analyst", "person", "person2"), people, strict=True)),
        "broker": rng.choice(names["broker"]),
        "target": rng.choice(names["target"]),
        "land": rng.choice(names["land"]),
        "port": rng.choice(names["port"]),
        "commodity": commodity,
        "unit": unit,
        "forecast": f"{price * rng.uniform(0.8, 1.25):,.0f}",
        "indicator": indicator,
        "indicator_cap": indicator.capitalize(),
        **{key: money(rng.randrange(40, 900) * 1000) for key in ("amount", "amount2")},
        "amount3": money(rng.randrange(8, 60) * 1000),
        **{key: f"{rng.uniform(0.6, 9):.1f}" for key in ("percent", "percent2", "share2", "rate")},
        "share": str(rng.randint(12, 65)),
        "basis": str(rng.randint(2, 15)),
        "stocks": f"{rng.randint(40, 900) * 1000:,}",
        "lots": f"{rng.randint(12, 190) * 500:,}",
        "dealers": str(rng.randint(8, 31)),
        "days": str(rng.randint(3, 24)),
    }
