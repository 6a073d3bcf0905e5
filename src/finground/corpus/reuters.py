"""Reuters-21578 SGML: Latin-1 with entities and control characters, one <REUTERS> record an article.

A record that ends without </REUTERS> (a file cut off) and one without a body or a date are dropped, by name.
"""

import html
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from finground.core.artifact import read_text
from finground.records.document import Document, Dropped

SOURCE = "reuters"
RECORD = re.compile(r"<REUTERS\b([^>]*)>(.*?)(</REUTERS>|(?=<REUTERS\b)|\Z)", re.DOTALL)
NUMBER = re.compile(r'NEWID="(\d+)"')
DATE = re.compile(r"(\d{1,2})-([A-Z]{3})-(\d{4})(?:\s+(\d{2}):(\d{2}):(\d{2}))?")
SIGNATURE = re.compile(r"\s*\breuters?\s*\Z", re.IGNORECASE)


def read(path: Path) -> Iterator[Document | Dropped]:
    """The articles of one file.

    Raises:
        InputError: if the file is a damaged gzip.
    """
    for count, record in enumerate(RECORD.finditer(read_text(path, "latin-1")), start=1):
        attributes, inside, end = record.groups()
        number = NUMBER.search(attributes)
        id = f"{SOURCE}:{number.group(1)}" if number else f"{SOURCE}:{path.name.partition('.')[0]}-{count}"
        yield _article(id, inside) if end else Dropped(id, SOURCE, "cut off")


def _article(id: str, inside: str) -> Document | Dropped:
    body, at = _element(inside, "BODY"), _date(_element(inside, "DATE"))
    if not body.strip():
        return Dropped(id, SOURCE, "no body")
    if at is None:
        return Dropped(id, SOURCE, "no date")
    tickers = tuple(name.upper() for name in re.findall(r"<D>(.*?)</D>", _element(inside, "COMPANIES")))
    title = " ".join(_decoded(_element(inside, "TITLE")).split())
    return Document(id, SOURCE, at, title, _paragraphs(_decoded(body)), tickers=tickers)


def _element(inside: str, name: str) -> str:
    found = re.search(rf"<{name}>(.*?)(?:</{name}>|\Z)", inside, re.DOTALL)
    return found.group(1) if found else ""


def _decoded(text: str) -> str:
    """Entities as characters; those of control characters vanish."""
    return html.unescape(text)


def _paragraphs(body: str) -> str:
    """Unwrapped: a line that starts with spaces begins a paragraph. The agency's signature is taken off."""
    text = SIGNATURE.sub("", body.replace("\x03", "").rstrip())
    return "\n".join(" ".join(part.split()) for part in re.split(r"\n(?=[ \t]{2,})", text) if part.strip())


def _date(text: str) -> datetime | None:
    """The moment, or the day where the hour cannot be read."""
    found = DATE.search(text)
    if not found:
        return None
    day, month, year, *clock = found.groups()
    at = f"{int(day):02d}-{month}-{year} " + (":".join(clock) if clock[0] else "00:00:00")
    try:
        return datetime.strptime(at, "%d-%b-%Y %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None
