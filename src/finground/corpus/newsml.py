"""News as agencies deliver it in XML: RCV1's `newsitem` (Reuters Corpus), NewsML 1 and NewsML-G2.

A file holds one item or many, plain, packed, or as the daily zip archives of RCV1. What is no XML is dropped
as "broken record"; a later revision of an item is marked in its title, so that it is linked as a correction.
"""

import html
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from finground.corpus.files import members, stem, text_of
from finground.corpus.moments import moment
from finground.corpus.wire import headed
from finground.records.document import Document, Dropped
from finground.settings import Source

ITEM = re.compile(rb"<(newsitem|newsItem|NewsItem)[\s>].*?(?:</\1\s*>|(?=<\1[\s>])|\Z)", re.DOTALL)
ENCODING = re.compile(rb"""<\?xml[^>]*encoding=["']([\w-]+)["']""")
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
PREFIX = re.compile(r"<(/?)[\w-]+:(?=\w)")
NAMESPACE = re.compile(r"""\s(?:xmlns(?::[\w-]+)?|[\w-]+:[\w-]+)=(?:"[^"]*"|'[^']*')""")
ENTITY = re.compile(r"&(?!(?:#\d+|#x[0-9a-fA-F]+|amp|lt|gt|quot|apos);)(\w+;)?")
DATES = ("versionCreated", "firstCreated", "FirstCreated", "ThisRevisionCreated", "contentCreated", "DateId")
TEXTS = ("text", "body", "DataContent", "inlineXML", "inlineData")
TITLES = ("headline", "HeadLine", "title")


def read(place: str, source: Source) -> Iterator[Document | Dropped]:
    """The items of one file.

    Raises:
        InputError: if the file is damaged.
    """
    for name, data in members(place):
        declared = ENCODING.search(data[:200])
        encoding = declared.group(1).decode() if declared else "utf-8"
        count = 0
        for count, found in enumerate(ITEM.finditer(data), start=1):
            yield _item(text_of(found.group(0), encoding), f"{stem(name)}-{count}", source)
        if not count:
            yield Dropped(f"{source.name}:{stem(name)}", source.name, "broken record")


def element(text: str) -> ET.Element | None:
    """An element out of XML as it comes: HTML's entities are characters, namespaces go; None if none."""
    bare = NAMESPACE.sub("", PREFIX.sub(r"<\1", CONTROL.sub("", text)))
    try:
        return ET.fromstring(ENTITY.sub(lambda found: html.escape(html.unescape(found.group(0))), bare))
    except ET.ParseError:
        return None


def _item(text: str, fallback: str, source: Source) -> Document | Dropped:
    root = element(text)
    if root is None:
        return Dropped(f"{source.name}:{fallback}", source.name, "broken record")
    id = f"{source.name}:{_identity(root) or fallback}"
    at = moment(_date(root), source.zone)
    title, body = headed(_first(root, TITLES), _paragraphs(root))
    if not body:
        return Dropped(id, source.name, "no body")
    if at is None:
        return Dropped(id, source.name, "no date")
    if _revised(root) and title and not title.upper().startswith(("CORRECT", "UPDATE", "REFILE")):
        title = f"UPDATE: {title}"
    return Document(id, source.name, at, title, body, tickers=_tickers(root), licence=source.licence)


def _identity(root: ET.Element) -> str:
    """RCV1's itemid, a NewsML item's own name with its revision, or a G2 guid with its version."""
    own = root.get("itemid") or root.get("guid") or _first(root, ("NewsItemId", "PublicIdentifier"))
    version = root.get("version") or _first(root, ("RevisionId",))
    return f"{own}#{version}" if own and version and version != "1" else own


def _revised(root: ET.Element) -> bool:
    version = root.get("version") or _first(root, ("RevisionId",))
    return version.isdigit() and int(version) > 1


def _date(root: ET.Element) -> str:
    if root.get("date"):
        return str(root.get("date"))
    for element in root.iter("dc"):
        if element.get("element") in ("dc.date.published", "dc.date.created"):
            return element.get("value", "")
    return _first(root, DATES)


def _first(root: ET.Element, names: tuple[str, ...]) -> str:
    """The text of the first element that has one of the names, in the order of the names."""
    for name in names:
        for element in root.iter(name):
            if text := " ".join("".join(element.itertext()).split()):
                return text
    return ""


def _paragraphs(root: ET.Element) -> str:
    """The story: a line a paragraph, or the text as it stands where there are none."""
    for name in TEXTS:
        for element in root.iter(name):
            parts = list(element.iter("p")) or [element]
            lines = (" ".join("".join(part.itertext()).split()) for part in parts)
            if text := "\n".join(line for line in lines if line):
                return text
    return ""


def _tickers(root: ET.Element) -> tuple[str, ...]:
    """Reuters instrument codes, where the item names any (`R:AAPL.O`, or a Property of type Ticker)."""
    codes = [element.get("qcode", "") for element in root.iter("subject")]
    codes += [e.get("Value", "") for e in root.iter("Property") if e.get("FormalName") in ("Ticker", "RIC")]
    return tuple(
        dict.fromkeys(
            code.removeprefix("R:") for code in codes if code.startswith("R:") or (":" not in code and code)
        )
    )
