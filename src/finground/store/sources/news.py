"""Headlines out of JSONL: `ts`, `title`, `href`, `matched` tickers, and `body` where there is one.

The same headline within 24 hours is one item, known from its first appearance, about all companies that any
copy names; who syndicates it ("… — Reuters") does not count.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from finground.core.artifact import read_text
from finground.core.errors import InputError
from finground.store import schema
from finground.store.sources.known import Known, plain_ticker
from finground.store.sources.rows import Aside, Batch, Read

STAMP = "%Y%m%d %I:%M%p UTC"  # 20150601 11:56PM UTC
DAY = timedelta(days=1)
WIRES = "reuters|wsj|the wall street journal|bloomberg|ap|afp|dpa|cnbc|marketwatch|barron's|forbes|ft"
SYNDICATED = re.compile(rf"\s*(?:[-–—|]\s*(?:{WIRES})|\((?:{WIRES})\))\s*$", re.I)


def headlines(path: Path, known: Known) -> Iterator[Read]:
    """News items, the earliest first, and the companies they name.

    Raises:
        InputError: naming the line that is not JSON.
    """
    items: dict[str, dict[str, Any]] = {}
    source = known.source(path.parent.name)
    read = list(_lines(path))
    yield from (row for row in read if isinstance(row, Aside))
    dated = [row for row in read if not isinstance(row, Aside)]
    for stamp, row in sorted(dated, key=lambda pair: pair[0]):
        item = items.setdefault(_seen(items, row["title"], stamp), _item(row, stamp, source))
        item["tickers"] |= dict.fromkeys(plain_ticker(ticker) for ticker in row.get("matched") or ())
    links = [
        {"company": company, "published_at": item["published_at"], "news": id}
        for id, item in items.items()
        for company in dict.fromkeys(
            known.tickers[ticker] for ticker in item["tickers"] if ticker in known.tickers
        )
    ]
    yield Batch(
        schema.news, [{"id": id, **item, "tickers": " ".join(item["tickers"])} for id, item in items.items()]
    )
    yield Batch(schema.news_companies, links)


def identity(headline: str, published: datetime) -> str:
    """The id of a headline on a day; capitals, spaces and the syndicating wire do not count."""
    told = " ".join(SYNDICATED.sub("", headline).casefold().split())
    text = f"{published:%Y-%m-%d} {told}"
    return "news:" + hashlib.sha256(text.encode()).hexdigest()[:16]


def _seen(items: Mapping[str, Mapping[str, Any]], headline: str, published: datetime) -> str:
    """The id of the same headline within the 24 hours before, else its own."""
    yesterday = identity(headline, published - DAY)
    before = items.get(yesterday)
    if before is not None and schema.seconds(published) - before["published_at"] <= DAY.total_seconds():
        return yesterday
    return identity(headline, published)


def _lines(path: Path) -> Iterator[tuple[datetime, dict[str, Any]] | Aside]:
    text = read_text(path)
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{path}, line {number}: {error.msg}; a line holds one JSON object") from error
        yield _dated(row, f"line {number}")


def _dated(row: Any, place: str) -> tuple[datetime, dict[str, Any]] | Aside:
    """The row with its time; set aside if it has no headline or no time it could be known from."""
    content = json.dumps(row, ensure_ascii=False)[:500]
    told = row if isinstance(row, dict) else {}
    if not all(isinstance(told.get(key), str) and told[key] for key in ("title", "ts")):
        return Aside(place, "no title or no ts", content)
    try:
        return datetime.strptime(row["ts"], STAMP).replace(tzinfo=UTC), row
    except ValueError:
        return Aside(place, "ts is not like '20150601 11:56PM UTC'", content)


def _item(row: dict[str, Any], stamp: datetime, source: str) -> dict[str, Any]:
    return {
        "published_at": schema.seconds(stamp),
        "headline": row["title"].strip(),
        "body": (row.get("body") or "").strip(),
        "url": row.get("href") or "",
        "tickers": {},
        "source": source,
    }
