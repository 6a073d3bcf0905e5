"""Archives of RSS and Atom feeds, through feedparser: one file one feed as it was fetched.

An entry that a later copy of the feed repeats has the same id and is dropped there as a duplicate.
"""

from calendar import timegm
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from finground.corpus.files import stem, whole
from finground.corpus.markup import readable
from finground.corpus.moments import moment
from finground.corpus.tables import item
from finground.records.document import Document, Dropped
from finground.settings import Source

FIELDS = {"id": "id", "published_at": "at", "title": "title", "text": "text", "url": "link"}


def read(place: str, source: Source) -> Iterator[Document | Dropped]:
    """The entries of one feed.

    Raises:
        InputError: if the file is damaged.
    """
    import feedparser

    parsed = feedparser.parse(whole(place), response_headers={"content-location": ""})
    if not parsed.entries:
        yield Dropped(f"{source.name}:{stem(place)}", source.name, "broken record")
    filled = source.model_copy(update={"columns": FIELDS})
    for entry in parsed.entries:
        yield item(_row(entry, source.zone), filled)


def _row(entry: Any, zone: str) -> dict[str, Any]:
    """An entry as a row; its address is its id, else what it calls its id."""
    contents = [part.get("value", "") for part in entry.get("content", ())]
    text = max([*contents, entry.get("summary", "")], key=len)
    return {
        "id": entry.get("id", "") if not entry.get("link") else "",
        "at": _moment(entry, zone),
        "title": readable(entry.get("title", "")),
        "text": readable(text) if "<" in text else text,
        "link": entry.get("link", ""),
    }


def _moment(entry: Any, zone: str) -> str:
    """Publication, else the last change; a time without a zone is of the source's own."""
    for name in ("published", "updated"):
        if found := moment(entry.get(name, ""), zone):
            return found.isoformat()
        if parsed := entry.get(f"{name}_parsed"):
            return datetime.fromtimestamp(timegm(parsed), UTC).isoformat()
    return ""
