"""Point-in-time snapshots: one CSV a day of what a vendor said of many companies, known from that day's end.

The file's name begins with its day. Only what holds on a day is read: price, ratios, market value. A vendor's
EBITDA and earnings per share are of twelve months it does not name, so they are left out.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from finground.core.artifact import read_text
from finground.core.errors import InputError
from finground.store import schema
from finground.store.sources.known import CURRENCY, Known, plain_ticker, table_of
from finground.store.sources.prices import NOTHING, introduce
from finground.store.sources.rows import Aside, Batch, Read
from finground.store.sources.units import suffixed

FORM = "snapshot"
COLUMNS: dict[str, tuple[str, str]] = {  # header in small letters → metric, unit
    "price": ("stock-price", "per-share"),
    "dividend yield": ("dividend-yield", "ratio"),
    "price/earnings": ("price-to-earnings", "ratio"),
    "book value": ("book-value-per-share", "per-share"),
    "market cap": ("market-capitalisation", "currency"),
    "market capitalization": ("market-capitalisation", "currency"),
    "price/sales": ("price-to-sales", "ratio"),
    "price/book": ("price-to-book", "ratio"),
}
PERCENT = ("dividend-yield",)


def snapshot(path: Path, known: Known) -> Iterator[Read]:
    """Values of all companies of one day.

    Raises:
        InputError: if the name has no day, or the table is cut off.
    """
    named = re.match(r"(\d{4}-\d\d-\d\d)", path.name)
    if named is None:
        raise InputError(f"{path}: a snapshot is named after its day, like 2014-05-01.csv")
    day, source = date.fromisoformat(named[1]), known.source(f"snapshot {named[1]}")
    rows: list[dict[str, Any]] = []
    ragged: dict[int, str] = {}
    table = list(table_of(read_text(path), str(path), ("Symbol", "Name"), ragged))
    yield from (
        Aside(f"line {line}", "not as many fields as the header", row) for line, row in ragged.items()
    )
    bare = _without_scale([row for _, row in table])
    for column in bare:
        yield Aside(column, "money without a letter for its scale (63.8B) in the whole file", path.name)
    for line, row in table:
        ticker = plain_ticker(row["Symbol"])
        yield from introduce(ticker, known, {ticker: row["Name"]})
        for read in _values({name: text for name, text in row.items() if name not in bare}, f"line {line}"):
            if isinstance(read, Aside):
                yield read
            else:
                rows.append(
                    {**read, "company": known.tickers[ticker], "source": source, **_of_day(day, path)}
                )
    yield Batch(schema.metric_values, rows)


def _without_scale(rows: list[Mapping[str, str]]) -> list[str]:
    """Columns of money in which no number has a letter for its scale."""
    money = [
        name
        for name in (rows[0] if rows else ())
        if COLUMNS.get(name.strip().lower(), ("", ""))[1] == "currency"
    ]
    return [name for name in money if not any(row[name].strip()[-1:].isalpha() for row in rows)]


def _values(row: Mapping[str, str], place: str) -> Iterator[dict[str, Any] | Aside]:
    for column, text in row.items():
        slug, unit = COLUMNS.get(column.strip().lower(), ("", ""))
        if not slug or text.strip() in (*NOTHING, "N/A", "-"):
            continue
        try:
            value, scaled = suffixed(text.strip().replace(",", ""))
        except ValueError:
            yield Aside(place, f"{column} is no number", text)
            continue
        if unit == "currency" and not scaled:
            yield Aside(place, f"{column} without a letter for its scale (63.8B)", text)
            continue
        yield {
            "metric": slug,
            "tag": column.strip().lower(),
            "preference": 0,
            "value": value / 100 if slug in PERCENT else value,
            "unit": unit,
            "currency": CURRENCY if unit != "ratio" else None,
            "scale": 0.01 if slug in PERCENT else 1.0,
        }


def _of_day(day: date, path: Path) -> dict[str, Any]:
    return {
        "period_start": day,
        "period_end": day,
        "filed_at": schema.seconds(datetime.combine(day, time(23, 59, 59), UTC)),
        "accession": path.name.split(".")[0],
        "form": FORM,
        "fiscal_year": None,
        "fiscal_period": None,
    }
