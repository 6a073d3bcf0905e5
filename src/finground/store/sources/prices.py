"""Daily bars and flows out of CSV files, one by one or streamed from a tar.xz; known at the session's close.

`close` is the price as the file quotes it, `adj_close` what the source adjusted for dividends and splits;
they are never mixed (case S5). A row without a close is set aside: a missing price is a gap, not a zero.
"""

import lzma
import math
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

PRICES = {
    "open": "Open",
    "high": "High",
    "low": "Low",
    "close": "Close",
    "adj_close": "Adj Close",
    "volume": "Volume",
}
FLOWS = {name: name for name in schema.FLOW_COLUMNS}
NOTHING = ("", "null", "NaN", "nan")
MARKET = "market"


def price_file(path: Path, known: Known) -> Iterator[Read]:
    """Bars of one company; the file is named after its ticker.

    Raises:
        InputError: naming the line and column that cannot be read.
    """
    yield from _of_company(ticker_of(path.name), read_text(path), str(path), known, {})


def flow_file(path: Path, known: Known) -> Iterator[Read]:
    """Large orders, float, margin balance and holders of one company, by day.

    Raises:
        InputError: naming the line and column that cannot be read.
    """
    ticker = ticker_of(path.name)
    yield from _introduce(ticker, known, {})
    yield from _series(
        schema.flows,
        FLOWS,
        read_text(path),
        str(path),
        (known.tickers[ticker], known.source(f"flows {ticker}")),
    )


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
def close_of(day: str) -> int:
    """When a session of New York ends: 16:00 there, in seconds UTC.

    Raises:
        ValueError: if the day is not written like 2023-06-30.
    """
    return schema.seconds(datetime.combine(date.fromisoformat(day), time(16), ZoneInfo("America/New_York")))


def _of_company(ticker: str, text: str, where: str, known: Known, names: Mapping[str, str]) -> Iterator[Read]:
    yield from _introduce(ticker, known, names)
    yield from _series(
        schema.bars, PRICES, text, where, (known.tickers[ticker], known.source(f"prices {ticker}"))
    )


def _introduce(ticker: str, known: Known, names: Mapping[str, str]) -> Iterator[Read]:
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
    for line, row in table_of(text, where, ("Date", *columns.values())):
        place = f"{where}, line {line}"
        values = {name: _number(row[column], f"{place}, {column}") for name, column in columns.items()}
        try:
            closed = close_of(row["Date"])
        except ValueError as error:
            raise InputError(f"{place}: Date is {row['Date']!r}; write it like 2023-06-30") from error
        reason = _unfit(values, table)
        if not reason and closed in rows:
            reason = "the day is in the file twice; the first row is kept"
        if reason:
            yield Aside(place, reason, ",".join(row.values()))
            continue
        rows[closed] = {
            "entity": whose[0],
            "closed_at": closed,
            **values,
            "currency": CURRENCY,
            "source": whose[1],
        }
    if rows:
        yield Batch(table, list(rows.values()))


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
