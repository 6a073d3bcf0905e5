"""The authors' own rows (FinBloom): a CSV of *Query*, *Required Data* and, where it is there, *Structured
Data Request*, in either of their wordings; out come pairs for training, and why a row is unreadable.

The rows name no day on which they were asked. A row with a structured request was asked on the last of its
days if its phrase then means those days, else on the day handed in; without one, its phrase is read as of
that day.
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from finground.catalog import dates
from finground.catalog.catalog import Catalog
from finground.catalog.dialect import read
from finground.core.artifact import read_text
from finground.core.errors import CatalogError, DateError, InputError, RequestError
from finground.records.request import Interval, Pair

TEMPLATE = "authors"  # whatever theirs was
WANTED = ("Query", "Required Data")
WRITTEN = "Structured Data Request"
NO_QUERY = "it has no query"
OTHER_DAYS = "its phrase and its structured request mean different days"


@dataclass(frozen=True, slots=True)
class Unread:
    """A row that could not be read: where it stands, the kind of reason, and what was found."""

    place: str
    reason: str
    detail: str


def read_authors(path: Path, catalog: Catalog, as_of: datetime) -> Iterator[Pair | Unread]:
    """Pairs and unread rows, in the order of the file.

    Raises:
        InputError: if the file is missing or has not the authors' columns.
    """
    table = csv.DictReader(io.StringIO(read_text(path, "utf-8-sig"), newline=""))
    if missing := [name for name in WANTED if name not in (table.fieldnames or ())]:
        raise InputError(
            f"{path} has no column {' and no '.join(missing)}; a row is Query, Required Data, {WRITTEN}"
        )
    for row in table:
        place = f"{path.name}:{table.line_num}"
        try:
            yield _pair(row, catalog, as_of)
        except RequestError as error:
            yield Unread(place, _reason(error), str(error))


def _reason(error: RequestError) -> str:
    """What kind of thing was wrong."""
    if isinstance(error.__cause__, DateError):
        return "its dates are none"
    if isinstance(error.__cause__, CatalogError):
        return "the catalogue does not hold a name"
    return str(error) if str(error) in (NO_QUERY, OTHER_DAYS) else "it is not of the form"


def _pair(row: dict[str, str | None], catalog: Catalog, as_of: datetime) -> Pair:
    query, required, written = ((row.get(name) or "").strip() for name in (*WANTED, WRITTEN))
    if not query:
        raise RequestError(NO_QUERY)
    interval = read(written, "sdr", catalog, as_of).interval if written else None
    asked = _asked_on(required, interval, as_of)
    request = read(required, "required", catalog, asked)
    if written and request.interval != interval:
        raise RequestError(OTHER_DAYS)
    return Pair(query, asked, request, TEMPLATE, "technology", request.kind, "none", "train")


def _asked_on(required: str, interval: Interval | None, as_of: datetime) -> datetime:
    """The day on which the phrase means the days of the structured request."""
    if interval is None:
        return as_of
    phrase = required.rpartition("Dates:")[2].strip()
    for day in (as_of, dates.end_of(interval.end)):
        try:
            if dates.parse(phrase, day) == interval:
                return day
        except DateError:
            continue
    return as_of
