"""The rows of a data answer: facts asked for, and prices of the asked days where a metric is a daily
series.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np

from finground.records.bundle import Fact, Series
from finground.report.brief import Brief
from finground.report.figures import figure, period, written

DAILY = {"stock-price": ("close", "per-share"), "volume": ("volume", "shares")}  # column and unit by metric
GROWTH = "stock-price-growth"


@dataclass(frozen=True, slots=True)
class Row:
    """One value as the table shows it, with what is needed to compare it; `id` is of the fact or series."""

    id: str
    entity: str
    metric: str
    value: float
    unit: str
    currency: str | None
    period: str
    end: date
    shown: str
    known: date
    source: str


def rows(brief: Brief) -> tuple[Row, ...]:
    """By metric as requested, then by entity as read, then newest first."""
    found = [_of_fact(fact) for fact in brief.latest_facts()]
    have = {(row.entity, row.metric) for row in found}
    for series in brief.bundle.series:
        found += [row for row in of_series(series, brief) if (row.entity, row.metric) not in have]
    wanted = [metric.slug for metric in brief.request.metrics]
    entities = {
        id: at for at, id in enumerate(dict.fromkeys((*brief.companies, *(row.entity for row in found))))
    }
    kept = [row for row in found if row.metric in wanted]
    return tuple(
        sorted(kept, key=lambda row: (wanted.index(row.metric), entities[row.entity], -row.end.toordinal()))
    )


def _of_fact(fact: Fact) -> Row:
    return Row(
        fact.id, fact.entity, fact.metric, fact.value, fact.unit, fact.currency, period(fact),
        fact.period_end, figure(fact), fact.filed_at.date(), fact.source,
    )  # fmt: skip


def of_series(series: Series, brief: Brief) -> Iterator[Row]:
    """The last value of the asked days of each daily metric, and the change of the adjusted price over
    them.
    """
    inside = np.ones(len(series.times), dtype=bool)
    days = series.times.astype("datetime64[D]")
    if brief.request.interval:
        inside = (days >= np.datetime64(brief.request.interval.start)) & (
            days <= np.datetime64(brief.request.interval.end)
        )
    for metric, (column, unit) in DAILY.items():
        values = series.column(column)
        if values is None or not (kept := inside & np.isfinite(values)).any():
            continue
        day, value = days[kept][-1].item(), float(values[kept][-1])
        currency = series.currency if unit == "per-share" else None
        shown = written(value, unit, currency, metric)
        yield Row(
            series.id, series.entity, metric, value, unit, currency, f"{day}", day, shown, day, series.source
        )
    change = growth(series, inside)
    if change is not None and brief.request.interval:
        first, last, value = change
        shown = written(value, "ratio", None, GROWTH)
        yield Row(
            series.id,
            series.entity,
            GROWTH,
            value,
            "ratio",
            None,
            f"{first} to {last}",
            last,
            shown,
            last,
            series.source,
        )


def growth(series: Series, inside: "np.typing.NDArray[np.bool_]") -> tuple[date, date, float] | None:
    """First and last day with a price, and the change between as a ratio; adjusted prices where there are
    any.
    """
    values = series.column("adj_close")
    values = series.column("close") if values is None or not np.isfinite(values[inside]).all() else values
    if values is None:
        return None
    kept = inside & np.isfinite(values)
    if kept.sum() < 2:
        return None
    days, prices = series.times[kept].astype("datetime64[D]"), values[kept]
    return days[0].item(), days[-1].item(), float(prices[-1] / prices[0] - 1)
