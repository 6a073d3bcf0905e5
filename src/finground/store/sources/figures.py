"""Figures of any vendor out of a CSV: Ticker, Metric, Start, End, Filed, Value, Unit.

Start is empty for what holds on a day. Filed is the day the figure became known, and without one there is no
row: nobody could tell what it answers. Unit says currency and scale ("CNY thousands", "万元", "USD/share").
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from finground.catalog.metrics import Metric, Metrics
from finground.core.artifact import read_text
from finground.core.errors import CatalogError
from finground.store import schema
from finground.store.sources.known import Known, plain_ticker, table_of
from finground.store.sources.prices import introduce
from finground.store.sources.rows import Aside, Batch, Read
from finground.store.sources.units import measure

COLUMNS = ("Ticker", "Metric", "Start", "End", "Filed", "Value", "Unit")
VENDOR = 900  # a vendor's figure stands behind what the company filed


def figure_file(path: Path, known: Known, metrics: Metrics) -> Iterator[Read]:
    """Figures in base units; those whose metric, unit or days cannot be told are set aside.

    Raises:
        InputError: if a column is missing or the file is cut off.
    """
    rows: list[dict[str, Any]] = []
    name = path.name.split(".")[0]
    for line, row in table_of(read_text(path), str(path), COLUMNS):
        try:
            read = _figure(row, metrics.resolve(row["Metric"]))
        except (CatalogError, ValueError) as error:
            yield Aside(f"line {line}", str(error), ",".join(row.values()))
            continue
        ticker = plain_ticker(row["Ticker"])
        yield from introduce(ticker, known, {})
        rows.append(
            {**read, "company": known.tickers[ticker], "source": known.source(name), "accession": name}
        )
    yield Batch(schema.metric_values, rows)


def _figure(row: Mapping[str, str], metric: Metric) -> dict[str, Any]:
    """A row in base units.

    Raises:
        ValueError: if a day, the value or the unit is not one, or the unit is not the metric's.
    """
    told = measure(row["Unit"])
    if told.unit != metric.unit:
        raise ValueError(f"{metric.name} is in {metric.unit}, not in {row['Unit']}")
    end = date.fromisoformat(row["End"])
    if metric.instant == bool(row["Start"]):
        raise ValueError(
            f"{metric.name} {'holds on a day, Start is empty' if metric.instant else 'has a Start'}"
        )
    filed = datetime.combine(date.fromisoformat(row["Filed"]), time(23, 59, 59), UTC)
    return {
        "metric": metric.slug,
        "tag": "vendor",
        "preference": VENDOR,
        "period_start": date.fromisoformat(row["Start"]) if row["Start"] else end,
        "period_end": end,
        "filed_at": schema.seconds(filed),
        "value": float(row["Value"]) * told.scale,
        "unit": metric.unit,
        "currency": told.currency,
        "scale": told.scale,
        "form": "vendor",
        "fiscal_year": None,
        "fiscal_period": None,
    }
