"""Values as a reader wants them: money in millions with its currency, shares of a whole in percent, periods
as days.
"""

from finground.records.bundle import Fact

IN_PERCENT = (
    "margin",
    "growth",
    "return",
    "yield",
    "rate",
    "payout",
)  # parts of slugs whose ratio is read as percent


def figure(fact: Fact) -> str:
    """A fact's value in readable units: "19,881 million USD", "12.30%", "1.52 USD per share"."""
    return written(fact.value, fact.unit, fact.currency, fact.metric)


def written(value: float, unit: str, currency: str | None, metric: str = "") -> str:
    """A value of the store's units as text."""
    money = f" {currency}" if currency else ""
    if unit == "per-share":
        return f"{value:,.2f}{money} per share"
    if unit == "ratio":
        return f"{100 * value:,.2f}%" if any(part in metric for part in IN_PERCENT) else f"{value:,.2f}"
    kind = f" {unit}" if unit in ("shares", "count") else money
    return f"{scaled(value)}{kind}"


def scaled(value: float) -> str:
    """From a billion on in whole millions, from a million on in millions with one decimal."""
    if abs(value) >= 1e9:
        return f"{value / 1e6:,.0f} million"
    if abs(value) >= 1e6:
        return f"{value / 1e6:,.1f} million"
    return f"{value:,.2f}".removesuffix(".00")


def period(fact: Fact) -> str:
    """The days a fact covers; one day for a balance-sheet value or a price."""
    return f"{fact.period_start} to {fact.period_end}" if fact.period_start else f"{fact.period_end}"
