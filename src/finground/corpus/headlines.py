"""Headlines as JSONL (ts, title, href, matched, sometimes a body); without a body, one is not corpus text."""

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from finground.core.artifact import read_text
from finground.core.errors import InputError
from finground.corpus.dedup import address
from finground.records.document import Document, Dropped

SOURCE = "headlines"


def read(path: Path) -> Iterator[Document | Dropped]:
    """The rows of one file.

    Raises:
        InputError: naming the file and the line that is not a JSON object.
    """
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(f"{path}, line {number}: {error.msg}; a line holds one JSON object") from error
        if not isinstance(row, dict):
            raise InputError(
                f"{path}, line {number}: found a {type(row).__name__}; a line holds one JSON object"
            )
        yield _item(row)


def _item(row: dict[str, Any]) -> Document | Dropped:
    url, title, body = (str(row.get(key) or "") for key in ("href", "title", "body"))
    at = _moment(str(row.get("ts") or ""))
    id = f"{SOURCE}:{hashlib.sha256((address(url) or f'{at} {title}').encode()).hexdigest()[:16]}"
    if not body.strip():
        return Dropped(id, SOURCE, "no body")
    if at is None:
        return Dropped(id, SOURCE, "no date")
    return Document(id, SOURCE, at, title, body, url, tuple(map(str, row.get("matched") or ())))


def _moment(text: str) -> datetime | None:
    """`20150601 11:56PM UTC`, or ISO."""
    try:
        return datetime.strptime(text, "%Y%m%d %I:%M%p UTC").replace(tzinfo=UTC)
    except ValueError:
        pass
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
