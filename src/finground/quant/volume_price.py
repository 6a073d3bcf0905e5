"""Volume and price: the last session's price, change, volume, value and turnover, against peers and the
index.
"""

import numpy as np

from finground.quant.subject import (
    MARKET,
    Bars,
    Figure,
    Notes,
    Subject,
    amount,
    count,
    direction,
    last_known,
    moved,
    recent_bars,
)
from finground.records.bundle import Needs

TOOL = "volume-price"
NEEDS = Needs(bars=70, flows=True, peers=True, index=True)
USUAL_SESSIONS = 20  # sessions a volume is compared with


def volume_price(subject: Subject) -> Notes:
    """The last session of the past month."""
    notes = Notes(TOOL, subject)
    bars = recent_bars(notes, "price and volume")
    if bars is None:
        return notes
    _price(notes, bars)
    _volume(notes, bars)
    _turnover(notes, bars)
    _rank(notes, bars)
    _index(notes, bars)
    return notes


def turnover_rate(volume: float, float_shares: float) -> float:
    """Shares traded in a session as a percentage of the float.

    Raises:
        ValueError: if `float_shares` is not positive.
    """
    if float_shares <= 0:
        raise ValueError(f"float of {float_shares} shares; a float is positive")
    return 100 * volume / float_shares


def change_percent(bars: Bars) -> float | None:
    """The last session against the one before, adjusted for splits and dividends; None with a single
    session.
    """
    return float(bars.returns[-1]) * 100 if len(bars.days) > 1 else None


def _price(notes: Notes, bars: Bars) -> None:
    day, price = bars.day(-1), float(bars.raw_close[-1])
    notes.say(
        "last-price", Figure(price, bars.currency or "price", day),
        f"The last price is {amount(price, bars.currency)} on {day}.", inputs=(bars.id,),
    )  # fmt: skip
    change = change_percent(bars)
    if change is None:
        notes.miss("change of the last session", f"{day} is the only session known")
        return
    text = f"The price is {moved(change)} on {day} against the session before."
    notes.say(
        "change",
        Figure(change, "percent", day, bars.day(-2)),
        text,
        inputs=(bars.id,),
        signal=direction(change),
    )


def _volume(notes: Notes, bars: Bars) -> None:
    day, volume = bars.day(-1), float(bars.volume[-1])
    if not np.isfinite(volume):
        notes.miss("volume", f"the source has no volume for {day}")
        return
    text = f"Volume is {count(volume)} shares on {day}."
    notes.say("volume", Figure(volume, "shares", day), text, inputs=(bars.id,))
    value = volume * float(bars.raw_close[-1])
    text = f"The trading value at the closing price is {amount(value, bars.currency)}."
    notes.say("trading-value", Figure(value, bars.currency or "price", day), text, inputs=(bars.id,))
    before = bars.volume[-1 - USUAL_SESSIONS : -1]
    usual = float(before.mean()) if len(before) == USUAL_SESSIONS else float("nan")
    if usual > 0:
        ratio = volume / usual
        text = f"Volume is {ratio:.2f} times the average of the {USUAL_SESSIONS} sessions before."
        notes.say("volume-ratio", Figure(ratio, "ratio", day), text, inputs=(bars.id,))


def _turnover(notes: Notes, bars: Bars) -> None:
    series = notes.subject.flows("float_shares")
    if series is None:
        notes.miss("turnover rate", "the number of shares in the float is not known")
        return
    rate = turnover_rate(float(bars.volume[-1]), float(last_known(series, "float_shares")[1][-1]))
    if np.isfinite(rate):
        figure = Figure(rate, "percent", bars.day(-1))
        notes.say("turnover-rate", figure, f"The turnover rate is {rate:.2f}%.", inputs=(bars.id, series.id))


def _rank(notes: Notes, bars: Bars) -> None:
    """The place by change among the peers that traded on the same day."""
    own = change_percent(bars)
    others = [
        (found, change_percent(found)) for peer in notes.subject.peers if (found := notes.subject.bars(peer))
    ]
    known = [
        (found, change) for found, change in others if change is not None and found.day(-1) == bars.day(-1)
    ]
    if own is None or not known:
        notes.miss("rank in the industry", f"no prices of peers for {bars.day(-1)} were read")
        return
    rank = 1 + sum(change > own for _, change in known)
    text = f"By change it ranks {rank} of {len(known) + 1} among the company and its peers."
    inputs = (bars.id, *(found.id for found, _ in known))
    notes.say("industry-rank", Figure(float(rank), "rank", bars.day(-1)), text, inputs=inputs)


def _index(notes: Notes, bars: Bars) -> None:
    index = notes.subject.bars(MARKET)
    own = change_percent(bars)
    change = change_percent(index) if index is not None and index.day(-1) == bars.day(-1) else None
    if index is None or change is None or own is None:
        notes.miss("comparison with the index", f"no index level for {bars.day(-1)} was read")
        return
    ahead = own - change
    text = f"The index is {moved(change)} on the same day."
    notes.say("index-change", Figure(change, "percent", bars.day(-1)), text, inputs=(index.id,))
    side = "ahead of" if ahead >= 0 else "behind"
    notes.say(
        "ahead-of-index", Figure(ahead, "percentage points", bars.day(-1)),
        f"The stock is {abs(ahead):.2f} percentage points {side} the index.",
        inputs=(bars.id, index.id), signal=direction(ahead),
    )  # fmt: skip
