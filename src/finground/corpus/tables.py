"""Documents out of rows: JSONL, CSV and Parquet, with a mapping from our fields to the columns in params.

A line that is no row is dropped as "broken record", one without a text or a date by that name.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec

from finground.core.errors import InputError
from finground.corpus.files import lines, opened, stem, text_of
from finground.corpus.moments import moment
from finground.corpus.wire import headed
from finground.records.document import Document, Dropped
from finground.settings import Source

Row = Mapping[str, Any]
TRACKING = re.compile(
    r"^(?:utm_\w+|gclid|fbclid|mc_cid|mc_eid|cmpid|ncid|ref|ref_src|igshid|feedtype|feedname)$"
)
ROWS_AT_ONCE = 1024


def read(place: str, source: Source) -> Iterator[Document | Dropped]:
    """The rows of one file.

    Raises:
        InputError: if the file is damaged.
    """
    for number, row in enumerate(rows(place, source.read), start=1):
        yield item(row, source) if row is not None else broken(place, source, number)


def rows(place: str, kind: str) -> Iterator[Row | None]:
    """Rows of a file as mappings; None stands for a line that is none."""
    readers: dict[str, Callable[[str], Iterator[Row | None]]] = {
        "jsonl": _jsonl, "json": _json, "csv": _csv, "parquet": _parquet, "xlsx": _xlsx,
    }  # fmt: skip
    return readers[kind](place)


def item(row: Row, source: Source) -> Document | Dropped:
    """One row as a document, or why it is none."""
    said = {field: row.get(column) for field, column in source.columns.items()}
    url, title, text = (_plain(said.get(field)) for field in ("url", "title", "text"))
    at = moment(_plain(said.get("published_at")), source.zone)
    own = _plain(said.get("id")) or _hashed(address(url) or f"{at} {title}" + ("" if title else text))
    id = f"{source.name}:{own}"
    title, text = headed(title, text)
    if not text.strip():
        return Dropped(id, source.name, "no body")
    if at is None:
        return Dropped(id, source.name, "no date")
    tickers = said.get("tickers") or ()
    named = tickers.split() if isinstance(tickers, str) else map(str, tickers)
    return Document(id, source.name, at, title, text, url, tuple(named), source.licence)


def broken(place: str, source: Source, number: int) -> Dropped:
    """A record that cannot be read, named by its file and its number there."""
    return Dropped(f"{source.name}:{stem(place)}-{number}", source.name, "broken record")


def address(url: str) -> str:
    """The URL without its fragment and tracking parameters, so that one page has one address."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    query = [(key, value) for key, value in parse_qsl(parts.query, True) if not TRACKING.match(key.lower())]
    asked = f"?{urlencode(query)}" if query else ""
    return f"{parts.netloc.lower()}{parts.path.rstrip('/')}{asked}"


def _jsonl(place: str) -> Iterator[Row | None]:
    for line in lines(place):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            row = _lenient(line)
        yield row if isinstance(row, dict) else None


def _lenient(line: bytes) -> Any:
    """A row in another encoding than UTF-8, or with signs that JSON forbids; None if it is none at all."""
    try:
        return json.loads(text_of(line), strict=False)
    except json.JSONDecodeError:
        return None


def _json(place: str) -> Iterator[Row | None]:
    with opened(place) as stream:
        loaded = json.loads(text_of(stream.read()))
    yield from loaded if isinstance(loaded, list) else [loaded]


def _csv(place: str) -> Iterator[Row | None]:
    """A row with more or fewer cells than there are columns is none."""
    csv.field_size_limit(1 << 30)
    text = (text_of(line.replace(b"\0", b"")) + "\n" for line in lines(place))
    for row in csv.DictReader(text):
        yield None if None in row or None in row.values() else row


def _parquet(place: str) -> Iterator[Row | None]:
    from pyarrow import ArrowInvalid, parquet

    try:
        with opened(place) as stream:
            for batch in parquet.ParquetFile(stream).iter_batches(ROWS_AT_ONCE):
                yield from batch.to_pylist()
    except (ArrowInvalid, io.UnsupportedOperation) as error:
        raise InputError(f"{place} is not a whole Parquet file ({error}); fetch it again") from error


def _xlsx(place: str) -> Iterator[Row | None]:
    """The rows of the first sheet, under the names in its first row."""
    from zipfile import BadZipFile

    from openpyxl import load_workbook

    try:
        with opened(place) as stream:
            sheet = load_workbook(stream, read_only=True, data_only=True).worksheets[0]
            cells = sheet.iter_rows(values_only=True)
            names = [str(name) for name in next(cells, ())]
            yield from (dict(zip(names, row, strict=False)) for row in cells)
    except (BadZipFile, KeyError) as error:
        raise InputError(f"{place} is not a whole XLSX file ({error}); fetch it again") from error


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return (
        value if isinstance(value, str) else value.isoformat() if hasattr(value, "isoformat") else str(value)
    )


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
