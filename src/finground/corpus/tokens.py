"""Documents to token ids, at rest as Arrow that `datasets.Dataset.from_file` maps into memory.

The training documents of a shard are one stream, with an end-of-text token after each, cut into blocks of
equal length; what is left over at the end of a shard is counted as truncated. Its index says where in the
stream each document lies. A held-out document is a row, its first `holdout_tokens`; the rest is truncated.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from finground.core.artifact import read_json, read_text, write_json
from finground.core.coding import decode
from finground.core.errors import InputError
from finground.corpus.ledger import Counts
from finground.corpus.work import made
from finground.records.document import Document

END_NAMES = ("</s>", "<|endoftext|>", "<eos>", "<|end_of_text|>", "<|im_end|>", "[SEP]")
DOCUMENTS_AT_ONCE, BLOCKS_AT_ONCE = 256, 512
BLOCKS, INDEX = "blocks.arrow", "index.arrow"
Ids = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Coder:
    """A tokenizer with the id that ends a document."""

    tokenizer: Any
    end: int

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

    def save(self, folder: Path) -> None:
        """As files, for workers elsewhere."""
        self.tokenizer.save(str(folder / "tokenizer.json"))
        write_json(folder / "end.json", self.end)

    def encode(self, documents: Iterable[Document]) -> Iterator[tuple[Document, Ids]]:
        """Each document with its ids, the end token last."""
        stream = iter(documents)
        while part := list(islice(stream, DOCUMENTS_AT_ONCE)):
            texts = [as_read(document) for document in part]
            for document, found in zip(
                part, self.tokenizer.encode_batch_fast(texts, add_special_tokens=False), strict=True
            ):
                yield document, np.array([*found.ids, self.end], np.int32)


@dataclass(frozen=True, slots=True)
class Tokenizing:
    """One task: a file of documents into blocks, or into a row each if `most` says how many tokens."""

    out: Path
    key: str
    documents: Path
    coder: Path
    block: int
    most: int | None = None


def tokenize(task: Tokenizing) -> dict[str, Any]:
    """Write the tokens of a file of documents; returns counts of tokens and, by source, for Table 4."""
    counts: dict[str, Any] = made(task.out, task.key, partial(_tokenize, task))
    return counts


def as_read(document: Document) -> str:
    """A document as the model reads it: its title, an empty line, its text."""
    return f"{document.title}\n\n{document.text}" if document.title else document.text


def read_documents(path: Path) -> Iterator[Document]:
    """Documents out of JSONL, one at a time."""
    with path.open("rb") as lines:
        for line in lines:
            yield decode(line, Document)


def write_blocks(
    folder: Path, encoded: Iterable[tuple[Document, Ids]], block: int, counts: Counts
) -> tuple[int, int]:
    """Write fixed blocks (column input_ids) and the index of documents (id, source, start, tokens).

    Returns tokens in blocks, and tokens left over.
    """
    written, rest, place = 0, np.zeros(0, np.int32), 0
    with _Rows(folder / BLOCKS, {"input_ids": "ids"}) as blocks, _Rows(folder / INDEX, INDEXED) as index:
        stream = iter(encoded)
        while part := list(islice(stream, BLOCKS_AT_ONCE)):
            lengths = [len(ids) for _, ids in part]
            starts = place + np.cumsum([0, *lengths[:-1]])
            index.write([d.id for d, _ in part], [d.source for d, _ in part], starts, lengths)
            place += sum(lengths)
            for document, ids in part:
                counts.add(document, len(ids))
            tokens = np.concatenate([rest, *(ids for _, ids in part)])
            whole = len(tokens) // block * block
            blocks.write(tokens[:whole].reshape(-1, block))
            written += whole
            rest = tokens[whole:]
    return written, len(rest)


def write_documents(
    path: Path, encoded: Iterable[tuple[Document, Ids]], most: int, counts: Counts
) -> tuple[int, int]:
    """Write one row a document (columns id, input_ids), its first `most` tokens.

    Returns tokens written, and tokens cut off.
    """
    written = cut = 0
    with _Rows(path, {"id": "text", "input_ids": "ids"}) as rows:
        for document, ids in encoded:
            counts.add(document, len(ids))
            rows.write([document.id], [ids[:most]])
            written += min(len(ids), most)
            cut += max(len(ids) - most, 0)
    return written, cut


def open_blocks(corpus: Path) -> Any:
    """All training blocks of a corpus folder as one memory-mapped `datasets.Dataset`."""
    from datasets import Dataset, concatenate_datasets

    return concatenate_datasets(
        [Dataset.from_file(str(path)) for path in sorted(corpus.glob("train-*.arrow"))]
    )


def _tokenize(task: Tokenizing, out: Path) -> dict[str, Any]:
    coder, counts = _coder(task.coder, read_text(task.coder / "manifest.json")), Counts()
    encoded = coder.encode(read_documents(task.documents))
    if task.most is None:
        kept, cut = write_blocks(out, encoded, task.block, counts)
    else:
        kept, cut = write_documents(out / BLOCKS, encoded, task.most, counts)
    return {"kept": kept, "cut": cut, "counts": counts.plain()}


@lru_cache(maxsize=1)
def _coder(folder: Path, _manifest: str) -> Coder:
    from tokenizers import Tokenizer

    return Coder(Tokenizer.from_file(str(folder / "tokenizer.json")), read_json(folder / "end.json"))


INDEXED = {"id": "text", "source": "text", "start": "number", "tokens": "number"}


class _Rows:
    """An Arrow stream file with named columns; takes arrays, a batch a call."""

    def __init__(self, path: Path, columns: dict[str, str]) -> None:
        import pyarrow as pa

        kinds = {"text": pa.string(), "ids": pa.list_(pa.int32()), "number": pa.int64()}
        self.schema = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
        self.file = path.open("wb")

    def __enter__(self) -> "_Rows":
        import pyarrow as pa

        self.writer = pa.ipc.new_stream(self.file, self.schema)
        return self

    def __exit__(self, *_: object) -> None:
        self.writer.close()
        self.file.close()

    def write(self, *columns: Any) -> None:
        """One batch; a column of ids is [rows, tokens], or a list of arrays."""
        import pyarrow as pa

        arrays = [_column(values, field.type) for values, field in zip(columns, self.schema, strict=True)]
        self.writer.write_batch(pa.record_batch(arrays, schema=self.schema))


def _column(values: Sequence[Any], kind: Any) -> Any:
    """An Arrow array; of token ids without a Python number for each."""
    import pyarrow as pa

    if not pa.types.is_list(kind):
        return pa.array(values, kind)
    lengths = np.fromiter((len(ids) for ids in values), np.int32, len(values))
    flat = np.concatenate([np.zeros(0, np.int32), *values]) if len(values) else np.zeros(0, np.int32)
    return pa.ListArray.from_arrays(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32), flat)
