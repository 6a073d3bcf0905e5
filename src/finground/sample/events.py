"""What happens in the invented world, day by day: results, corrections, company news, commodities, economies.

An event has a moment, a kind (a key of data/stories.json), whom it concerns and how far it moves prices.
Prices follow events and texts report them, so statements, prices and news tell one story. Nothing happens
after the last day.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from finground.sample.calendar import trading_days
from finground.sample.filings import Filing
from finground.sample.firms import Firm

IMPACT = {
    "guidance-up": 0.045,
    "guidance-down": -0.06,
    "product": 0.01,
    "contract": 0.02,
    "recall": -0.035,
    "strike": -0.025,
    "strike-over": 0.02,
    "acquisition": -0.015,
    "executive": 0.0,
    "buyback": 0.015,
    "upgrade": 0.02,
    "downgrade": -0.025,
    "probe": -0.04,
}
A_YEAR_COMPANY, A_YEAR_COMMODITY, A_YEAR_ECONOMY = 6, 45, 34
BEFORE_OPEN, AFTER_CLOSE = time(11, 30), time(21, 15)  # UTC, in summer and in winter


@dataclass(frozen=True, slots=True)
class Event:
    """One happening to a firm, an industry or the market; `impact` is a log return, `values` serve texts."""

    at: datetime
    kind: str
    impact: float
    firm: Firm | None = None
    industry: str = ""
    filing: Filing | None = None
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def moves_on(self) -> date:
        """The first day whose session can react."""
        late = self.at.time() >= AFTER_CLOSE
        return self.at.date() + timedelta(days=1) if late else self.at.date()


def happen(
    filed: Mapping[Firm, Sequence[Filing]], names: Mapping[str, Any], first: date, last: date, seed: int
) -> list[Event]:
    """All events from `first` to `last`, in order of time."""
    days = trading_days(first, last)
    listed = max(0, len(days) - 10)
    events: list[Event] = []
    for firm, reports in filed.items():
        events += _reports(firm, reports, first, firm.rng(seed, "reports"))
        events += _company(firm, days[listed:] if firm.new else days, names, firm.rng(seed, "events"))
    events += _commodities(days, names, random.Random(f"{seed}/commodities"))
    events += _economies(days, names, random.Random(f"{seed}/economies"))
    return sorted(events, key=lambda event: (event.at, event.kind, event.firm.ticker if event.firm else ""))


def _reports(firm: Firm, reports: Sequence[Filing], first: date, rng: random.Random) -> Iterator[Event]:
    for filing in reports:
        at = _moment(filing.filed, rng)
        if filing.filed < first:
            continue
        if filing.form == "10-Q/A":
            yield Event(at, "restatement", -0.07, firm, filing=filing)
            continue
        surprise = filing.statement.surprise + rng.gauss(0, 0.3)
        tone = "beat" if surprise > 0.5 else "miss" if surprise < -0.5 else "inline"
        yield Event(at, f"results-{tone}", 0.03 * max(-3.0, min(3.0, surprise)), firm, filing=filing)


def _company(
    firm: Firm, days: Sequence[date], names: Mapping[str, Any], rng: random.Random
) -> Iterator[Event]:
    if firm.new:
        yield Event(_at(days[0], BEFORE_OPEN), "listing", 0.0, firm)
    if firm.halted and len(days) > 40:
        yield Event(_at(days[-31], BEFORE_OPEN), "halt", 0.0, firm)
    for _ in range(round(A_YEAR_COMPANY * len(days) / 252)):
        kind = rng.choice([kind for kind in IMPACT if kind != "strike-over"])
        day = rng.randrange(len(days))
        named = {"target": rng.choice(names["target"]), "person": _person(names, rng)}
        yield Event(_moment(days[day], rng), kind, _about(IMPACT[kind], rng), firm, values=named)
        if kind == "strike" and day + 6 < len(days):
            yield Event(_moment(days[day + 6], rng), "strike-over", IMPACT["strike-over"], firm)


def _commodities(days: Sequence[date], names: Mapping[str, Any], rng: random.Random) -> Iterator[Event]:
    prices = {name: float(price) for name, _, price, _ in names["commodity"]}
    count = round(A_YEAR_COMMODITY * len(days) / 252)
    for day in sorted(rng.choices(days, k=count)):
        name, unit, _, industry = rng.choice(names["commodity"])
        move = rng.gauss(0, 2.4) or 0.1
        prices[name] *= 1 + move / 100
        values = {
            "commodity": name,
            "unit": unit,
            "price": f"{prices[name]:,.1f}",
            "change": f"{abs(move):.1f}",
        }
        sells = 1 if industry.startswith("Oil") else -1
        kind = "commodity-up" if move > 0 else "commodity-down"
        yield Event(_moment(day, rng), kind, sells * move / 400, industry=industry, values=values)


def _economies(days: Sequence[date], names: Mapping[str, Any], rng: random.Random) -> Iterator[Event]:
    for day in sorted(rng.choices(days, k=round(A_YEAR_ECONOMY * len(days) / 252))):
        move = rng.gauss(0.1, 0.9)
        values = {
            "land": rng.choice(names["land"]),
            "indicator": rng.choice(names["indicator"]),
            "change": f"{max(abs(move), 0.1):.1f}",
            "month": f"{day.replace(day=1) - timedelta(days=1):%B}",
        }
        kind = "economy-up" if move > 0 else "economy-down"
        yield Event(_at(day, time(12, rng.randrange(60))), kind, move / 250, values=values)


def _person(names: Mapping[str, Any], rng: random.Random) -> str:
    return f"{rng.choice(names['first'])} {rng.choice(names['last'])}"


def _about(impact: float, rng: random.Random) -> float:
    return impact * rng.uniform(0.6, 1.4) + rng.gauss(0, 0.004)


def _moment(day: date, rng: random.Random) -> datetime:
    """Before the open or after the close."""
    start = BEFORE_OPEN if rng.random() < 0.6 else AFTER_CLOSE
    return _at(day, start) + timedelta(minutes=rng.randrange(75))


def _at(day: date, moment: time) -> datetime:
    return datetime.combine(day, moment, tzinfo=UTC)
