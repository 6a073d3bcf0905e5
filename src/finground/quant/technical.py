"""Technical signals of the past month: MACD and RSI with their crosses, moving averages, candlesticks with
their key levels, Bollinger bands, support and resistance.

Indicators are TA-Lib's over adjusted prices. Where a window is not yet full the item is a gap (cases R1,
R2).
"""

import numpy as np

from finground.quant.indicators import Candle, Cross, average, bollinger, candles, crosses, macd, rsi
from finground.quant.subject import (
    TECHNICAL_DAYS,
    Bars,
    Figure,
    Floats,
    Notes,
    Subject,
    amount,
    direction,
    recent_bars,
)
from finground.records.bundle import Needs, Signal

TOOL = "technical"
NEEDS = Needs(bars=250)
AVERAGES = (5, 10, 20, 60)
QUICK, SLOW = 6, 12  # the two RSI lines whose crosses are read
OVERBOUGHT, OVERSOLD = 70.0, 30.0
LEVEL_SESSIONS = 20  # support and resistance: the lowest low and the highest high of so many sessions
SHOWN_PATTERNS = 2
PATTERN_SESSIONS = 10  # for so many sessions a pattern signals something


def technical(subject: Subject) -> Notes:
    """What the chart of the past month shows."""
    notes = Notes(TOOL, subject)
    bars = recent_bars(notes, "technical signals")
    if bars is None:
        return notes
    _macd(notes, bars)
    _rsi(notes, bars)
    _rsi_cross(notes, bars)
    _averages(notes, bars)
    _levels(notes, bars)
    _patterns(notes, bars)
    _bands(notes, bars)
    return notes


def _short(notes: Notes, what: str, needed: int, bars: Bars) -> None:
    notes.miss(what, f"it takes {needed} sessions, and {len(bars.days)} are known")


def _side(bullish: bool) -> Signal:
    return "bullish" if bullish else "bearish"


def _rsi(notes: Notes, bars: Bars) -> None:
    value = float(rsi(bars.close)[-1])
    if not np.isfinite(value):
        return _short(notes, "RSI(14)", 15, bars)
    state, signal = "between oversold and overbought", _neutral()
    if value >= OVERBOUGHT:
        state, signal = "overbought", _side(bullish=False)
    elif value <= OVERSOLD:
        state, signal = "oversold", _side(bullish=True)
    text = f"RSI(14) is {value:.2f}, {state}."
    return notes.say("rsi", Figure(value, "points", bars.day(-1)), text, inputs=(bars.id,), signal=signal)


def _neutral() -> Signal:
    return "neutral"


def _last_cross(notes: Notes, bars: Bars, line: Floats, other: Floats) -> Cross | None:
    """The last crossing of the past month."""
    first = bars.first_from(notes.subject.since(TECHNICAL_DAYS))
    found = [cross for cross in crosses(line, other) if cross.at >= first]
    return found[-1] if found else None


def _rsi_cross(notes: Notes, bars: Bars) -> None:
    """RSI(6) over RSI(12), as Chinese charts draw them; nothing is said where they did not cross."""
    quick, slow = rsi(bars.close, QUICK), rsi(bars.close, SLOW)
    if len(bars.days) <= SLOW or not np.isfinite(slow[-1]):
        return _short(notes, f"RSI({QUICK}) against RSI({SLOW})", SLOW + 1, bars)
    last = _last_cross(notes, bars, quick, slow)
    if last is None:
        return None
    kind, day = "golden" if last.golden else "death", bars.day(last.at)
    text = f"RSI({QUICK}) formed a {kind} cross with RSI({SLOW}) on {day}."
    signal = _side(last.golden)
    return notes.say(
        "rsi-cross", Figure(f"{kind} cross", "word", day), text, inputs=(bars.id,), signal=signal
    )


def _macd(notes: Notes, bars: Bars) -> None:
    line, smoothed = macd(bars.close)
    if not np.isfinite(line[-1]):
        return _short(notes, "MACD(12, 26, 9)", 34, bars)
    last = _last_cross(notes, bars, line, smoothed)
    if last is None:
        ahead = bool(line[-1] > smoothed[-1])
        side = "above" if ahead else "below"
        text = (
            f"MACD(12, 26, 9) is {line[-1]:.3f}, {side} its signal line, without a cross in the past month."
        )
        figure = Figure(float(line[-1]), "points", bars.day(-1))
        signal = direction(float(line[-1] - smoothed[-1]))
        return notes.say("macd", figure, text, inputs=(bars.id,), signal=signal)
    kind, axis = "golden" if last.golden else "death", "above" if last.above_zero else "below"
    word = f"{kind} cross {axis} the zero axis"
    text = f"MACD(12, 26, 9) formed a {word} on {bars.day(last.at)} and is at {line[-1]:.3f}."
    figure = Figure(word, "word", bars.day(last.at))
    return notes.say("macd-cross", figure, text, inputs=(bars.id,), signal=_side(last.golden))


def _averages(notes: Notes, bars: Bars) -> None:
    values = {days: float(average(bars.close, days)[-1]) for days in AVERAGES if len(bars.days) >= days}
    if len(values) < len(AVERAGES):
        return _short(notes, "alignment of the moving averages", AVERAGES[-1], bars)
    ordered = list(values.values())
    word, signal = "mixed", _neutral()
    if ordered == sorted(set(ordered), reverse=True):
        word, signal = "bullish", _side(bullish=True)
    elif ordered == sorted(set(ordered)):
        word, signal = "bearish", _side(bullish=False)
    listed = ", ".join(f"{days}-day {value:.2f}" for days, value in values.items())
    text = f"The moving averages are in {word} alignment: {listed}."
    figure = Figure(f"{word} alignment", "word", bars.day(-1))
    return notes.say("moving-averages", figure, text, inputs=(bars.id,), signal=signal)


def _bands(notes: Notes, bars: Bars) -> None:
    if len(bars.days) < 20:
        return _short(notes, "Bollinger bands", 20, bars)
    upper, _, lower = (float(band[-1]) for band in bollinger(bars.close))
    close = float(bars.close[-1])
    place = "above" if close > upper else "below" if close < lower else "within"
    text = f"The price is {place} the Bollinger bands, {lower:.2f} to {upper:.2f}."
    return notes.say("bollinger", Figure(place, "word", bars.day(-1)), text, inputs=(bars.id,))


def _patterns(notes: Notes, bars: Bars) -> None:
    """The last patterns of the month. A signal is only one of the newest day, of the past two weeks, whose
    key level stands; older ones have had their day.
    """
    first = bars.first_from(notes.subject.since(TECHNICAL_DAYS))
    found = [candle for candle in candles(bars) if candle.at >= first]
    close, last = float(bars.close[-1]), {candle.name: candle for candle in found}
    for candle in sorted(last.values(), key=lambda candle: candle.at)[::-1][:SHOWN_PATTERNS]:
        day, stands = bars.day(candle.at), _stands(candle, close)
        article = "An" if candle.name[0] in "aeiou" else "A"
        state = "stands" if stands else "has been broken"
        level = f"its key level of {candle.level:.2f} {state}"
        text = f"{article} {candle.name} pattern was completed on {day}; {level}."
        counts = stands and candle.at == found[-1].at and len(bars.days) - candle.at <= PATTERN_SESSIONS
        name = f"pattern-{candle.name.replace(' ', '-')}"
        signal = _side(candle.bullish) if counts else _neutral()
        notes.say(name, Figure(candle.name, "word", day), text, inputs=(bars.id,), signal=signal)


def _stands(candle: Candle, close: float) -> bool:
    return close >= candle.level if candle.bullish else close <= candle.level


def _levels(notes: Notes, bars: Bars) -> None:
    low, high = bars.low[-LEVEL_SESSIONS:], bars.high[-LEVEL_SESSIONS:]
    if len(low) < LEVEL_SESSIONS or not (np.isfinite(low).all() and np.isfinite(high).all()):
        return _short(notes, "support and resistance", LEVEL_SESSIONS, bars)
    for name, value, what in (
        ("support", float(low.min()), "lowest low"),
        ("resistance", float(high.max()), "highest high"),
    ):
        level = amount(value, bars.currency)
        text = f"{name.capitalize()} is at {level}, the {what} of {LEVEL_SESSIONS} sessions."
        figure = Figure(value, bars.currency or "price", bars.day(-1), bars.day(-LEVEL_SESSIONS))
        notes.say(name, figure, text, inputs=(bars.id,))
    return None
