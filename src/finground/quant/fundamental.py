"""Valuation and margins against peers: P/E, P/B, net margin, revenue growth, each beside the median of
peers read.

P/E is the market value over the net income of the last four quarters, P/B over the shareholders' equity
last filed; the market value is the last quoted price times the shares outstanding last filed.
"""

from collections.abc import Callable
from datetime import date, timedelta
from statistics import median

from finground.quant.financial import YEAR, earlier, ratio_of
from finground.quant.subject import TECHNICAL_DAYS, Figure, Notes, Subject
from finground.records.bundle import Fact, Needs, Signal

TOOL = "fundamental"
NEEDS = Needs(
    metrics=("net-income", "total-revenue", "shareholders-equity", "shares-outstanding"),
    quarters=6,
    bars=5,
    peers=True,
)
Measure = Callable[[Subject, str], "Measured | str"]
FOUR_QUARTERS = timedelta(days=300)


class Measured(tuple[float, date, tuple[str, ...]]):
    """A value, the day it is of, and the ids it rests on."""

    __slots__ = ()


def fundamental(subject: Subject) -> Notes:
    """Each measure of the company, and of its peers where their data were read."""
    notes = Notes(TOOL, subject)
    _measure(notes, "price-to-earnings", ("The P/E ratio", "ratio", -1), price_to_earnings)
    _measure(notes, "price-to-book", ("The P/B ratio", "ratio", -1), price_to_book)
    _measure(notes, "net-profit-margin", ("The net profit margin", "percent", 1), net_margin)
    _measure(notes, "revenue-growth", ("Revenue growth year on year", "percent", 1), revenue_growth)
    return notes


def _measure(notes: Notes, name: str, shape: tuple[str, str, int], measure: Measure) -> None:
    """The company's value and the peers' median; `shape` is label, unit, and the sign that speaks for the
    company.
    """
    label, unit, good = shape
    own = measure(notes.subject, notes.subject.entity)
    if isinstance(own, str):
        return notes.miss(label.removeprefix("The "), own)
    value, day, inputs = own
    mark = "%" if unit == "percent" else ""
    text, signal = f"{label} is {value:.2f}{mark}", _no_signal()
    peers = [
        found for peer in notes.subject.peers if not isinstance(found := measure(notes.subject, peer), str)
    ]
    if peers:
        middle = median(found[0] for found in peers)
        word = "equal to" if f"{middle:.2f}" == f"{value:.2f}" else "above" if value > middle else "below"
        text += f", {word} the median of {len(peers)} peers, {middle:.2f}{mark}"
        inputs = tuple(dict.fromkeys((*inputs, *(id for found in peers for id in found[2]))))
        signal = (
            _no_signal() if word == "equal to" else "bullish" if (value > middle) == (good > 0) else "bearish"
        )
    return notes.say(name, Figure(value, unit, day), f"{text}.", inputs=inputs, signal=signal)


def _no_signal() -> Signal:
    return "neutral"


def market_value(subject: Subject, entity: str) -> Measured | str:
    """The last quoted price of the past month times the shares outstanding last filed, in the price's
    currency.
    """
    bars, shares = subject.bars(entity), subject.quarters("shares-outstanding", entity)
    if bars is None or bars.day(-1) < subject.since(TECHNICAL_DAYS):
        return "no price of the past month is known"
    if not shares:
        return "the number of shares outstanding is not filed"
    return Measured((float(bars.raw_close[-1]) * shares[0].value, bars.day(-1), (bars.id, shares[0].id)))


def _currency_of(subject: Subject, entity: str) -> str:
    bars = subject.bars(entity)
    return bars.currency if bars is not None else ""


def price_to_earnings(subject: Subject, entity: str) -> Measured | str:
    """Market value over the net income of the last four quarters; undefined for a loss."""
    value, quarters = market_value(subject, entity), subject.quarters("net-income", entity)[:4]
    if isinstance(value, str):
        return value
    if len(quarters) < 4 or quarters[0].period_end - quarters[-1].period_end > FOUR_QUARTERS:
        return "net income of four quarters in a row is not filed"
    return _over(value, quarters, sum(fact.value for fact in quarters), _currency_of(subject, entity))


def price_to_book(subject: Subject, entity: str) -> Measured | str:
    """Market value over the shareholders' equity last filed; undefined where that is not positive."""
    value, equity = market_value(subject, entity), subject.quarters("shareholders-equity", entity)[:1]
    if isinstance(value, str):
        return value
    if not equity:
        return "shareholders' equity is not filed"
    return _over(value, equity, equity[0].value, _currency_of(subject, entity))


def _over(value: Measured, facts: list[Fact], total: float, currency: str) -> Measured | str:
    if any((fact.currency or "") != currency for fact in facts):
        return (
            f"the price is in {currency or 'no stated currency'} and the figures are in {facts[0].currency}"
        )
    if total <= 0:
        return "the figure it divides by is not positive"
    amount, day, inputs = value
    return Measured((amount / total, day, (*inputs, *(fact.id for fact in facts))))


def net_margin(subject: Subject, entity: str) -> Measured | str:
    """Net income over revenue of the latest quarter, in percent."""
    pairs = ratio_of(subject, "net-income", "total-revenue", entity)
    if not pairs:
        return "net income and revenue of the same quarter are not both filed"
    income, revenue = pairs[0]
    return Measured((100 * income.value / revenue.value, income.period_end, (income.id, revenue.id)))


def revenue_growth(subject: Subject, entity: str) -> Measured | str:
    """Revenue of the latest quarter against a year before, in percent."""
    facts = subject.quarters("total-revenue", entity)
    then = earlier(facts, YEAR) if facts else None
    if then is None or then.value <= 0:
        return "revenue of the same quarter a year before is not filed"
    return Measured((100 * (facts[0].value / then.value - 1), facts[0].period_end, (facts[0].id, then.id)))
