"""A company's prices as inline SVG: closes with averages and Bollinger bands, volume, MACD, RSI; nothing is
loaded.

Values are those of the tools: adjusted closes, TA-Lib's indicators, undefined where a window is not full.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from html import escape

import numpy as np

from finground.quant.indicators import average, bollinger, macd, rsi
from finground.quant.subject import Bars, Floats

SHOWN = 120  # sessions
WIDTH, LEFT, RIGHT = 900.0, 56.0, 12.0
HEIGHTS = {"price": 250.0, "volume": 60.0, "MACD(12, 26, 9)": 80.0, "RSI(14)": 80.0}
GAP = 26.0
STYLE = """
svg{width:100%;height:auto;font:11px system-ui,sans-serif}svg text{fill:#555}
.grid{stroke:#e4e4e4}.close{stroke:#1f4e8c;stroke-width:1.6}.short{stroke:#d98a00}.long{stroke:#7a3fa0}
.band{fill:#1f4e8c;opacity:.08;stroke:none}.up{fill:#3a8f5a}.down{fill:#b64a4a}.other{stroke:#d98a00}
.mark{stroke:#888;stroke-dasharray:3 3}polyline{fill:none;stroke-width:1.1}
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """A day with something to tell about it."""

    day: date
    text: str


@dataclass(frozen=True, slots=True)
class Panel:
    """A strip of the chart: where it lies, and which values its lower and upper edge stand for."""

    top: float
    height: float
    low: float
    high: float
    count: int

    def x(self, at: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (at + 0.5) / self.count

    def y(self, value: float) -> float:
        span = self.high - self.low or 1.0
        return self.top + self.height * (1 - (value - self.low) / span)


def chart(bars: Bars, marks: Sequence[Mark] = ()) -> str:
    """The chart of the last sessions; empty where there are fewer than two."""
    count = min(SHOWN, len(bars.days))
    if count < 2:
        return ""
    parts, top = [], 16.0
    for name, height in HEIGHTS.items():
        parts.append(_strip(name, bars, count, top, height))
        top += height + GAP
    bottom = top - GAP
    parts += [_mark(mark, bars, count, bottom) for mark in marks]
    parts.append(_days(bars, count, bottom))
    label = f"prices from {bars.day(-count)} to {bars.day(-1)}"
    head = f'<svg viewBox="0 0 {WIDTH:.0f} {bottom + 22:.0f}" role="img" aria-label="{label}">'
    return f"{head}{''.join(parts)}</svg>"


def _strip(name: str, bars: Bars, count: int, top: float, height: float) -> str:
    """One strip with its lines."""
    if name == "price":
        return _price(bars, count, top, height)
    if name == "volume":
        return _volume(bars, count, top, height)
    if name.startswith("RSI"):
        return _lines(
            name, {"close": rsi(bars.close)}, count, top, height, edges=(0.0, 100.0), grid=(30.0, 70.0)
        )
    line, signal = macd(bars.close)
    return _lines(name, {"close": line, "other": signal}, count, top, height, grid=(0.0,))


def _price(bars: Bars, count: int, top: float, height: float) -> str:
    lines = {"close": bars.close}
    lines |= {
        kind: average(bars.close, days)
        for kind, days in (("short", 20), ("long", 60))
        if len(bars.close) >= days
    }
    upper, _, lower = bollinger(bars.close) if len(bars.close) >= 20 else (bars.close,) * 3
    edges = _edges(np.concatenate([values[-count:] for values in (*lines.values(), upper, lower)]))
    panel = Panel(top, height, *edges, count)
    both = [at for at in range(count) if np.isfinite(upper[at - count]) and np.isfinite(lower[at - count])]
    around = [f"{panel.x(at):.1f},{panel.y(upper[at - count]):.1f}" for at in both]
    around += [f"{panel.x(at):.1f},{panel.y(lower[at - count]):.1f}" for at in reversed(both)]
    band = f'<polygon class="band" points="{" ".join(around)}"/>' if len(bars.close) >= 20 else ""
    title = f"adjusted close{f' in {bars.currency}' if bars.currency else ''}"
    title += ", 20-day average, 60-day average, Bollinger bands" if len(lines) > 2 else ""
    return band + _lines(title, lines, count, top, height, edges=edges)


def _volume(bars: Bars, count: int, top: float, height: float) -> str:
    volume = np.nan_to_num(bars.volume[-count:])
    panel = Panel(top, height, 0.0, float(volume.max()) or 1.0, count)
    width = 0.7 * (WIDTH - LEFT - RIGHT) / count
    rises = (
        np.diff(bars.close[-count - 1 :], prepend=bars.close[-count] if len(bars.close) == count else []) >= 0
    )
    bars_drawn = [
        f'<rect class="{"up" if rises[at] else "down"}" x="{panel.x(at) - width / 2:.1f}" '
        f'y="{panel.y(value):.1f}" width="{width:.1f}" height="{top + height - panel.y(value):.1f}"/>'
        for at, value in enumerate(volume.tolist())
    ]
    return _title(f"volume, up to {volume.max():,.0f} shares", top) + "".join(bars_drawn)


def _lines(
    title: str,
    lines: dict[str, Floats],
    count: int,
    top: float,
    height: float,
    *,
    edges: tuple[float, float] | None = None,
    grid: Sequence[float] = (),
) -> str:
    """Lines of one strip with its title and its scale; an undefined value breaks a line."""
    shown = {kind: values[-count:] for kind, values in lines.items()}
    found = edges or _edges(np.concatenate(list(shown.values())))
    panel = Panel(top, height, *found, count)
    marks = grid or (found[0], (found[0] + found[1]) / 2, found[1])
    scale = "".join(
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" '
        f'y1="{panel.y(mark):.1f}" y2="{panel.y(mark):.1f}"/>'
        f'<text x="{LEFT - 6}" y="{panel.y(mark) + 4:.1f}" text-anchor="end">{mark:,.4g}</text>'
        for mark in marks
    )
    drawn = "".join(
        f'<polyline class="{kind}" points="{" ".join(points)}"/>'
        for kind, values in shown.items()
        for points in [
            [f"{panel.x(at):.1f},{panel.y(v):.1f}" for at, v in enumerate(values) if np.isfinite(v)]
        ]
    )
    return _title(title, top) + scale + drawn


def _edges(values: Floats) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)


def _title(text: str, top: float) -> str:
    return f'<text x="{LEFT}" y="{top - 4:.1f}">{escape(text)}</text>'


def _mark(mark: Mark, bars: Bars, count: int, bottom: float) -> str:
    """A dashed line on a day that is shown, with its text as a tooltip."""
    at = bars.first_from(mark.day) - (len(bars.days) - count)
    if not 0 <= at < count:
        return ""
    x = LEFT + (WIDTH - LEFT - RIGHT) * (at + 0.5) / count
    title = f"<title>{escape(mark.text)}</title>"
    return f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="16" y2="{bottom:.1f}">{title}</line>'


def _days(bars: Bars, count: int, bottom: float) -> str:
    """Six days under the chart."""
    places = np.linspace(0, count - 1, min(6, count)).astype(int).tolist()
    return "".join(
        f'<text x="{LEFT + (WIDTH - LEFT - RIGHT) * (at + 0.5) / count:.1f}" y="{bottom + 16:.1f}" '
        f'text-anchor="{"end" if at == count - 1 else "middle" if at else "start"}">'
        f"{bars.day(at - count)}</text>"
        for at in places
    )
