"""Capital flow of the past 15 days: DDX, margin balance, institutional holdings, control level, money flow.

Each item needs its own data; without them it is a gap. What is computed from price and volume alone has its
own names, money flow index and Chaikin money flow, over windows that fit into 15 days; it is never called
DDX.
"""

from datetime import date

import numpy as np

from finground.quant.indicators import chaikin_money_flow, money_flow_index
from finground.quant.subject import (
    FLOW_DAYS,
    Figure,
    Notes,
    Subject,
    amount,
    direction,
    last_known,
    moved,
)
from finground.records.bundle import Needs, Series

TOOL = "capital-flow"
NEEDS = Needs(bars=70, flows=True)
CUMULATIVE_SESSIONS = 5
QUARTER_SESSIONS = 63
COLUMNS = {
    "large_order_buy_shares": "large orders",
    "large_order_sell_shares": "large orders",
    "float_shares": "number of shares in the float",
    "margin_balance": "margin balances",
    "institutional_share": "institutions' holdings",
    "control_level": "holdings of main funds",
}
MONEY_SESSIONS = 10  # two weeks
MUCH, MIDDLE, LITTLE = 80.0, 50.0, 20.0  # the usual marks of the money flow index
LEANING = 0.05  # a Chaikin money flow nearer to zero leans to neither side


def capital_flow(subject: Subject) -> Notes:
    """The items, each from its own columns."""
    notes = Notes(TOOL, subject)
    _ddx(notes)
    _margin(notes)
    _institutions(notes)
    _control(notes)
    _money(notes)
    return notes


def ddx(net_large_volume: float, float_shares: float) -> float:
    """Net large-order volume of a day as a percentage of the float; +0.5 means large orders took in half a
    percent.

    Raises:
        ValueError: if `float_shares` is not positive.
    """
    if float_shares <= 0:
        raise ValueError(f"float of {float_shares} shares; a float is positive")
    return 100 * net_large_volume / float_shares


def _recent(notes: Notes, column: str, what: str) -> tuple[Series, list[date], list[float]] | None:
    """Days and values of a column if the last is of the past 15 days; else a gap, and None."""
    series = notes.subject.flows(column)
    if series is None:
        notes.miss(what, "not in the sources")
        return None
    days, values = (found[-1 - QUARTER_SESSIONS :] for found in last_known(series, column))
    if days[-1].item() < notes.subject.since(FLOW_DAYS):
        notes.miss(what, f"the last value known is of {days[-1].item()}, older than {FLOW_DAYS} days")
        return None
    return series, [day.item() for day in days], [float(value) for value in values]


def _ddx(notes: Notes) -> None:
    what = f"{CUMULATIVE_SESSIONS}-day cumulative DDX"
    found = {
        column: _recent(notes, column, what)
        for column in ("large_order_buy_shares", "large_order_sell_shares", "float_shares")
        if not notes.gaps
    }
    rows = [row for row in found.values() if row is not None]
    if len(rows) < 3:
        return
    bought, sold, float_shares = (dict(zip(days, values, strict=True)) for _, days, values in rows)
    days = sorted(bought.keys() & sold.keys() & float_shares.keys())[-CUMULATIVE_SESSIONS:]
    if len(days) < CUMULATIVE_SESSIONS:
        notes.miss(what, f"large orders of {len(days)} sessions are known")
        return
    total = sum(ddx(bought[day] - sold[day], float_shares[day]) for day in days)
    side = "net inflow of large orders" if total > 0 else "net outflow of large orders"
    text = f"The {what} is {total:.3f}, a {side}."
    figure = Figure(total, "percent of float", days[-1], days[0])
    notes.say(
        "ddx-5-day", figure, text, inputs=tuple({row[0].id: None for row in rows}), signal=direction(total)
    )


def _margin(notes: Notes) -> None:
    found = _recent(notes, "margin_balance", "margin balance")
    if found is None:
        return
    series, days, values = found
    if len(values) <= CUMULATIVE_SESSIONS or values[-1 - CUMULATIVE_SESSIONS] == 0:
        notes.miss(
            "change of the margin balance",
            f"{len(values)} sessions are known, it takes {CUMULATIVE_SESSIONS + 1}",
        )
        return
    change = 100 * (values[-1] / values[-1 - CUMULATIVE_SESSIONS] - 1)
    now = amount(values[-1], series.currency or notes.subject.currency)
    text = f"The margin balance of {now} is {moved(change)} over {CUMULATIVE_SESSIONS} sessions."
    figure = Figure(change, "percent", days[-1], days[-1 - CUMULATIVE_SESSIONS])
    notes.say("margin-change", figure, text, inputs=(series.id,), signal=direction(change))


def _institutions(notes: Notes) -> None:
    """Share of the company held by institutions, now against a quarter ago, in percentage points."""
    found = _recent(notes, "institutional_share", "institutional holdings")
    if found is None:
        return
    series, days, values = found
    if len(values) <= QUARTER_SESSIONS:
        notes.miss(
            "change of institutional holdings",
            f"{len(values)} sessions are known, a quarter has {QUARTER_SESSIONS}",
        )
        return
    change = 100 * (values[-1] - values[-1 - QUARTER_SESSIONS])
    side = "higher" if change >= 0 else "lower"
    held = 100 * values[-1]
    by = f"{abs(change):.2f} percentage points"
    text = f"Institutional holdings of {held:.2f}% are {by} {side} than a quarter ago."
    figure = Figure(change, "percentage points", days[-1], days[-1 - QUARTER_SESSIONS])
    notes.say("institutional-change", figure, text, inputs=(series.id,), signal=direction(change))


def _control(notes: Notes) -> None:
    found = _recent(notes, "control_level", "control level")
    if found is None:
        return
    series, days, values = found
    level = control_word(values[-1])
    text = f"Control by main funds is at a {level} level ({values[-1]:.2f})."
    notes.say("control-level", Figure(level, "word", days[-1]), text, inputs=(series.id,))


def control_word(level: float) -> str:
    """The level in words: low below a third, high from two thirds, on a scale of 0 to 1."""
    return "low" if level < 1 / 3 else "medium" if level < 2 / 3 else "high"


def _money(notes: Notes) -> None:
    """Two measures of price and volume."""
    what, bars = "money flow of prices and volumes", notes.subject.bars()
    if bars is None or bars.day(-1) < notes.subject.since(FLOW_DAYS):
        notes.miss(what, f"no session of the past {FLOW_DAYS} days is known")
        return
    columns = [values[-1 - MONEY_SESSIONS :] for values in (bars.high, bars.low, bars.close, bars.volume)]
    if len(columns[0]) <= MONEY_SESSIONS or not all(np.isfinite(values).all() for values in columns):
        notes.miss(what, f"it takes {MONEY_SESSIONS + 1} sessions in a row with high, low and volume")
        return
    high, low, close, volume = columns
    if not volume[1:].any() or not np.ptp(high + low + close):
        notes.miss(what, f"nothing was traded, or at one price only, in the past {MONEY_SESSIONS} sessions")
        return
    index = float(money_flow_index(high, low, close, volume, MONEY_SESSIONS)[-1])
    state = "high" if index >= MUCH else "low" if index <= LITTLE else "in its middle range"
    text = f"The money flow index of {MONEY_SESSIONS} sessions is {index:.2f}, {state}."
    figure = Figure(index, "points", bars.day(-1), bars.day(-MONEY_SESSIONS))
    notes.say("money-flow-index", figure, text, inputs=(bars.id,))
    chaikin = float(chaikin_money_flow(high, low, close, volume, MONEY_SESSIONS)[-1])
    leans, against = _leaning(chaikin, index)
    words = {1: "money flowing in", -1: "money flowing out", 0: "near zero"}
    said = against or words[int(np.sign(leans))]
    text = f"Chaikin money flow of {MONEY_SESSIONS} sessions is {round(chaikin, 3) + 0.0:.3f}, {said}."
    figure = Figure(chaikin, "points", bars.day(-1), bars.day(-MONEY_SESSIONS))
    notes.say("chaikin-money-flow", figure, text, inputs=(bars.id,), signal=direction(leans))


def _leaning(chaikin: float, index: float) -> tuple[float, str]:
    """The side money leans to, and what speaks against it: a lean counts only where the money flow index is
    on the same side of its middle.
    """
    if abs(chaikin) < LEANING:
        return 0.0, ""
    if (chaikin > 0) == (index > MIDDLE):
        return chaikin, ""
    side = "positive" if chaikin > 0 else "negative"
    return 0.0, f"{side}, at odds with the money flow index"
