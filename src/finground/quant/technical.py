"""Technical signals of the past month: RSI, MACD crosses, moving averages, Bollinger bands, candlesticks,
levels.

Indicators are TA-Lib's over adjusted prices. Where a window is not yet full the item is a gap (cases R1,
R2).
"""

import numpy as np

from finground.quant.indicators import average, bollinger, candles, crosses, macd, rsi
from finground.quant.subject import (
    TECHNICAL_DAYS,
    Bars,
    Figure,
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
OVERBOUGHT, OVERSOLD = 70.0, 30.0
LEVEL_SESSIONS = 20  # support and resistance: the lowest low and the highest high of so many sessions
SHOWN_PATTERNS = 3


def technical(subject: Subject) -> Notes:
    """What the chart of the past month shows."""
    notes = Notes(TOOL, subject)
    bars = recent_bars(notes, "technical signals")
    if bars is None:
        return notes
    _macd(notes, bars)
    _rsi(notes, bars)
    _averages(notes, bars)
    _patterns(notes, bars)
    _bands(notes, bars)
    _levels(notes, bars)
    return notes


def _short(notes: Notes, what: str, needed: int, bars: Bars) -> None:
    notes.miss(what, f"it takes {needed} sessions, and {len(bars.days)} are known")


def _rsi(notes: Notes, bars: Bars) -> None:
    value = float(rsi(bars.close)[-1])
    if not np.isfinite(value):
        return _short(notes, "RSI(14)", 15, bars)
    if value >= OVERBOUGHT:
        state, signal = "overbought", "bearish"
    elif value <= OVERSOLD:
        state, signal = "oversold", "bullish"
    else:
        state, signal = "between oversold and overbought", "neutral"
    text = f"RSI(14) is {value:.2f}, {state}."
    return notes.say(
        "rsi", Figure(value, "points", bars.day(-1)), text, inputs=(bars.id,), signal=_signal(signal)
    )


def _signal(word: str) -> Signal:
    return "bullish" if word == "bullish" else "bearish" if word == "bearish" else "neutral"


def _macd(notes: Notes, bars: Bars) -> None:
    line, smoothed = macd(bars.close)
    if not np.isfinite(line[-1]):
        return _short(notes, "MACD(12, 26, 9)", 34, bars)
    first = notes.subject.since(TECHNICAL_DAYS)
    found = [cross for cross in crosses(line, smoothed) if bars.day(cross.at) >= first]
    if not found:
        side = "above" if line[-1] > smoothed[-1] else "below"
        text = (
            f"MACD(12, 26, 9) is {line[-1]:.3f}, {side} its signal line, without a cross in the past month."
        )
        figure = Figure(float(line[-1]), "points", bars.day(-1))
        return notes.say(
            "macd", figure, text, inputs=(bars.id,), signal=direction(float(line[-1] - smoothed[-1]))
        )
    last = found[-1]
    kind, signal = ("golden", "bullish") if last.golden else ("death", "bearish")
    axis = "above" if last.above_zero else "below"
    text = f"MACD formed a {kind} cross {axis} the zero axis on {bars.day(last.at)}."
    figure = Figure(f"{kind} cross {axis} the zero axis", "word", bars.day(last.at))
    return notes.say("macd-cross", figure, text, inputs=(bars.id,), signal=_signal(signal))


def _averages(notes: Notes, bars: Bars) -> None:
    values = {days: float(average(bars.close, days)[-1]) for days in AVERAGES if len(bars.days) >= days}
    if len(values) < len(AVERAGES):
        return _short(notes, "alignment of the moving averages", AVERAGES[-1], bars)
    ordered = list(values.values())
    if ordered == sorted(ordered, reverse=True):
        word, signal = "bullish", "bullish"
    elif ordered == sorted(ordered):
        word, signal = "bearish", "bearish"
    else:
        word, signal = "mixed", "neutral"
    listed = ", ".join(f"{days}-day {value:.2f}" for days, value in values.items())
    text = f"The moving averages are in {word} alignment: {listed}."
    figure = Figure(f"{word} alignment", "word", bars.day(-1))
    return notes.say("moving-averages", figure, text, inputs=(bars.id,), signal=_signal(signal))


def _bands(notes: Notes, bars: Bars) -> None:
    if len(bars.days) < 20:
        return _short(notes, "Bollinger bands", 20, bars)
    upper, _, lower = (float(band[-1]) for band in bollinger(bars.close))
    close = float(bars.close[-1])
    place = "above" if close > upper else "below" if close < lower else "within"
    text = f"The price is {place} the Bollinger bands, {lower:.2f} to {upper:.2f}."
    return notes.say("bollinger", Figure(place, "word", bars.day(-1)), text, inputs=(bars.id,))


def _patterns(notes: Notes, bars: Bars) -> None:
    """The last patterns of the month; only those of the newest day are a signal, older ones have had their
    day.
    """
    first = notes.subject.since(TECHNICAL_DAYS)
    found = [candle for candle in candles(bars) if bars.day(candle.at) >= first]
    for candle in found[::-1][:SHOWN_PATTERNS]:
        day = bars.day(candle.at)
        article = "An" if candle.name[0] in "aeiou" else "A"
        text = f"{article} {candle.name} pattern was completed on {day}."
        side = "bullish" if candle.bullish else "bearish"
        signal = _signal(side if candle.at == found[-1].at else "neutral")
        name = f"pattern-{candle.name.replace(' ', '-')}"
        notes.say(name, Figure(candle.name, "word", day), text, inputs=(bars.id,), signal=signal)


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
