"""Valuation, profitability and growth against industry peers by percentile, and what revenue is used for.

P/E is the market value over the net income of the last four quarters, P/B over the shareholders' equity
last filed; the market value is the last quoted price times the shares outstanding last filed, and unknown
where quoted prices are adjusted for later splits. Return on equity is the income of four quarters over the
equity last filed. A percentile is the share of peers with a lower value.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain

import numpy as np

from finground.quant.financial import YEAR, earlier, is_year, not_filed, ratio_of
from finground.quant.subject import TECHNICAL_DAYS, Bars, Figure, Floats, Notes, Subject
from finground.records.bundle import Fact, Needs, Signal

TOOL = "fundamental"
USES = {
    "cost-of-revenue": "cost of revenue",
    "research-and-development": "research and development",
    "selling-general-administrative": "selling and administration",
    "operating-income": "operating income",
}
NEEDS = Needs(
    metrics=("net-income", "total-revenue", "shareholders-equity", "shares-outstanding", *USES),
    quarters=6,
    bars=5,
    peers=True,
)
FOUR_QUARTERS = timedelta(days=300)


class Measured(tuple[float, date, tuple[str, ...]]):
    """A value, the day it is of, and the ids it rests on."""

    __slots__ = ()


Measure = Callable[[Subject, str], "Measured | str"]


def fundamental(subject: Subject) -> Notes:
    """Each measure of the company, and of its peers where their data were read."""
    notes = Notes(TOOL, subject)
    if not any(subject.quarters(metric) for metric in NEEDS.metrics):
        notes.miss("fundamentals", not_filed(subject))
        return notes
    _measure(notes, "price-to-earnings", ("The P/E ratio", "ratio", -1), price_to_earnings)
    _measure(notes, "price-to-book", ("The P/B ratio", "ratio", -1), price_to_book)
    _measure(notes, "net-profit-margin", ("The net profit margin", "percent", 1), net_margin)
    _measure(notes, "return-on-equity", ("Return on equity", "percent", 1), return_on_equity)
    _measure(notes, "revenue-growth", ("Revenue growth year on year", "percent", 1), revenue_growth)
    _uses(notes)
    return notes


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A measure of every company of a bundle: what each has, and in one order their places, values and
    ids.
    """

    found: Mapping[str, Measured | str]
    places: Mapping[str, int]
    values: Floats
    ids: tuple[tuple[str, ...], ...]


def _field(subject: Subject, measure: Measure) -> Field:
    companies = dict.fromkeys((*subject.board.companies, subject.entity))
    found = {company: measure(subject, company) for company in companies}
    known = {company: value for company, value in found.items() if not isinstance(value, str)}
    values = np.array([value[0] for value in known.values()])
    places = {company: at for at, company in enumerate(known)}
    return Field(found, places, values, tuple(value[2] for value in known.values()))


def _measure(notes: Notes, name: str, shape: tuple[str, str, int], measure: Measure) -> None:
    """The company's value, the peers' median and its percentile; `shape` is label, unit, and the sign that
    speaks for the company.
    """
    label, unit, good = shape
    subject = notes.subject
    field = subject.board.once(name, lambda: _field(subject, measure))
    own = field.found.get(subject.entity, "nothing of it was read")
    if isinstance(own, str):
        return notes.miss(label.removeprefix("The "), own)
    value, day, inputs = own
    mark = "%" if unit == "percent" else ""
    text, signal = f"{label} is {value:.2f}{mark}", _no_signal()
    at = field.places[subject.entity]
    peers = np.delete(field.values, at)
    if len(peers):
        middle = float(np.median(peers))
        lower = 100 * float((peers < value).mean())
        word = "equal to" if f"{middle:.2f}" == f"{value:.2f}" else "above" if value > middle else "below"
        if len(peers) == 1:
            text += f", {word} the {middle:.2f}{mark} of the one peer known"
        else:
            text += f", {word} the peers' median of {middle:.2f}{mark}"
            text += f", at percentile {lower:.0f} of {len(peers)} peers"
        inputs = (*inputs, *chain.from_iterable((*field.ids[:at], *field.ids[at + 1 :])))
        if word != "equal to":
            signal = "bullish" if (value > middle) == (good > 0) else "bearish"
    return notes.say(name, Figure(value, unit, day), f"{text}.", inputs=inputs, signal=signal)


def _no_signal() -> Signal:
    return "neutral"


def _uses(notes: Notes) -> None:
    """Parts of the latest quarter's revenue; segments are in no source we read."""
    notes.miss("revenue mix by segment", "no segment figures in the sources")
    known = {slug: pairs[0] for slug in USES if (pairs := ratio_of(notes.subject, slug, "total-revenue"))}
    newest = max((pair[1].period_end for pair in known.values()), default=None)
    shown = {slug: pair for slug, pair in known.items() if pair[1].period_end == newest}
    if newest is None or len(shown) < 2:
        notes.miss("use of revenue", "its parts are not filed for one quarter")
        return
    parts = [f"{USES[slug]} {100 * part.value / whole.value:.1f}%" for slug, (part, whole) in shown.items()]
    whole = next(iter(shown.values()))[1]
    of = "year" if is_year(whole) else "quarter"
    text = f"As shares of revenue of the {of} ended {newest}: {', '.join(parts)}."
    part = next(iter(shown.values()))[0]
    figure = Figure(100 * part.value / whole.value, "percent", newest, whole.period_start)
    inputs = tuple(dict.fromkeys(fact.id for pair in shown.values() for fact in pair))
    notes.say("use-of-revenue", figure, text, inputs=inputs)


def market_value(subject: Subject, entity: str) -> Measured | str:
    """The last quoted price of the past month times the shares outstanding last filed, in the price's
    currency.
    """
    bars, shares = subject.bars(entity), subject.quarters("shares-outstanding", entity)
    if bars is None or bars.day(-1) < subject.since(TECHNICAL_DAYS):
        return "no price of the past month is known"
    if not bars.as_traded:
        return "prices of this source are adjusted for later splits, the number of shares is as filed"
    if not shares:
        return "the number of shares outstanding is not filed"
    return Measured((float(bars.raw_close[-1]) * shares[0].value, bars.day(-1), (bars.id, shares[0].id)))


def _currency_of(bars: Bars | None) -> str:
    return bars.currency if bars is not None else ""


def price_to_earnings(subject: Subject, entity: str) -> Measured | str:
    """Market value over the net income of the last four quarters; undefined for a loss."""
    value, income = market_value(subject, entity), twelve_months(subject, "net-income", entity)
    if isinstance(value, str):
        return value
    if isinstance(income, str):
        return income
    return _over(value, income, sum(fact.value for fact in income), _currency_of(subject.bars(entity)))


def price_to_book(subject: Subject, entity: str) -> Measured | str:
    """Market value over the shareholders' equity last filed; undefined where that is not positive."""
    value, equity = market_value(subject, entity), subject.quarters("shareholders-equity", entity)[:1]
    if isinstance(value, str):
        return value
    if not equity:
        return "shareholders' equity is not filed"
    return _over(value, equity, equity[0].value, _currency_of(subject.bars(entity)))


def twelve_months(subject: Subject, metric: str, entity: str) -> list[Fact] | str:
    """The last four quarters in a row, or the last year where only years are filed."""
    facts = subject.quarters(metric, entity)
    if facts and is_year(facts[0]):
        return facts[:1]
    four = facts[:4]
    if len(four) < 4 or four[0].period_end - four[-1].period_end > FOUR_QUARTERS:
        return f"{metric} of four quarters in a row is not filed"
    return four


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


def return_on_equity(subject: Subject, entity: str) -> Measured | str:
    """Net income of the last four quarters over the equity last filed, in percent; undefined without
    equity.
    """
    income, equity = (
        twelve_months(subject, "net-income", entity),
        subject.quarters("shareholders-equity", entity),
    )
    if isinstance(income, str):
        return income
    if not equity or equity[0].value <= 0 or equity[0].currency != income[0].currency:
        return "positive shareholders' equity in the currency of income is not filed"
    total = sum(fact.value for fact in income)
    inputs = (*(fact.id for fact in income), equity[0].id)
    return Measured((100 * total / equity[0].value, equity[0].period_end, inputs))


def revenue_growth(subject: Subject, entity: str) -> Measured | str:
    """Revenue of the latest quarter against a year before, in percent."""
    facts = subject.quarters("total-revenue", entity)
    then = earlier(facts, YEAR) if facts else None
    if then is None or then.value <= 0:
        return "revenue of the same quarter a year before is not filed"
    return Measured((100 * (facts[0].value / then.value - 1), facts[0].period_end, (facts[0].id, then.id)))
