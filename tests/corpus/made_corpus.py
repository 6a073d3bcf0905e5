"""A tokenizer small enough to check by hand, documents as a raw folder, and settings to go with it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from finground.core.artifact import read_rows
from finground.corpus.chunks import Rejected
from finground.corpus.resolve import Link
from finground.corpus.select import Selected
from finground.corpus.tokens import read_documents
from finground.records.document import Document, Dropped
from finground.settings import Corpus, Source

COLUMNS = {key: key for key in ("id", "published_at", "title", "text", "url")}


def lines(name: str) -> Source:
    """A source whose rows have our own names."""
    return Source.model_validate(
        {"name": name, "files": f"{name}/*.jsonl", "read": "jsonl", "columns": COLUMNS}
    )


SETTINGS = Corpus(
    sources=tuple(map(lines, ("reuters", "wire", "headlines"))), min_words=5, block=8,
    holdout_from=date(2024, 6, 1), holdout_source="headlines", holdout_documents=100,
)  # fmt: skip


RULES_OF_RESUME = SETTINGS.model_copy(update={"shard": 40, "block": 16})


def words() -> Any:
    """One token a word (all of them unknown but the end token), which makes counts those of a hand."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    made = Tokenizer(models.WordLevel({"<unk>": 0, "</s>": 1}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return made


def article(id: str, text: str, day: str = "2024-01-01", source: str = "reuters", **more: Any) -> Document:
    return Document(
        id, source, datetime.fromisoformat(day).replace(tzinfo=UTC), more.pop("title", ""), text, **more
    )


def put(raw: Path, documents: Iterable[Document]) -> Path:
    """Documents as a raw folder, a file a source, in the order given."""
    for document in documents:
        path = raw / document.source / "rows.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        row = {key: getattr(document, key) for key in ("id", "title", "text", "url")}
        with path.open("a") as rows:
            rows.write(json.dumps({**row, "published_at": document.published_at.isoformat()}) + "\n")
    return raw


@dataclass(frozen=True)
class Chosen:
    """What the room made of documents; ids without their source."""

    selected: Selected

    def ids(self, part: str = "train") -> list[str]:
        kept = self.selected.kept if part == "train" else ()
        paths = [folder / "documents.jsonl" for folder in kept] or [self.selected.held / f"{part}.jsonl"]
        return [document.id.partition(":")[2] for path in paths for document in read_documents(path)]

    @property
    def dropped(self) -> dict[str, str]:
        folders = (*self.selected.sifted, *self.selected.kept)
        rows = [row for folder in folders for row in read_rows(folder / "dropped.jsonl", Dropped)]
        return {row.id.partition(":")[2]: row.reason for row in rows}

    @property
    def links(self) -> dict[str, tuple[str, str]]:
        rows = [row for folder in self.selected.sifted for row in read_rows(folder / "links.jsonl", Link)]
        return {row.id.partition(":")[2]: (row.kind, row.to.partition(":")[2]) for row in rows}

    @property
    def rejected(self) -> list[str]:
        folders = (*self.selected.sifted, *self.selected.kept)
        rows = [row for folder in folders for row in read_rows(folder / "rejected.jsonl", Rejected)]
        return [row.document.id.partition(":")[2] for row in rows]
