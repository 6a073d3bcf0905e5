"""Archives of RSS and Atom feeds: one file one feed as it was fetched, or many one after the other.

An entry that a later copy of the feed repeats has the same id and is dropped there as a duplicate. Read here
and not by feedparser, which also fetches (law 10).
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

from finground.corpus.files import stem, text_of, whole
from finground.corpus.markup import readable
from finground.corpus.newsml import ENCODING, element
from finground.corpus.tables import broken, item
from finground.records.document import Document, Dropped
from finground.settings import Source

ENTRY = re.compile(rb"<(item|entry)[\s>].*?(?:</\1\s*>|(?=<\1[\s>])|\Z)", re.DOTALL)
FIELDS = {"id": "id", "published_at": "at", "title": "title", "text": "text", "url": "link"}
DATES = ("pubDate", "published", "issued", "date", "updated", "modified")
TEXTS = ("encoded", "content", "description", "summary")


def read(place: str, source: Source) -> Iterator[Document | Dropped]:
    """The entries of one file.

    Raises:
        InputError: if the file is damaged.
    """
    data, filled = whole(place), source.model_copy(update={"columns": FIELDS})
    declared = ENCODING.search(data[:200])
    number = 0
    for number, found in enumerate(ENTRY.finditer(data), start=1):
        root = element(text_of(found.group(0), declared.group(1).decode() if declared else "utf-8"))
        yield broken(place, source, number) if root is None else item(_row(root), filled)
    if not number:
        yield Dropped(f"{source.name}:{stem(place)}", source.name, "broken record")


def _row(root: ET.Element) -> dict[str, Any]:
    """An entry as a row; its address is its id, else what it calls its id."""
    link = _link(root)
    text = max((_inside(root, name) for name in TEXTS), key=len)
    return {
        "id": "" if link else _inside(root, "guid") or _inside(root, "id"),
        "at": next((at for name in DATES if (at := _inside(root, name))), ""),
        "title": readable(_inside(root, "title")),
        "text": readable(text) if "<" in text else text,
        "link": link,
    }


def _link(root: ET.Element) -> str:
    """RSS writes the address inside, Atom in an attribute."""
    for found in root.iter("link"):
        address = (found.text or "").strip() or found.get("href", "")
        if address and found.get("rel", "alternate") == "alternate":
            return address
    return ""


def _inside(root: ET.Element, name: str) -> str:
    """What an element holds: its text, or its markup where it has any."""
    found = root.find(name)
    if found is None:
        return ""
    return (ET.tostring(found, encoding="unicode") if len(found) else found.text or "").strip()
