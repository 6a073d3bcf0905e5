"""Reuters-21578 SGML: Latin-1 with entities and control characters, one <REUTERS> record an article.

A record that ends without </REUTERS> (a file cut off) and one without a body or a date are dropped, by name.
"""

import html
import re
from collections.abc import Iterator
from datetime import datetime

from finground.corpus.files import PIECE, opened, stem
from finground.corpus.moments import moment
from finground.corpus.wire import headed
from finground.records.document import Document, Dropped
from finground.settings import Source

RECORD = re.compile(r"<REUTERS\b([^>]*)>(.*?)(</REUTERS>|(?=<REUTERS\b)|\Z)", re.DOTALL)
END = "</REUTERS>"
NUMBER = re.compile(r'NEWID="(\d+)"')
DATE = re.compile(r"(\d{1,2})-([A-Z]{3})-(\d{4})(?:\s+(\d{2}:\d{2}:\d{2}))?")
SIGNATURE = re.compile(r"\s*\breuters?\s*\Z", re.IGNORECASE)


def read(place: str, source: Source) -> Iterator[Document | Dropped]:
    """The articles of one file.

    Raises:
        InputError: if the file is damaged.
    """
    for count, record in enumerate(_records(place), start=1):
        attributes, inside, end = record.groups()
        number = NUMBER.search(attributes)
        id = f"{source.name}:{number.group(1) if number else f'{stem(place)}-{count}'}"
        yield _article(id, inside, source) if end else Dropped(id, source.name, "cut off")


def _records(place: str) -> Iterator[re.Match[str]]:
    """Matches of whole records, and of those that are cut off; only a piece of the file is in memory."""
    rest = ""
    with opened(place) as stream:
        while piece := stream.read(PIECE):
            text = rest + piece.decode("latin-1")
            whole = text.rfind(END) + len(END) if END in text else 0
            yield from RECORD.finditer(text[:whole])
            rest = text[whole:]
    yield from RECORD.finditer(rest)


def _article(id: str, inside: str, source: Source) -> Document | Dropped:
    written = DATE.search(_element(inside, "DATE"))
    title, body = headed(_element(inside, "TITLE"), _element(inside, "BODY"))
    if not body.strip():
        return Dropped(id, source.name, "no body")
    at = _date(written, source.zone) if written else None
    if at is None:
        return Dropped(id, source.name, "no date")
    tickers = tuple(name.upper() for name in re.findall(r"<D>(.*?)</D>", _element(inside, "COMPANIES")))
    title = " ".join(html.unescape(title).split())
    text = _paragraphs(html.unescape(body))
    return Document(id, source.name, at, title, text, tickers=tickers, licence=source.licence)


def _element(inside: str, name: str) -> str:
    found = re.search(rf"<{name}>(.*?)(?:</{name}>|\Z)", inside, re.DOTALL)
    return found.group(1) if found else ""


def _paragraphs(body: str) -> str:
    """Unwrapped: a line that starts with spaces begins a paragraph. The agency's signature is taken off."""
    text = SIGNATURE.sub("", body.replace("\x03", "").rstrip())
    return "\n".join(" ".join(part.split()) for part in re.split(r"\n(?=[ \t]{2,})", text) if part.strip())


def _date(written: re.Match[str], zone: str) -> datetime | None:
    """The moment, or the start of the day where the hour cannot be read."""
    day, month, year, clock = written.groups()
    date = f"{int(day):02d}-{month.title()}-{year}"
    return (moment(f"{date} {clock}", zone) if clock else None) or moment(f"{date} 00:00:00", zone)
