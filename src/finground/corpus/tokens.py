"""Documents to token ids, at rest as Arrow that `datasets.Dataset.from_file` opens.

Training is one stream of documents with an end-of-text token after each, cut into blocks of equal length;
what is left over at the end is counted as truncated. A held-out document is a row, its first
`holdout_tokens`; the rest is truncated too. Same input,
same bytes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from finground.core.errors import InputError
from finground.records.document import Document

END_NAMES = ("</s>", "<|endoftext|>", "<eos>", "<|end_of_text|>", "<|im_end|>", "[SEP]")
DOCUMENTS_AT_ONCE, BLOCKS_AT_ONCE = 256, 512


@dataclass(slots=True)
class Count:
    """Documents, words and tokens of one source, and the years they span; tokens include the end token."""

    documents: int = 0
    words: int = 0
    tokens: int = 0
    years: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Coder:
    """A tokenizer with the id that ends a document; keeps count by source of all it encodes."""

    tokenizer: Any
    end: int
    counts: dict[str, Count] = field(default_factory=dict)

    @classmethod
    def over(cls, tokenizer: Any) -> "Coder":
        """Over a `tokenizers.Tokenizer`, or a fast tokenizer of transformers.

        Raises:
            InputError: if it has no end-of-text token that we know.
        """
        inner = getattr(tokenizer, "backend_tokenizer", tokenizer)
        end = getattr(tokenizer, "eos_token_id", None)
        known = (inner.token_to_id(name) for name in END_NAMES)
        found = end if end is not None else next((id for id in known if id is not None), None)
        if found is None:
            raise InputError(
                f"the tokenizer has no end-of-text token; it should have one of {', '.join(END_NAMES)}"
            )
        return cls(inner, found)

    def encode(self, documents: Iterable[Document]) -> Iterator[tuple[Document, list[int]]]:
        """Each document with its ids, the end token last."""
        stream = iter(documents)
        while part := list(islice(stream, DOCUMENTS_AT_ONCE)):
            texts = [written(document) for document in part]
            encoded = self.tokenizer.encode_batch(texts, add_special_tokens=False)
            for document, text, found in zip(part, texts, encoded, strict=True):
                ids = [*found.ids, self.end]
                self._count(document, text, ids)
                yield document, ids

    def _count(self, document: Document, text: str, ids: Sequence[int]) -> None:
        count = self.counts.setdefault(document.source, Count())
        count.documents += 1
        count.words += len(text.split())
        count.tokens += len(ids)
        count.years.add(document.published_at.year)


def written(document: Document) -> str:
    """A document as the model reads it: its title, an empty line, its text."""
    return f"{document.title}\n\n{document.text}" if document.title else document.text


def write_blocks(
    path: Path, encoded: Iterable[tuple[Document, list[int]]], block: int
) -> tuple[int, int, int]:
    """Write fixed blocks (column input_ids); returns documents, tokens in blocks, and tokens left over."""
    documents, blocks, rest = 0, 0, list[int]()
    with _arrow(path, ("input_ids",)) as write:
        ready: list[list[int]] = []
        for _, ids in encoded:
            documents += 1
            rest += ids
            whole = len(rest) // block
            ready += [rest[at * block : (at + 1) * block] for at in range(whole)]
            rest = rest[whole * block :]
            if len(ready) >= BLOCKS_AT_ONCE:
                blocks += write(ready)
                ready = []
        blocks += write(ready)
    return documents, blocks * block, len(rest)


def write_documents(
    path: Path, encoded: Iterable[tuple[Document, list[int]]], most: int
) -> tuple[int, int, int]:
    """Write one row a document (columns id, input_ids), its first `most` tokens.

    Returns documents, tokens written, and tokens cut off.
    """
    rows = [(document.id, ids) for document, ids in encoded]
    with _arrow(path, ("id", "input_ids")) as write:
        write([ids[:most] for _, ids in rows], [id for id, _ in rows])
    kept = sum(min(len(ids), most) for _, ids in rows)
    return len(rows), kept, sum(len(ids) for _, ids in rows) - kept


class _arrow:
    """An Arrow stream file; entered, it is a function that writes rows and returns how many."""

    def __init__(self, path: Path, columns: tuple[str, ...]) -> None:
        import pyarrow as pa

        kinds = {"id": pa.string(), "input_ids": pa.list_(pa.int32())}
        self.schema = pa.schema([(name, kinds[name]) for name in columns])
        self.writer = pa.ipc.new_stream(str(path), self.schema)

    def __enter__(self) -> Any:
        return self._write

    def __exit__(self, *_: object) -> None:
        self.writer.close()

    def _write(self, ids: Sequence[Sequence[int]], names: Sequence[str] | None = None) -> int:
        import pyarrow as pa

        columns = ([] if names is None else [list(names)]) + [list(ids)]
        arrays = [pa.array(column, field.type) for column, field in zip(columns, self.schema, strict=True)]
        self.writer.write_batch(pa.record_batch(arrays, schema=self.schema))
        return len(ids)
