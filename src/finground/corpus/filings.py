"""Annual and quarterly reports (10-K, 10-Q) as HTML, or in EDGAR's full submissions, one document an item.

The day of filing is in the file's name or in the submission's header and is known at its end, UTC. Items that
occur twice are the table of contents and the text itself: the longer one is kept.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from finground.core.artifact import read_text
from finground.corpus.markup import readable
from finground.records.document import Document, Dropped

SOURCE = "sec"
DAY_IN_NAME = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?!\d)")
DAY_IN_HEADER = re.compile(r"FILED AS OF DATE:\s*(\d{4})(\d{2})(\d{2})")
KIND = re.compile(r"<TYPE>([^\s<]+)")
FORM = re.compile(r"10-?([KQ])", re.IGNORECASE)
TEXT = re.compile(r"<TEXT>(.*?)(?:</TEXT>|\Z)", re.DOTALL | re.IGNORECASE)
PART = re.compile(r"^part\s+(i{1,3}v?|iv)\b", re.IGNORECASE)
ITEM = re.compile(
    r"^item\s*(\d{1,2}\s?[a-c]?)(?:\s*[.:–—-]+\s*|\s+(?=(?-i:[A-Z\[]))|$)(.{0,200})$", re.IGNORECASE
)


def read(path: Path) -> Iterator[Document | Dropped]:
    """The items of one filing.

    Raises:
        InputError: if the file is a damaged gzip.
    """
    raw, name = read_text(path), path.name.partition(".")[0]
    header, text, form = _main(raw, path)
    at = _filed(name, header)
    if form is None:
        yield Dropped(f"{SOURCE}:{name}", SOURCE, "not a 10-K or 10-Q")
    elif at is None:
        yield Dropped(f"{SOURCE}:{name}", SOURCE, "no date")
    else:
        yield from _items(name, form, at, text if "<" not in text[:2000] else readable(text))


def _main(raw: str, path: Path) -> tuple[str, str, str | None]:
    """Header, text and form of the submission's first document; an HTML file is its own document."""
    if not re.search(r"<(?:SEC-)?DOCUMENT>", raw[:20_000]):
        found = FORM.search(path.name) or FORM.search(path.parent.name)
        return "", raw, f"10-{found.group(1).upper()}" if found else None
    kind, text = KIND.search(raw), TEXT.search(raw)
    form = FORM.match(kind.group(1)) if kind else None
    header = raw[: text.start()] if text else raw
    return header, text.group(1) if text else "", f"10-{form.group(1).upper()}" if form else None


def _filed(name: str, header: str) -> datetime | None:
    found = DAY_IN_HEADER.search(header) or DAY_IN_NAME.search(name)
    if not found:
        return None
    year, month, day = map(int, found.groups())
    try:
        return datetime(year, month, day, 23, 59, 59, tzinfo=UTC)
    except ValueError:
        return None


def _items(name: str, form: str, at: datetime, text: str) -> Iterator[Document | Dropped]:
    """One document for each item, the cover first."""
    longest: dict[str, tuple[str, str]] = {}
    for key, heading, body in _sections(text):
        id = f"{SOURCE}:{name}#{key}"
        if key in longest:
            yield Dropped(f"{id} (shorter)", SOURCE, "table of contents")
        if key not in longest or len(body) > len(longest[key][1]):
            longest[key] = heading, body
    ticker = name.partition("-")[0].upper() if DAY_IN_NAME.search(name) else ""
    for key, (heading, body) in longest.items():
        title = f"{ticker or name} {form} {at:%Y-%m-%d}: {heading}"
        yield Document(f"{SOURCE}:{name}#{key}", SOURCE, at, title, body, tickers=(ticker,) if ticker else ())


def _sections(text: str) -> Iterator[tuple[str, str, str]]:
    """Key, heading and body of every stretch between two item headings that holds any text."""
    part, key, heading = "", "cover", "cover"
    lines: list[str] = []
    for line in text.split("\n"):
        line = line.strip()
        found, section = ITEM.match(line), PART.match(line)
        if section and len(line) < 40:
            part = f"part-{section.group(1).lower()}-"
        if not found:
            lines.append(line)
            continue
        if any(lines):
            yield key, _named(heading, lines), "\n".join(lines).strip()
        number = re.sub(r"\s", "", found.group(1)).lower()
        key, heading, lines = f"{part}item-{number}", f"Item {number.upper()}. {found.group(2)}".strip(), []
    yield key, _named(heading, lines), "\n".join(lines).strip()


def _named(heading: str, lines: list[str]) -> str:
    """The item's heading; where its title stands on a line of its own, with that."""
    alone = re.fullmatch(r"Item \S+\.", heading) and lines and len(lines[0]) < 150
    return f"{heading} {lines[0]}" if alone else heading
