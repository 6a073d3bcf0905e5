"""One company as a tool sees it: its bars, flows, facts and peers, all out of the Bundle that was read.

What comes in is a Bundle, which holds nothing that was not known at its `as_of` (law 1); what goes out are
findings and gaps, collected in `Notes`. Windows are AnalyScore's (FinSphere, table 4): what is older is not
given.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from finground.records.bundle import Bundle, Fact, Finding, Gap, Passage, Series, Signal

T = TypeVar("T")

TECHNICAL_DAYS = 31  # "past month"
FLOW_DAYS = 15
NEWS_DAYS = 15
FINANCIAL_DAYS = 3 * 366
MARKET = "market"  # the entity of index series

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Sessions with a close, oldest first; `closes` are UTC, `volume` is in shares.

    `open` … `close` are adjusted for splits and dividends where the source has an adjusted close, all by one
    factor a session, 1 on the last: so levels compare with `raw_close`, the price as quoted (case S5).
    `as_traded` tells whether quoted prices are known to be those of their day: a vendor's history is adjusted
    for later splits, which as-filed share counts are not.
    """

    id: str
    currency: str
    closes: npt.NDArray[np.datetime64]
    days: npt.NDArray[np.datetime64]
    open: Floats
    high: Floats
    low: Floats
    close: Floats
    raw_close: Floats
    volume: Floats
    as_traded: bool = True

    def day(self, at: int) -> date:
        """The session's day."""
        found: date = self.days[at].item()
        return found

    @property
    def returns(self) -> Floats:
        """Change of each session against the one before, as a ratio; one shorter than the bars."""
        return np.asarray(self.close[1:] / self.close[:-1] - 1)

    def change(self, sessions: int) -> float | None:
        """The last close against that of so many sessions before, in percent; None where there are fewer."""
        if len(self.close) <= sessions:
            return None
        return 100 * (float(self.close[-1]) / float(self.close[-1 - sessions]) - 1)

    def first_from(self, day: date) -> int:
        """The place of the first session on the day or after it; the number of sessions if there is none."""
        return int(np.searchsorted(self.days, np.datetime64(day)))


def bars_of(series: Series) -> Bars:
    """The sessions that have a positive close; a halted day without one is left out (case R2)."""
    close, adjusted = _column(series, "close"), _column(series, "adj_close")
    kept = np.isfinite(close) & (close > 0)
    factor = np.ones(len(close))
    if kept.any() and np.isfinite(adjusted[kept]).all():
        factor[kept] = adjusted[kept] / close[kept]
        factor /= factor[kept][-1]
    prices = {name: (_column(series, name) * factor)[kept] for name in ("open", "high", "low", "close")}
    return Bars(
        id=series.id,
        currency=series.currency or "",
        closes=series.times[kept],
        days=series.times[kept].astype("datetime64[D]"),
        raw_close=close[kept],
        volume=_column(series, "volume")[kept],
        as_traded=series.source.startswith("synthetic"),
        **prices,
    )


def _column(series: Series, name: str) -> Floats:
    found = series.column(name)
    return np.full(len(series.times), np.nan) if found is None else found


class Board:
    """One bundle, sorted once by company, so that a cross-section of hundreds is worked out once.

    What it gives follows from the bundle alone.
    """

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self._bars: dict[str, Bars | None] = {}
        self._quarters: dict[tuple[str, str], list[Fact]] = {}
        self._worked: dict[str, Any] = {}
        self._series: dict[str, list[Series]] = {}
        for row in bundle.series:
            self._series.setdefault(row.entity, []).append(row)
        self._facts: dict[tuple[str, str], list[Fact]] = {}
        self.filed: dict[str, list[Fact]] = {}  # by company, in the order of filing
        for fact in sorted(bundle.facts, key=lambda fact: fact.filed_at):
            self._facts.setdefault((fact.entity, fact.metric), []).append(fact)
            self.filed.setdefault(fact.entity, []).append(fact)
        self.news: dict[str, list[Passage]] = {}  # by ticker, in the order of the bundle
        for passage in bundle.passages:
            for ticker in passage.tickers:
                self.news.setdefault(ticker, []).append(passage)
        self.companies = tuple(
            sorted(({fact.entity for fact in bundle.facts} | set(self._series)) - {MARKET})
        )

    def since(self, days: int) -> date:
        """The first day of a window of so many days that ends at `as_of`."""
        return self.bundle.as_of.date() - timedelta(days=days)

    def once(self, what: str, work: Callable[[], T]) -> T:
        """The result of work over all companies, done when first asked for by that name."""
        if what not in self._worked:
            self._worked[what] = work()
        found: T = self._worked[what]
        return found

    def bars(self, entity: str) -> Bars | None:
        """Prices of a company; None if none were read."""
        if entity not in self._bars:
            found = [bars_of(row) for row in self._series.get(entity, ()) if "close" in row.names]
            known = (bars for bars in found if len(bars.days))
            self._bars[entity] = max(known, key=lambda bars: bars.day(-1), default=None)
        return self._bars[entity]

    def flows(self, entity: str, column: str) -> Series | None:
        """The series of a company that has values in that column; None if none was read."""
        mine = (row for row in self._series.get(entity, ()) if column in row.names)
        return next((row for row in mine if np.isfinite(_column(row, column)).any()), None)

    def quarters(self, entity: str, metric: str) -> list[Fact]:
        """Quarterly figures of a metric, or balance-sheet values, of the past three years; newest first.

        Of several filings for a period the last one filed counts. Fiscal years only where there is no
        quarter.
        """
        key = entity, metric
        if key not in self._quarters:
            known = self._facts.get(key, ())
            found = {fact.period_end: fact for fact in known if _is_quarter(fact)}
            found = found or {fact.period_end: fact for fact in known if _is_year(fact)}
            first = self.since(FINANCIAL_DAYS)
            recent = (fact for end, fact in found.items() if end >= first)
            self._quarters[key] = sorted(recent, key=lambda fact: fact.period_end, reverse=True)
        return self._quarters[key]


@dataclass(frozen=True, slots=True)
class Subject:
    """The company that is analysed. `names` are display names by id, `tickers` all it ever had, by id."""

    entity: str
    board: Board
    names: Mapping[str, str]
    tickers: Mapping[str, Sequence[str]] | None = None

    @property
    def bundle(self) -> Bundle:
        return self.board.bundle

    @property
    def name(self) -> str:
        return self.names.get(self.entity, self.entity)

    @property
    def today(self) -> date:
        return self.bundle.as_of.date()

    def since(self, days: int) -> date:
        """The first day of a window of so many days that ends at `as_of`."""
        return self.board.since(days)

    @property
    def currency(self) -> str:
        """The currency of its prices; empty where none is known."""
        bars = self.bars()
        return bars.currency if bars else ""

    def bars(self, entity: str | None = None) -> Bars | None:
        """Prices of the company, or of `entity`; None if none were read."""
        return self.board.bars(entity or self.entity)

    def flows(self, column: str) -> Series | None:
        """The series of the company that has that column; None if none was read."""
        return self.board.flows(self.entity, column)

    @property
    def peers(self) -> tuple[str, ...]:
        """The other companies in the bundle, in order of id."""
        return tuple(id for id in self.board.companies if id != self.entity)

    def quarters(self, metric: str, entity: str | None = None) -> list[Fact]:
        """The latest periods of a metric, of the company or of `entity`; newest first."""
        return self.board.quarters(entity or self.entity, metric)


def _is_quarter(fact: Fact) -> bool:
    """A quarter of 13 or 14 weeks, or a value of one day."""
    return fact.period_start is None or 74 <= (fact.period_end - fact.period_start).days <= 120


def _is_year(fact: Fact) -> bool:
    """A year of 52 or 53 weeks."""
    return fact.period_start is not None and 350 <= (fact.period_end - fact.period_start).days <= 380


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its unit, and the first and last day it covers."""

    value: float | str
    unit: str
    end: date
    start: date | None = None


class Notes:
    """What one tool found, and missed, about one company."""

    def __init__(self, tool: str, subject: Subject) -> None:
        self.tool = tool
        self.subject = subject
        self.findings: list[Finding] = []
        self.gaps: list[Gap] = []

    def say(
        self, name: str, figure: Figure, text: str, *, inputs: tuple[str, ...], signal: Signal = "neutral"
    ) -> None:
        """Add a finding."""
        mark = f"{self.tool}/{self.subject.entity}/{name}/{figure.end}"
        self.findings.append(
            Finding(
                id=mark,
                tool=self.tool,
                entity=self.subject.entity,
                name=name,
                value=figure.value,
                unit=figure.unit,
                period_start=figure.start,
                period_end=figure.end,
                inputs=inputs,
                signal=signal,
                text=text,
            )
        )

    def miss(self, what: str, why: str, nearest: Fact | None = None) -> None:
        """Add a gap."""
        self.gaps.append(Gap(self.subject.entity, what, why, nearest, self.tool))


def recent_bars(notes: Notes, what: str) -> Bars | None:
    """The company's bars if the last is of the past month; else a gap for `what`, and None."""
    bars = notes.subject.bars()
    if bars is None:
        notes.miss(what, f"no price known by {notes.subject.today} is in the sources")
        return None
    if bars.day(-1) < notes.subject.since(TECHNICAL_DAYS):
        notes.miss(
            what, f"the last price known is of {bars.day(-1)}, more than a month before {notes.subject.today}"
        )
        return None
    return bars


def direction(value: float) -> Signal:
    """Bullish above zero, bearish below."""
    return "bullish" if value > 0 else "bearish" if value < 0 else "neutral"


def amount(value: float, currency: str) -> str:
    """Money as text: from a million on in millions, "19,881 million USD"."""
    unit = f" {currency}" if currency else ""
    size = abs(value)
    if size >= 1e9:
        return f"{value / 1e6:,.0f} million{unit}"
    if size >= 1e6:
        return f"{value / 1e6:,.1f} million{unit}"
    return f"{value:,.2f}{unit}"


def count(value: float) -> str:
    """A number of shares as text: from a million on in millions."""
    return f"{value / 1e6:,.3f} million" if value >= 1e6 else f"{value:,.0f}"


def moved(change_percent: float, *, rose: str = "up", fell: str = "down") -> str:
    """A change in words, "up 1.23%"; the sign is in the word."""
    if round(abs(change_percent), 2) == 0:
        return "unchanged"
    return f"{rose if change_percent > 0 else fell} {abs(change_percent):.2f}%"


def last_known(series: Series, column: str) -> tuple[Any, Floats]:
    """Days and values of a column where it has one, oldest first."""
    values = _column(series, column)
    kept = np.isfinite(values)
    return series.times[kept].astype("datetime64[D]"), values[kept]
