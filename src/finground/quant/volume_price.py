"""Volume and price: the last session's price, change, volume, value and turnover, its place in the year,
and peers and index beside it.

Shares traded are counted in shares, whatever the board lot; the turnover rate is over the float (A-shares)
and a gap where the float is not known. A close at the day's limit is said where the exchange has one.
"""

from datetime import date

import numpy as np

from finground.quant.exchanges import exchange_of
from finground.quant.subject import (
    MARKET,
    Bars,
    Board,
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
NEEDS = Needs(bars=260, flows=True, peers=True, index=True)
USUAL_SESSIONS = 20  # sessions a volume is compared with, and a price
YEAR_SESSIONS = 250
FEWEST_RANKED = 3  # companies among which a place says something
HEAVY, LIGHT = 1.5, 0.67  # volume against the usual


def volume_price(subject: Subject) -> Notes:
    """The last session of the past month."""
    notes = Notes(TOOL, subject)
    bars = recent_bars(notes, "price and volume")
    if bars is None:
        return notes
    _price(notes, bars)
    _month(notes, bars)
    _index(notes, bars)
    _rank(notes, bars)
    _volume(notes, bars)
    _turnover(notes, bars)
    _year(notes, bars)
    return notes


def turnover_rate(volume: float, float_shares: float) -> float:
    """Shares traded in a session as a percentage of the float.

    Raises:
        ValueError: if `float_shares` is not positive.
    """
    if float_shares <= 0:
        raise ValueError(f"float of {float_shares} shares; a float is positive")
    return 100 * volume / float_shares


def _price(notes: Notes, bars: Bars) -> None:
    day, price = bars.day(-1), float(bars.raw_close[-1])
    notes.say(
        "last-price", Figure(price, bars.currency or "price", day),
        f"The last price is {amount(price, bars.currency)} on {day}.", inputs=(bars.id,),
    )  # fmt: skip
    change = bars.change(1)
    if change is None:
        notes.miss("change of the last session", f"{day} is the only session known")
        return
    figure = Figure(change, "percent", day, bars.day(-2))
    text = f"The last price is {moved(change)} on the session before."
    notes.say("change", figure, text, inputs=(bars.id,), signal=direction(change))
    rules = exchange_of(notes.subject.entity, day)
    if rules.limit is not None and rules.at_limit(float(bars.close[-1]), float(bars.close[-2])):
        side = "upper" if change > 0 else "lower"
        text = f"The price closed at its {side} limit of {rules.limit:.0f}% a session."
        notes.say("price-limit", Figure(f"{side} limit", "word", day), text, inputs=(bars.id,))


def _month(notes: Notes, bars: Bars) -> None:
    """The change over a month of sessions."""
    change = bars.change(USUAL_SESSIONS)
    if change is None:
        notes.miss(f"change over {USUAL_SESSIONS} sessions", f"{len(bars.days)} sessions are known")
        return
    figure = Figure(change, "percent", bars.day(-1), bars.day(-1 - USUAL_SESSIONS))
    text = f"The last price is {moved(change)} over {USUAL_SESSIONS} sessions."
    notes.say("change-20-sessions", figure, text, inputs=(bars.id,), signal=direction(change))


def _year(notes: Notes, bars: Bars) -> None:
    """The place between the lowest and highest close of a year."""
    if len(bars.days) < YEAR_SESSIONS:
        notes.miss(
            "place in the year's range", f"it takes {YEAR_SESSIONS} sessions, and {len(bars.days)} are known"
        )
        return
    closes = bars.close[-YEAR_SESSIONS:]
    low, high, now = float(closes.min()), float(closes.max()), float(closes[-1])
    off = 100 * (1 - now / high)
    where = "at" if off == 0 else f"{off:.2f}% below"
    span = f"which lie between {low:.2f} and {high:.2f}"
    text = f"The last price is {where} the highest of {YEAR_SESSIONS} adjusted closes, {span}."
    figure = Figure(off, "percent", bars.day(-1), bars.day(-YEAR_SESSIONS))
    notes.say("year-range", figure, text, inputs=(bars.id,))


def _volume(notes: Notes, bars: Bars) -> None:
    day, volume = bars.day(-1), float(bars.volume[-1])
    if not np.isfinite(volume):
        notes.miss("volume", f"the source has no volume for {day}")
        return
    text = f"Volume is {count(volume)} shares."
    notes.say("volume", Figure(volume, "shares", day), text, inputs=(bars.id,))
    _usual(notes, bars)
    value = volume * float(bars.raw_close[-1])
    text = f"The trading value at the closing price is {amount(value, bars.currency)}."
    notes.say("trading-value", Figure(value, bars.currency or "price", day), text, inputs=(bars.id,))


def _usual(notes: Notes, bars: Bars) -> None:
    """Volume against the sessions before."""
    day, volume = bars.day(-1), float(bars.volume[-1])
    before = bars.volume[-1 - USUAL_SESSIONS : -1]
    usual = float(before.mean()) if len(before) == USUAL_SESSIONS else float("nan")
    if not usual > 0:
        notes.miss("usual volume", f"it takes {USUAL_SESSIONS} sessions with trades before {day}")
        return
    ratio = volume / usual
    word = "heavy" if ratio >= HEAVY else "light" if ratio <= LIGHT else "ordinary"
    text = f"Volume is {ratio:.2f} times the average of the {USUAL_SESSIONS} sessions before, {word} trading."
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
    own, board = bars.change(1), notes.subject.board
    moves = board.once("last changes", lambda: _last_changes(board)).get(bars.day(-1), {})
    if own is None or len(moves) < FEWEST_RANKED:
        read = "no prices of peers" if not moves.keys() - {bars.id} else "prices of one peer only"
        notes.miss("rank in the industry", f"{read} for {bars.day(-1)} were read")
        return
    rank = 1 + sum(change > own for change in moves.values())
    text = f"By the session's change it ranks {rank} of {len(moves)} among the company and its peers."
    figure = Figure(float(rank), "rank", bars.day(-1))
    notes.say("industry-rank", figure, text, inputs=tuple(moves))


def _last_changes(board: Board) -> dict[date, dict[str, float]]:
    """The last session's change of every company, by day and id of its bars."""
    found: dict[date, dict[str, float]] = {}
    for company in board.companies:
        bars = board.bars(company)
        change = None if bars is None else bars.change(1)
        if bars is not None and change is not None:
            found.setdefault(bars.day(-1), {})[bars.id] = change
    return found


def _index(notes: Notes, bars: Bars) -> None:
    index = notes.subject.bars(MARKET)
    own = bars.change(1)
    change = index.change(1) if index is not None and index.day(-1) == bars.day(-1) else None
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
