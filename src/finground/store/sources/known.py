"""Which companies and tickers are known so far, and how a file's text is opened; shared by all readers."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from finground.core.artifact import read_text
from finground.core.errors import InputError
from finground.store import schema
from finground.store.sources.rows import Batch

CURRENCY = "USD"


@dataclass(slots=True)
class Known:
    """Names by company id, and the company each ticker leads to; readers add what they introduce."""

    synthetic: bool
    names: dict[str, str] = field(default_factory=dict)
    tickers: dict[str, str] = field(default_factory=dict)

    def source(self, name: str) -> str:
        """The name of a source, which says so if its rows were invented."""
        return f"{schema.SYNTHETIC} {name}" if self.synthetic else name

    def company(self, id: str, name: str, place: int, source: str) -> Batch:
        """The row of a new company."""
        self.names[id] = name
        row = {
            "id": id,
            "name": name,
            "currency": CURRENCY,
            "synthetic": self.synthetic,
            "place": place,
            "source": source,
        }
        return Batch(schema.companies, [row])

    def ticker(self, company: str, ticker: str, place: int) -> Batch:
        """The row of a ticker that leads to a company; of two companies the first keeps it."""
        self.tickers.setdefault(ticker, company)
        return Batch(schema.tickers, [{"company": company, "ticker": ticker, "place": place}])

    def former_bearer(self, ticker: str) -> str | None:
        """The company that had the ticker by the shipped catalogue (FB: Meta Platforms), if known here."""
        from finground.catalog.aliases import shipped

        entry = None if self.synthetic else shipped().get(ticker)
        bearers = (
            [self.tickers[one.ticker] for one in entry.tickers if one.ticker in self.tickers] if entry else []
        )
        return next((id for id in bearers if entry and entry.fits(self.names[id])), None)


def company_id(cik: int) -> str:
    """The permanent id of an SEC registrant."""
    return f"cik:{cik:010d}"


def plain_ticker(ticker: str) -> str:
    """As SEC and Yahoo write it: capitals, BRK-B for BRK.B."""
    return ticker.strip().upper().replace(".", "-").replace("/", "-")


def json_of(path: Path) -> Any:
    """A JSON file, plain or gz.

    Raises:
        InputError: if it is damaged, cut off, or a web page that stands in its place (case S7).
    """
    text = read_text(path)
    if text.lstrip()[:1] == "<":
        raise InputError(
            f"{path}, line 1: an HTML page where JSON should stand (a rate limit?); fetch the file again"
        )
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return _json_of(text, path)


def _json_of(text: str, path: Path) -> Any:
    """The same by the slow reader, which tells the place of a damage."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}, line {error.lineno}, column {error.colno}: {error.msg}; a whole JSON file is needed"
        ) from error


def table_of(
    text: str, where: str, columns: Sequence[str], ragged: dict[int, str] | None = None
) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Line numbers and rows of a CSV that has all `columns`.

    Args:
        ragged: takes rows of another length than the header, by line; without it they are damage.

    Raises:
        InputError: if a column is missing, or a row is cut off.
    """
    lines = csv.reader(text.splitlines())
    header = [name.strip().lstrip("﻿") for name in next(lines, [])]
    missing = [name for name in columns if name not in header]
    if missing:
        raise InputError(
            f"{where}, line 1: no column {', '.join(missing)}; the header needs {','.join(columns)}"
        )
    for row in lines:
        if not row:
            continue
        if len(row) != len(header) and ragged is not None:
            ragged[lines.line_num] = ",".join(row)
            continue
        if len(row) != len(header):
            raise InputError(
                f"{where}, line {lines.line_num}: {len(row)} fields, the header has {len(header)} (cut off?)"
            )
        yield lines.line_num, dict(zip(header, row, strict=True))
