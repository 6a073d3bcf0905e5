"""TA-Lib's indicators over float64 arrays [sessions]; a value that has no full window behind it is NaN,
never filled.

TA-Lib imports pandas and polars where they are installed, only to accept their columns; we hand it arrays.
Loading it without them takes 0.02 s instead of 0.8 s, which a question would pay for (measured 2026-11 on 2
cores).
"""

import sys
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from finground.quant.subject import Bars, Floats

ROUNDING = 1e-9  # two lines nearer than this are one
_loading = threading.Lock()

# Name for readers by TA-Lib function. Dojis, whose sign says nothing of direction, are left out.
PATTERNS = {
    "CDLENGULFING": "engulfing",
    "CDLHAMMER": "hammer",
    "CDLHANGINGMAN": "hanging man",
    "CDLINVERTEDHAMMER": "inverted hammer",
    "CDLSHOOTINGSTAR": "shooting star",
    "CDLMORNINGSTAR": "morning star",
    "CDLEVENINGSTAR": "evening star",
    "CDLPIERCING": "piercing line",
    "CDLDARKCLOUDCOVER": "dark cloud cover",
    "CDL3WHITESOLDIERS": "three white soldiers",
    "CDL3BLACKCROWS": "three black crows",
    "CDLHARAMI": "harami",
    "CDLKICKING": "kicking",
    "CDL3INSIDE": "three inside",
    "CDL3OUTSIDE": "three outside",
}
_SESSIONS = {  # how many sessions a pattern is made of; the others of one
    "engulfing": 2, "piercing line": 2, "dark cloud cover": 2, "harami": 2, "kicking": 2,
    "morning star": 3, "evening star": 3, "three white soldiers": 3, "three black crows": 3,
    "three inside": 3, "three outside": 3,
}  # fmt: skip
_BOTH_WAYS = {"engulfing", "harami", "kicking", "three inside", "three outside"}


def talib() -> Any:
    """The TA-Lib module, loaded without the data-frame libraries it does not need here."""
    with _loading:
        hidden = [
            name for name in ("pandas", "polars") if name not in sys.modules and "talib" not in sys.modules
        ]
        for name in hidden:
            sys.modules[name] = None  # type: ignore[assignment]  # the documented way to make an import fail
        try:
            import talib as loaded
        finally:
            for name in hidden:
                del sys.modules[name]
    return loaded


def rsi(close: Floats, days: int = 14) -> Floats:
    """Wilder's relative strength index, 0 to 100; defined from session `days` on."""
    return np.asarray(talib().RSI(close, days))


def average(close: Floats, days: int) -> Floats:
    """Simple moving average."""
    return np.asarray(talib().SMA(close, days))


def bollinger(close: Floats, days: int = 20, width: float = 2.0) -> tuple[Floats, Floats, Floats]:
    """Upper, middle and lower band: the moving average and `width` population standard deviations around
    it.
    """
    upper, middle, lower = talib().BBANDS(close, days, width, width)
    return np.asarray(upper), np.asarray(middle), np.asarray(lower)


def macd(close: Floats, fast: int = 12, slow: int = 26, signal: int = 9) -> tuple[Floats, Floats]:
    """MACD line and its signal line."""
    line, smoothed, _ = talib().MACD(close, fast, slow, signal)
    return np.asarray(line), np.asarray(smoothed)


def money_flow_index(high: Floats, low: Floats, close: Floats, volume: Floats, days: int) -> Floats:
    """The share of money traded on days of a higher typical price, 0 to 100 (Quong and Soudack 1989).

    Typical prices are rounded first, so that equal ones are neither higher nor lower.
    """
    typical = np.round((high + low + close) / 3, 6)
    return np.asarray(talib().MFI(typical, typical, typical, volume, days))


def chaikin_money_flow(high: Floats, low: Floats, close: Floats, volume: Floats, days: int) -> Floats:
    """Volume weighted by where in its range each session closed, over volume, -1 to 1 (Chaikin).

    A session of one price weighs nothing; a window without volume is undefined.
    """
    span = high - low
    place = np.divide(2 * close - high - low, span, out=np.zeros_like(span), where=span > 0)
    flow, traded = (np.cumsum(np.r_[0.0, values]) for values in (place * volume, volume))
    found = np.full(len(close), np.nan)
    if len(close) >= days:
        total = traded[days:] - traded[:-days]
        found[days - 1 :] = np.divide(
            flow[days:] - flow[:-days], total, out=np.full_like(total, np.nan), where=total > 0
        )
    return found


@dataclass(frozen=True, slots=True)
class Cross:
    """A line crossing another at session `at`: golden from below, death from above."""

    at: int
    golden: bool
    above_zero: bool


def crosses(line: Floats, other: Floats) -> list[Cross]:
    """Every crossing of `line` over `other`, oldest first; undefined sessions and rounding cross nothing."""
    apart = line - other
    side = np.where(np.abs(apart) < ROUNDING, 0.0, np.sign(apart))
    apart_at = np.flatnonzero(np.isfinite(side) & (side != 0))
    turned = apart_at[1:][side[apart_at[1:]] != side[apart_at[:-1]]]
    return [Cross(int(at), golden=bool(side[at] > 0), above_zero=bool(line[at] > 0)) for at in turned]


@dataclass(frozen=True, slots=True)
class Candle:
    """A candlestick pattern completed at session `at`; `bullish` is its usual reading.

    `level` is its key level: the lowest low of its sessions under a bullish pattern, the highest high over a
    bearish one. Beyond it the pattern has failed.
    """

    at: int
    name: str
    bullish: bool
    level: float


def candles(bars: Bars) -> list[Candle]:
    """Every pattern in the bars, oldest first, by TA-Lib's rules."""
    if not all(np.isfinite(values).all() for values in (bars.open, bars.high, bars.low)) or not len(
        bars.days
    ):
        return []
    found = []
    for function, name in PATTERNS.items():
        marks = getattr(talib(), function)(bars.open, bars.high, bars.low, bars.close)
        for at in np.flatnonzero(marks):
            bullish = bool(marks[at] > 0)
            side = f"{'bullish' if bullish else 'bearish'} " if name in _BOTH_WAYS else ""
            own = slice(max(0, int(at) + 1 - _SESSIONS.get(name, 1)), int(at) + 1)
            level = float(bars.low[own].min() if bullish else bars.high[own].max())
            found.append(Candle(int(at), f"{side}{name}", bullish, level))
    return sorted(found, key=lambda candle: (candle.at, candle.name))
