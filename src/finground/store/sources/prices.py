"""Bars and flows out of CSV files, one by one or streamed from a tar.xz; known at the session's close.

`close` is the price as the file quotes it, `adj_close` what the source adjusted for dividends and splits;
they are never mixed (case S5). A row without a close is set aside: a missing price is a gap, not a zero. A
column `Currency` says what prices are in, pence too (GBp), and which exchange closes when; without it they
are in dollars. Bars finer than a day have a column `Time`, the end of the bar with its zone.
"""

import lzma
import math
import re
import tarfile
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Table

from finground.core.artifact import read_text
from finground.core.errors import InputError
from finground.store import schema
from finground.store.sources.known import CURRENCY, Known, plain_ticker, table_of
from finground.store.sources.rows import Aside, Batch, Read
from finground.store.sources.tables import FORMER
from finground.store.sources.units import Measure, measure

PRICES = {
    "open": "Open",
    "high": "High",
    "low": "Low",
    "close": "Close",
    "adj_close": "Adj Close",
    "volume": "Volume",
}
NOTHING = ("", "null", "NaN", "nan")
CLOSES = {  # when sessions end, by the currency that is traded in
    "USD": (time(16), "America/New_York"),
    "GBP": (time(16, 30), "Europe/London"),
    "EUR": (time(17, 30), "Europe/Paris"),
    "CNY": (time(15), "Asia/Shanghai"),
    "HKD": (time(16), "Asia/Hong_Kong"),
    "TWD": (time(13, 30), "Asia/Taipei"),
    "JPY": (time(15, 30), "Asia/Tokyo"),
}
FLOW_HEADER = re.compile(r"(?P<name>[a-z_]+?)(?:_(?P<power>1e\d+[a-z]{3})| \((?P<unit>[^)]+)\))?")
UNSCALED = ("volume", *(name for name in schema.FLOW_COLUMNS if name != "margin_balance"))
MARKET = "market"


def price_file(path: Path, known: Known) -> Iterator[Read]:
    """Daily bars of one company; the file is named after its ticker.

    Raises:
        InputError: naming the line and column that cannot be read.
    """
    yield from _of_company(ticker_of(path.name), read_text(path), str(path), known, {})


def quote_file(path: Path, known: Known) -> Iterator[Read]:
    """Bars finer than a day of one company; the file is named after its ticker.

    Raises:
        InputError: naming the line and column that cannot be read.
    """
    ticker = ticker_of(path.name)
    yield from introduce(ticker, known, {})
    whose = (known.tickers[ticker], known.source(f"quotes {ticker}"))
    yield from _series(schema.quotes, PRICES, read_text(path), str(path), whose)


def flow_file(path: Path, known: Known) -> Iterator[Read]:
    """Large orders, float, margin balance and holders of one company, by day; whatever of these the file
    has. A column of money may say its unit: `margin_balance (万元)`.

    Raises:
        InputError: naming the line and column that cannot be read.
    """
    ticker = ticker_of(path.name)
    yield from introduce(ticker, known, {})
    text = read_text(path)
    header = [name.strip().lstrip("\ufeff") for name in text.split("\n", 1)[0].strip().split(",")]
    columns = {found["name"]: name for name in header if (found := FLOW_HEADER.fullmatch(name))}
    columns = {name: columns[name] for name in schema.FLOW_COLUMNS if name in columns}
    if not columns:
        raise InputError(f"{path}, line 1: none of the columns {', '.join(schema.FLOW_COLUMNS)}")
    whose = (known.tickers[ticker], known.source(f"flows {ticker}"))
    yield from _series(schema.flows, columns, text, str(path), whose)


def index_file(path: Path, known: Known) -> Iterator[Read]:
    """Bars of the market's index.

    Raises:
        InputError: naming the line and column that cannot be read.
    """
    name = path.name.split(".")[0]
    yield from _series(
        schema.bars, PRICES, read_text(path), str(path), (MARKET, known.source(f"index {name}"))
    )


def price_archive(path: Path, known: Known) -> Iterator[Read]:
    """Bars of every CSV in a tar.xz, one member at a time; a table of symbols in it gives names.

    Raises:
        InputError: if the archive is damaged or cut off, or a member cannot be read.
    """
    names: dict[str, str] = {}
    try:
        with tarfile.open(path, "r|xz") as archive:
            for member in archive:
                opened = archive.extractfile(member) if member.isfile() else None
                if opened is None:
                    continue
                text = opened.read().decode("utf-8", errors="replace")
                if member.name.endswith(".csv"):
                    yield from _of_company(
                        ticker_of(member.name.rsplit("/", 1)[-1]),
                        text,
                        f"{path}, {member.name}",
                        known,
                        names,
                    )
                elif text.startswith("Sector\tSymbol\tCompany"):
                    names |= _names(text)
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise InputError(f"{path} is not a whole tar.xz ({error}); fetch it again") from error


def ticker_of(file: str) -> str:
    """AAPL for AAPL.csv.gz."""
    return plain_ticker(file.removesuffix(".gz").removesuffix(".csv"))


@lru_cache(maxsize=20_000)
def close_of(day: str, currency: str = CURRENCY) -> int:
    """When the exchange's session of a day ends, in seconds UTC; that of New York is at 16:00 there.

    Raises:
        ValueError: if the day is not written like 2023-06-30, or the currency's exchange is not known.
    """
    if currency not in CLOSES:
        raise ValueError(f"no exchange is known for {currency}; known are {', '.join(CLOSES)}")
    clock, zone = CLOSES[currency]
    return schema.seconds(datetime.combine(date.fromisoformat(day), clock, ZoneInfo(zone)))


def _of_company(ticker: str, text: str, where: str, known: Known, names: Mapping[str, str]) -> Iterator[Read]:
    yield from introduce(ticker, known, names)
    yield from _series(
        schema.bars, PRICES, text, where, (known.tickers[ticker], known.source(f"prices {ticker}"))
    )


def introduce(ticker: str, known: Known, names: Mapping[str, str]) -> Iterator[Read]:
    """The company of a ticker that no table knows: one that bore it formerly, or a new one."""
    if ticker in known.tickers:
        return
    place, bearer = FORMER + len(known.names), known.former_bearer(ticker)
    if bearer is None:
        bearer = f"us:{ticker}"
        yield known.company(bearer, names.get(ticker, ticker), place, known.source("price file"))
    yield known.ticker(bearer, ticker, place)


def _series(
    table: Table, columns: Mapping[str, str], text: str, where: str, whose: tuple[str, str]
) -> Iterator[Read]:
    """Rows of a table, oldest first as in the file; `whose` is the entity and the source."""
    rows: dict[int, dict[str, Any]] = {}
    splits: dict[int, float] | None = None
    dated = _date_column(text, table)
    measured = {name: _measure(column, where) for name, column in columns.items()}
    for line, row in table_of(text, where, (dated, *columns.values())):
        place = f"{where}, line {line}"
        values = {name: _number(row[column], f"{place}, {column}") for name, column in columns.items()}
        try:
            quoted = _quoted(row.get("Currency", ""), measured)
            closed = _closed_at(row[dated], quoted.currency or CURRENCY, table)
        except ValueError as error:
            raise InputError(f"{place}: {dated} is {row[dated]!r}; {error}") from error
        reason = _unfit(values, table)
        if not reason and closed in rows:
            reason = "the day is in the file twice; the first row is kept"
        if not reason and rows and (first := next(iter(rows.values())))["currency"] != quoted.currency:
            reason = f"in {quoted.currency}; the file begins in {first['currency']}"
        if reason:
            yield Aside(place, reason, ",".join(row.values()))
            continue
        if "Split" in row:
            splits = {} if splits is None else splits
            splits[closed] = _number(row["Split"], f"{place}, Split") or 0.0
        rows[closed] = {
            "entity": whose[0],
            "closed_at": closed,
            **dict.fromkeys(_all_columns(table)),
            **{name: _scaled(value, name, quoted, measured[name]) for name, value in values.items()},
            "currency": quoted.currency,
            "source": whose[1],
        }
    if rows:
        found = list(rows.values())
        yield Batch(table, _as_traded(found, splits) if splits is not None else found)


def _as_traded(rows: list[dict[str, Any]], splits: Mapping[int, float]) -> list[dict[str, Any]]:
    """Prices and volumes as they were on their day, where a source rebases its history for each split and
    says which there were (case S5).
    """
    factor, found = 1.0, []
    for row in sorted(rows, key=lambda one: -one["closed_at"]):
        prices = {name: row[name] and row[name] * factor for name in ("open", "high", "low", "close")}
        volume = None if row["volume"] is None else row["volume"] / factor
        found.append({**row, **prices, "volume": volume, "source": f"{row['source']} {schema.AS_TRADED}"})
        factor *= splits[row["closed_at"]] or 1.0
    return found[::-1]


def _date_column(text: str, table: Table) -> str:
    if table is schema.quotes:
        return "Time"
    header = [name.strip().lstrip("\ufeff") for name in text.split("\n", 1)[0].split(",")]
    return "date" if "date" in header and "Date" not in header else "Date"


def _measure(column: str, where: str) -> Measure | None:
    """What a header says its numbers are in, if it does."""
    told = FLOW_HEADER.fullmatch(column)
    if told is None or not (told["power"] or told["unit"]):
        return None
    try:
        return measure(told["power"] or told["unit"])
    except ValueError as error:
        raise InputError(f"{where}, line 1, {column}: {error}") from error


def _quoted(currency: str, measured: Mapping[str, Measure | None]) -> Measure:
    """What a row's money is in: by its column `Currency`, else by a header, else dollars.

    Raises:
        ValueError: if the currency is not one.
    """
    if currency.strip():
        return measure(currency)
    told = next((one for one in measured.values() if one is not None and one.currency), None)
    return Measure("currency", told.currency if told else CURRENCY, 1.0)


def _closed_at(text: str, currency: str, table: Table) -> int:
    """Raises:
    ValueError: if it is not a day, or for bars within a day not a time with its zone.
    """
    if table is not schema.quotes:
        try:
            return close_of(text, currency)
        except ValueError as error:
            told = str(error)
            raise ValueError(told if "exchange" in told else "write it like 2023-06-30") from error
    try:
        return schema.seconds(datetime.fromisoformat(text))
    except ValueError as error:
        raise ValueError("write it like 2023-06-30T15:30:00-04:00") from error


def _scaled(value: float | None, name: str, quoted: Measure, told: Measure | None) -> float | None:
    """In base units: by its own header's scale, money by that of its row."""
    if value is None or (told is None and name in UNSCALED):
        return value
    return value * (told.scale if told else quoted.scale)


def _all_columns(table: Table) -> tuple[str, ...]:
    return schema.FLOW_COLUMNS if table is schema.flows else schema.BAR_COLUMNS


def _number(text: str, where: str) -> float | None:
    """The number, or None where the source has none."""
    if text in NOTHING:
        return None
    try:
        value = float(text)
    except ValueError as error:
        raise InputError(
            f"{where} is {text!r}; a number is needed, or nothing where there is none"
        ) from error
    if not math.isfinite(value):
        raise InputError(f"{where} is {text!r}; a finite number is needed")
    return value


def _unfit(values: Mapping[str, float | None], table: Table) -> str:
    """Why a row cannot be used, or nothing."""
    if table is schema.flows:
        return "" if any(value is not None for value in values.values()) else "no value"
    close = values["close"]
    if close is None:
        return "no price"
    return "a price is not positive" if close <= 0 else ""


def _names(text: str) -> dict[str, str]:
    """Names by ticker of a table of Sector, Symbol and Company."""
    rows = (line.split("\t") for line in text.splitlines()[1:])
    return {plain_ticker(row[1].lstrip("$")): row[2].strip() for row in rows if len(row) == 3}
