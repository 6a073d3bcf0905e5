"""Rows as token ids, kept beside the run and made again only if rows, tokenizer or limit changed (case T13).

In: prompts and targets, a base folder. Out: examples, and `tokens/` in the folder of the run: an Arrow file
with a manifest that says what it was made from.
"""

import hashlib
import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from finground.core.artifact import MANIFEST, digest, manifest, whole_folder
from finground.lm import base as bases
from finground.lm import collate, device
from finground.lm.collate import Examples, Kept, Rejected

log = logging.getLogger(__name__)
ARROW = "tokens.arrow"


def pairs(rows: Any, base: Path, limit: int, keep: Path | None) -> Kept:
    """Examples of at most `limit` tokens out of rows of prompt and target.

    Args:
        keep: folder of the run; None: tokens are not kept.

    Raises:
        InputError: if a row has no prompt or target.
    """
    collate.check_rows(rows)
    made_from = _made_from(rows, base, limit)
    folder = keep / "tokens" if keep else None
    if folder and (found := _read(folder, made_from)):
        return found
    words = bases.tokenizer(base)
    kept = collate.pairs(
        rows, lambda texts, start: bases.encode(words, texts, start=start), words.eos_token_id, limit
    )
    log.info("tokens: %d rows encoded, %d rejected", len(rows), len(kept.rejected))
    if folder and device.first_process():
        _write(folder, made_from, kept)
    return Kept(_named(kept.examples, made_from), kept.rejected)


def _made_from(rows: Any, base: Path, limit: int) -> str:
    found = hashlib.sha256(f"{digest(base / bases.TOKENIZER)}/{limit}".encode())
    for column in ("prompt", "target"):
        for text in rows[column]:
            found.update(f"{len(text)}:{text}".encode())
    return found.hexdigest()


def _read(folder: Path, made_from: str) -> Kept | None:
    """What lies there, if it is whole and was made from the same."""
    from datasets import Dataset

    if not (folder / MANIFEST).is_file():
        return None
    about = manifest(folder)
    if about["made_from"] != made_from or digest(folder / ARROW) != about["files"].get(ARROW):
        return None
    table = Dataset.from_file(str(folder / ARROW))
    examples = Examples(
        collate.lengths(table), list(table["prompt"]), lambda index: _ids(table, index), made_from
    )
    return Kept(examples, tuple(Rejected(*row) for row in about["rejected"]))


def _ids(table: Any, index: int) -> Sequence[int]:
    ids: Sequence[int] = table[index]["input_ids"]
    return ids


def _write(folder: Path, made_from: str, kept: Kept) -> None:
    import pyarrow as pa

    schema = pa.schema([("input_ids", pa.list_(pa.int32())), ("prompt", pa.int32())])
    rejected = [[row.row, row.reason, row.why, row.tokens] for row in kept.rejected]
    examples = kept.examples
    with whole_folder(folder, {"made_from": made_from, "rejected": rejected}) as temporary:
        ids = pa.array([list(examples.read(index)) for index in range(len(examples))], schema.field(0).type)
        table = pa.record_batch([ids, pa.array(examples.prompts, pa.int32())], schema=schema)
        with pa.ipc.new_stream(str(temporary / ARROW), schema) as stream:
            stream.write_batch(table)


def _named(examples: Examples, made_from: str) -> Examples:
    return Examples(examples.lengths, examples.prompts, examples.read, made_from)


def of_blocks(dataset: Any) -> str:
    """Digest of the ids of blocks, in their order."""
    found = hashlib.sha256()
    for table in dataset.with_format("arrow").iter(batch_size=10_000):
        column = table.column("input_ids").combine_chunks()
        found.update(json.dumps([len(column), column.type.value_type.bit_width]).encode())
        found.update(column.value_lengths().to_numpy(zero_copy_only=False).tobytes())
        found.update(column.flatten().to_numpy(zero_copy_only=False).tobytes())
    return found.hexdigest()
