"""EDGAR's reports, 10-K, 10-Q, 8-K and 20-F, one document an item, from HTML or full submissions since 1995.

A full submission holds several documents: the report, and exhibits of which 13 (the annual report to
shareholders) and 99 (press releases) are text worth reading; each of these is one document. The day of filing
is in the submission's header or in the file's name and is known at its end, UTC; where only the accession
number is known, at the end of its year. Items that occur twice are the table of contents and the text
itself: the longer one is kept. An amendment has "/A" behind its form.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from finground.corpus.files import stem, text_of, whole
from finground.corpus.markup import readable, unwrapped
from finground.records.document import Document, Dropped
from finground.settings import Source

DAY_IN_NAME = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?!\d)")
DAY_IN_HEADER = re.compile(r"FILED AS OF DATE:\s*(\d{4})(\d{2})(\d{2})")
YEAR_IN_ACCESSION = re.compile(r"\d{10}-(\d{2})-\d{6}")
COMPANY = re.compile(r"COMPANY CONFORMED NAME:\s*(\S.*\S)")
INSIDE = re.compile(r"<DOCUMENT>(.*?)(?:</DOCUMENT>|(?=<DOCUMENT>)|\Z)", re.DOTALL | re.IGNORECASE)
KIND = re.compile(r"<TYPE>([^\s<]+)", re.IGNORECASE)
TEXT = re.compile(r"<TEXT>(.*?)(?:</TEXT>|\Z)", re.DOTALL | re.IGNORECASE)
FORM = re.compile(
    r"(?<![\dA-Z])(10-?K|10-?Q|8-?K|20-?F)(?:405|SB40|SB|T)*(/A|-A(?![A-Z]))?(?![A-Z])", re.IGNORECASE
)
EXHIBIT = re.compile(r"EX-(?:13|99)(?:\.\d+)*", re.IGNORECASE)
PART = re.compile(r"^part\s+(i{1,3}v?|iv)\b", re.IGNORECASE)
ITEM = re.compile(
    r"^items?\s*(\d{1,2}(?:\.\d{2})?\s?[a-k]?)(?:\s*[.:–—-]+\s*|\s+(?=(?-i:[A-Z\[]))|$)(.{0,200})$",
    re.IGNORECASE,
)
HEADER = 20_000  # characters in which a submission's first document begins


def read(place: str, source: Source) -> Iterator[Document | Dropped]:
    """The items of one filing, and its exhibits that are text.

    Raises:
        InputError: if the file is damaged.
    """
    raw, name = text_of(whole(place)), stem(place)
    parts = list(_parts(raw, place))
    form = _form(parts[0][0]) if parts else None
    header = raw[:HEADER] if "<DOCUMENT>" in raw[:HEADER].upper() else ""
    at = _filed(name, header)
    if form is None:
        yield Dropped(f"{source.name}:{name}", source.name, "not a 10-K, 10-Q, 8-K or 20-F")
    elif at is None:
        yield Dropped(f"{source.name}:{name}", source.name, "no date")
    else:
        title = f"{_whose(name, header)} {form} {at:%Y-%m-%d}"
        yield from _items(name, title, at, _text(parts[0][1], source.tables), source)
        for number, (kind, markup) in enumerate(parts[1:], start=1):
            if EXHIBIT.fullmatch(kind):
                id, text = f"{source.name}:{name}#{kind.lower()}-{number}", _text(markup, source.tables)
                yield Document(
                    id,
                    source.name,
                    at,
                    f"{title}: {kind}",
                    text,
                    tickers=_ticker(name),
                    licence=source.licence,
                )


def _parts(raw: str, place: str) -> Iterator[tuple[str, str]]:
    """Type and markup of a submission's documents; an HTML file is its own, its type in its name."""
    if "<DOCUMENT>" not in raw[:HEADER].upper():
        folder, _, name = place.rpartition("/")
        yield (FORM.search(name) or FORM.search(folder.rpartition("/")[2]) or [""])[0], raw
        return
    for found in INSIDE.finditer(raw):
        kind, text = KIND.search(found.group(1)), TEXT.search(found.group(1))
        yield kind.group(1) if kind else "", text.group(1) if text else ""


def _form(kind: str) -> str | None:
    """`10-K405/A` is `10-K/A`."""
    found = FORM.fullmatch(kind)
    if not found:
        return None
    bare = found.group(1).upper()
    return (bare if "-" in bare else f"{bare[:-1]}-{bare[-1]}") + ("/A" if found.group(2) else "")


def _text(markup: str, tables: str) -> str:
    """Readable text; what has no markup but tables and page marks is ASCII."""
    start = markup[:5000].lower()
    if any(mark in start for mark in ("<html", "<body", "<div", "<p>", "<p ", "<font", "<xbrl")):
        return readable(markup, tables)
    return unwrapped(markup, lambda line: bool(ITEM.match(line) or PART.match(line)), tables)


def _filed(name: str, header: str) -> datetime | None:
    found = DAY_IN_HEADER.search(header) or DAY_IN_NAME.search(name)
    try:
        if found:
            year, month, day = map(int, found.groups())
            return datetime(year, month, day, 23, 59, 59, tzinfo=UTC)
        if accession := YEAR_IN_ACCESSION.search(name):
            year = int(accession.group(1))
            return datetime(year + (1900 if year > 90 else 2000), 12, 31, 23, 59, 59, tzinfo=UTC)
    except ValueError:
        pass
    return None


def _whose(name: str, header: str) -> str:
    company = COMPANY.search(header)
    return company.group(1) if company else next(iter(_ticker(name)), name)


def _ticker(name: str) -> tuple[str, ...]:
    """Of a file named `aapl-10-k-2024-11-01`."""
    return (name.partition("-")[0].upper(),) if DAY_IN_NAME.search(name) else ()


def _items(name: str, title: str, at: datetime, text: str, source: Source) -> Iterator[Document | Dropped]:
    """One document for each item, the cover first."""
    longest: dict[str, tuple[str, str]] = {}
    for key, heading, body in _sections(text):
        id = f"{source.name}:{name}#{key}"
        if key in longest:
            yield Dropped(f"{id} (shorter)", source.name, "table of contents")
        if key not in longest or len(body) > len(longest[key][1]):
            longest[key] = heading, body
    for key, (heading, body) in longest.items():
        id, named = f"{source.name}:{name}#{key}", f"{title}: {heading}"
        yield Document(id, source.name, at, named, body, tickers=_ticker(name), licence=source.licence)


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
