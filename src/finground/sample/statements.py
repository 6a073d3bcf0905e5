"""Quarterly statements that add up: income, cash flow and balance sheet of one company, in thousands of USD.

Keys are us-gaap tags. Laws kept by construction: assets = liabilities + equity; the change of cash is the sum
of the three cash flows; equity moves by net income less dividends and repurchases. Numbers are integers, so
sums are exact.
"""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass

from finground.sample.calendar import Quarter
from finground.sample.firms import Firm, Trade

COST, GROSS = "CostOfRevenue", "GrossProfit"
RESEARCH, OVERHEAD = "ResearchAndDevelopmentExpense", "SellingGeneralAndAdministrativeExpense"
OPERATING, INTEREST, TAX, INCOME = (
    "OperatingIncomeLoss",
    "InterestExpense",
    "IncomeTaxExpenseBenefit",
    "NetIncomeLoss",
)
BEFORE_TAX = "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest"
CFO = "NetCashProvidedByUsedInOperatingActivities"
CFI = "NetCashProvidedByUsedInInvestingActivities"
CFF = "NetCashProvidedByUsedInFinancingActivities"
CAPEX, WEAR = "PaymentsToAcquirePropertyPlantAndEquipment", "DepreciationDepletionAndAmortization"
DIVIDENDS, BUYBACKS = "PaymentsOfDividends", "PaymentsForRepurchaseOfCommonStock"
CASH_CHANGE = (
    "CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents"
    "PeriodIncreaseDecreaseIncludingExchangeRateEffect"
)
CASH, RECEIVABLE, STOCK = (
    "CashAndCashEquivalentsAtCarryingValue",
    "AccountsReceivableNetCurrent",
    "InventoryNet",
)
PLANT, GOODWILL = "PropertyPlantAndEquipmentNet", "Goodwill"
PAYABLE, DEBT = "AccountsPayableCurrent", "LongTermDebtNoncurrent"
EQUITY, ASSETS, LIABILITIES = "StockholdersEquity", "Assets", "Liabilities"
TAX_RATE = 0.21
INTEREST_RATE = 0.05


@dataclass(frozen=True, slots=True)
class Statement:
    """One quarter. `shares` are the weighted average; `surprise` is its shock in standard deviations."""

    quarter: Quarter
    flows: Mapping[str, int]
    cash_flows: Mapping[str, int]
    balances: Mapping[str, int]
    shares: int
    dividend_cents: int
    surprise: float


def simulate(firm: Firm, quarters: list[Quarter], rng: random.Random) -> list[Statement]:
    """The statements of a company, quarter by quarter."""
    trade = firm.trade
    base = math.exp(rng.uniform(*map(math.log, trade.quarterly_revenue_musd))) * 1000
    margins = {
        key: max(getattr(trade, key) * rng.uniform(0.97, 1.13), 0.0)
        for key in ("cost", "research", "overhead")
    }
    shares = round(base * 1000 / rng.uniform(4, 14))
    payer = rng.random() < 0.6
    held = _opening(round(base), trade)
    drift, made = 0.0, []
    for number, quarter in enumerate(quarters):
        if number % 5 == 0:
            drift = rng.choice((-1, 0, 0, 1, 1)) * trade.swing / 2 + trade.growth
        base *= math.exp(drift)
        shock = rng.gauss(0, 1)
        revenue = round(base * _season(firm, quarter) * math.exp(shock * trade.swing / 2))
        flows = _income(revenue, trade, margins, shock, held[DEBT])
        cash_flows, held = _move(flows, held, trade, payer, rng)
        shares = round(shares * (0.997 if cash_flows[BUYBACKS] else 1.001))
        cents = round(cash_flows[DIVIDENDS] * 100_000 / shares)
        flows = {trade.revenue_tag: revenue, **flows}
        made.append(Statement(quarter, flows, cash_flows, _totals(held), shares, cents, shock))
    return made


def _season(firm: Firm, quarter: Quarter) -> float:
    """The calendar season in which most of the fiscal quarter lies."""
    middle = quarter.start + (quarter.end - quarter.start) / 2
    return firm.trade.season[(middle.month - 1) // 3]


def _income(
    revenue: int, trade: Trade, margins: Mapping[str, float], shock: float, debt: int
) -> dict[str, int]:
    cost = round(revenue * (margins["cost"] - 0.008 * shock))
    research, overhead = round(revenue * margins["research"]), round(revenue * margins["overhead"])
    operating = revenue - cost - research - overhead
    interest = round(debt * INTEREST_RATE / 4)
    tax = round((operating - interest) * TAX_RATE)
    spent = {RESEARCH: research} if trade.research else {}
    return {
        COST: cost,
        GROSS: revenue - cost,
        **spent,
        OVERHEAD: overhead,
        "OperatingExpenses": research + overhead,
        OPERATING: operating,
        INTEREST: interest,
        BEFORE_TAX: operating - interest,
        TAX: tax,
        INCOME: operating - interest - tax,
    }


def _opening(revenue: int, trade: Trade) -> dict[str, int]:
    held = {
        CASH: round(revenue * 0.6),
        RECEIVABLE: round(revenue * 0.45),
        STOCK: round(revenue * trade.cost * 0.5),
        PLANT: round(revenue * (0.8 + trade.capital * 12)),
        GOODWILL: round(revenue * 0.3),
        PAYABLE: round(revenue * trade.cost * 0.4),
        DEBT: round(revenue * trade.debt),
    }
    assets = sum(held[key] for key in (CASH, RECEIVABLE, STOCK, PLANT, GOODWILL))
    return {**held, EQUITY: assets - held[PAYABLE] - held[DEBT]}


def _move(
    flows: Mapping[str, int], held: Mapping[str, int], trade: Trade, payer: bool, rng: random.Random
) -> tuple[dict[str, int], dict[str, int]]:
    """The quarter's cash flows, and what is held after it."""
    revenue = flows[COST] + flows[GROSS]
    after = dict(held)
    after[RECEIVABLE] = round(revenue * rng.uniform(0.42, 0.48))
    after[STOCK] = round(flows[COST] * rng.uniform(0.47, 0.53))
    after[PAYABLE] = round(flows[COST] * rng.uniform(0.38, 0.42))
    wear, capex = round(held[PLANT] * 0.03), round(revenue * trade.capital * rng.uniform(0.8, 1.2))
    after[PLANT] = held[PLANT] + capex - wear
    working = sum(after[key] - held[key] for key in (RECEIVABLE, STOCK)) - after[PAYABLE] + held[PAYABLE]
    operating = flows[INCOME] + wear - working
    dividends = round(max(flows[INCOME], 0) * 0.3) if payer else 0
    spare = held[CASH] + operating - capex - dividends - round(revenue * 0.5)
    borrowed = -spare if spare < 0 else -min(round(spare * 0.2), held[DEBT] // 10)
    buybacks = round(spare * 0.35) if spare > 0 else 0
    after[DEBT] = held[DEBT] + borrowed
    after[CASH] = held[CASH] + operating - capex - dividends - buybacks + borrowed
    after[EQUITY] = held[EQUITY] + flows[INCOME] - dividends - buybacks
    financing = borrowed - dividends - buybacks
    cash_flows = {
        CFO: operating,
        WEAR: wear,
        CAPEX: capex,
        CFI: -capex,
        DIVIDENDS: dividends,
        BUYBACKS: buybacks,
    }
    return {**cash_flows, CFF: financing, CASH_CHANGE: operating - capex + financing}, after


def _totals(held: Mapping[str, int]) -> dict[str, int]:
    """The balance sheet; a tenth of the debt is due within a year."""
    current = sum(held[key] for key in (CASH, RECEIVABLE, STOCK))
    assets = current + held[PLANT] + held[GOODWILL]
    due = held[DEBT] // 10
    return {
        **held,
        DEBT: held[DEBT] - due,
        "LongTermDebtCurrent": due,
        "AssetsCurrent": current,
        ASSETS: assets,
        "LiabilitiesCurrent": held[PAYABLE] + due,
        LIABILITIES: held[PAYABLE] + held[DEBT],
        "LiabilitiesAndStockholdersEquity": assets,
        "RetainedEarningsAccumulatedDeficit": held[EQUITY] // 2,
    }
