"""Rows become examples, examples become batches; whoever is left out is named and counted (laws 6 and 7).

An example is a list of token ids whose first `prompt` ids are context and whose other ids are labelled.
Labels go by place, never by comparing ids, so a pad token that equals EOS changes nothing (case T4). Nothing
is ever cut.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from finground.core.errors import InputError

UNLABELLED = -100
WINDOW = 64  # batches that are sorted by length together


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row left out of training: its number, why (a word for the ledger and a sentence), its tokens."""

    row: int
    reason: str
    why: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Examples:
    """Lengths known, tokens read when needed. `prompts[i]` ids of example i are context (at least one)."""

    lengths: Sequence[int]
    prompts: Sequence[int]
    read: Callable[[int], Sequence[int]]
    digest: str = ""  # of all of them, where they come from rows; what a checkpoint says it was trained on

    def __len__(self) -> int:
        return len(self.lengths)

    def labelled(self, indices: Sequence[int]) -> int:
        """How many positions of these examples carry a label."""
        return sum(self.lengths[i] - self.prompts[i] for i in indices)

    def subset(self, indices: Sequence[int]) -> "Examples":
        """Some of them, renumbered in the order given."""
        return Examples(
            [self.lengths[i] for i in indices],
            [self.prompts[i] for i in indices],
            lambda place: self.read(indices[place]),
            self.digest,
        )

    def count(self, parts: Sequence[Sequence[int]], indices: Sequence[int]) -> dict[str, int]:
        """Documents, tokens, padding and labels of a batch whose parts are laid out each by itself."""
        tokens = sum(self.lengths[i] for i in indices)
        laid = sum(
            len(part) * max(self.lengths[i] for i in part) if part else self.lengths[indices[0]]
            for part in parts
        )
        return {
            "documents": len(indices), "tokens": tokens, "padded": laid - tokens,
            "labelled": self.labelled(indices),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kept:
    """What training sees, and what it does not."""

    examples: Examples
    rejected: tuple[Rejected, ...]

    def check(self) -> None:
        """Refuse to train on nothing.

        Raises:
            InputError: if no example is left.
        """
        if not len(self.examples):
            first = f": all {len(self.rejected)} were rejected, the first because of {self.rejected[0].why}"
            raise InputError(
                f"0 training rows{first if self.rejected else ''}; give rows, or raise max_tokens"
            )


def check_rows(rows: Any) -> None:
    """Refuse rows that cannot be trained on, before any model loads (case T14).

    Raises:
        InputError: if there are no rows, a column is missing, or a prompt or target is empty.
    """
    if len(rows) == 0:
        raise InputError("0 training rows; the stage before this one made none")
    for column in ("prompt", "target"):
        if column not in rows.column_names:
            raise InputError(f"the rows have columns {rows.column_names}; they need prompt and target")
        for number, text in enumerate(rows[column]):
            if not isinstance(text, str) or not text.strip():
                raise InputError(
                    f"row {number}: its {column} is {text!r}; every row needs a prompt and a target"
                )


def pairs(rows: Any, encode: Callable[[list[str], bool], list[list[int]]], eos: int, limit: int) -> Kept:
    """Examples out of prompts and targets: prompt ids, target ids, one EOS; the target and EOS are labelled.

    Args:
        encode: texts to ids, with or without what begins a text; prompts are encoded by themselves, as
            generation does it.
        limit: tokens an example may have; longer ones are rejected, never cut (case T5).
    """
    prompts = encode(list(rows["prompt"]), True)
    targets = encode(list(rows["target"]), False)
    kept, rejected = [], []
    for number, (prompt, target) in enumerate(zip(prompts, targets, strict=True)):
        tokens = [*prompt, *target, eos]
        refusal = _refusal(len(prompt), len(tokens), limit)
        if refusal:
            rejected.append(Rejected(number, *refusal, len(tokens)))
        else:
            kept.append((tokens, len(prompt)))
    return Kept(_listed(kept), tuple(rejected))


def blocks(dataset: Any, limit: int) -> Kept:
    """Examples out of blocks (column input_ids), all labelled but the first id; read when needed."""
    if "input_ids" not in dataset.column_names:
        raise InputError(f"the blocks have columns {dataset.column_names}; they need input_ids")
    sizes = lengths(dataset)
    rejected = []
    for number, length in enumerate(sizes):
        if length < 2:
            rejected.append(
                Rejected(number, "too-short", f"a block of {length} tokens predicts nothing", length)
            )
        elif length > limit:
            rejected.append(
                Rejected(number, "too-long", f"a block of {length} tokens; at most {limit}", length)
            )
    left_out = {row.row for row in rejected}
    places = [number for number in range(len(sizes)) if number not in left_out]
    examples = Examples(
        [sizes[place] for place in places],
        [1] * len(places),
        lambda index: dataset[places[index]]["input_ids"],
    )
    return Kept(examples, tuple(rejected))


def epoch(lengths: Sequence[int], size: int, seed: int, number: int) -> list[list[int]]:
    """The batches of one epoch, as example numbers; depends on nothing but lengths, size, seed and number.

    Examples are shuffled, then sorted by length within windows, so that batches hold little padding.
    """
    rng = random.Random(f"{seed}/{number}")
    order = list(range(len(lengths)))
    rng.shuffle(order)
    batches = []
    for start in range(0, len(order), size * WINDOW):
        window = sorted(order[start : start + size * WINDOW], key=lambda index: lengths[index])
        batches += [window[at : at + size] for at in range(0, len(window), size)]
    rng.shuffle(batches)
    return batches


@dataclass(frozen=True, slots=True)
class Batch:
    """ids, mask, labels: int64 [batch, tokens], padded on the right; labels of -100 teach nothing."""

    ids: Any
    mask: Any
    labels: Any
    tokens: int  # without padding

    @property
    def padded(self) -> int:
        """Positions that hold padding."""
        return int(self.ids.numel()) - self.tokens


def batch(examples: Examples, indices: Sequence[int], pad: int) -> Batch:
    """The examples of these numbers, padded to the longest."""
    import torch

    width = max(examples.lengths[index] for index in indices)
    ids = torch.full((len(indices), width), pad)
    mask = torch.zeros_like(ids)
    labels = torch.full_like(ids, UNLABELLED)
    for row, index in enumerate(indices):
        tokens = torch.tensor(examples.read(index))
        length, prompt = len(tokens), examples.prompts[index]
        ids[row, :length] = tokens
        mask[row, :length] = 1
        labels[row, prompt:length] = tokens[prompt:]
    return Batch(ids, mask, labels, sum(examples.lengths[index] for index in indices))


def shares(indices: Sequence[int], processes: int) -> list[list[int]]:
    """A batch dealt out to processes, like by like; the last may get nothing."""
    return [list(indices[place::processes]) for place in range(processes)]


def unlabelled(laid: Batch) -> Batch:
    """The same batch teaching nothing, for a process whose share of a batch is empty."""
    return replace(laid, labels=laid.labels.new_full(laid.labels.shape, UNLABELLED))


def _refusal(prompt: int, tokens: int, limit: int) -> tuple[str, str] | None:
    if prompt == 0:
        return "no-prompt", "a prompt of 0 tokens"
    if prompt >= limit - 1:
        return "no-room", f"a prompt of {prompt} tokens leaves no room for a target; at most {limit} in all"
    if tokens > limit:
        return "too-long", f"prompt and target of {tokens} tokens; at most {limit}"
    return None


def _listed(kept: list[tuple[list[int], int]]) -> Examples:
    return Examples(
        [len(ids) for ids, _ in kept], [prompt for _, prompt in kept], lambda index: kept[index][0]
    )


def lengths(dataset: Any) -> list[int]:
    """Tokens of each row, without reading the tokens into Python."""
    import pyarrow.compute as compute

    def parts() -> Iterator[list[int]]:
        for table in dataset.with_format("arrow").iter(batch_size=10_000):
            yield compute.list_value_length(table.column("input_ids")).to_pylist()

    return [length or 0 for part in parts() for length in part]
