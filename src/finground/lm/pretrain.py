"""Domain pretraining: QLoRA on fixed blocks, the merged model beside the adapter, perplexity on documents.

In: a base folder and tokenised blocks (`datasets`, column input_ids). Out: `adapter/` and `merged/`, both or
neither; `merged/` alone where every weight was trained. Merging into 4-bit weights changes outputs, so the
merge is on the unquantised base (or on the dequantised one, if asked), and what each does to logits and loss
is measured and reported (case T11).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from finground.core.artifact import whole_folder
from finground.lm import adapter, collate, merge, tokens
from finground.lm.base import context, load
from finground.lm.ledger import Trained
from finground.lm.loop import DocumentLoss, Note, evaluate
from finground.lm.tune import Fitted, Task, fit, write_full
from finground.settings import Pretrain

PROBES, PROBE = 4, 256  # texts, and tokens of each, on which merged models are compared
WINDOW = 1024  # tokens scored at a time


def adapt(
    base: Path, blocks: Any, settings: Pretrain, *, quant: str, dtype: str, out: Path, seed: int,
    documents: Any = None, keep: Path | None = None, note: Note | None = None,
) -> Trained:  # fmt: skip
    """Train on blocks, on the (quantised) base, and write `out/adapter` and `out/merged`.

    Args:
        documents: column input_ids; some of them are what merged models are compared on (else blocks).
        keep: folder of the run, for its checkpoints.
        note: called after each step with its number and loss.

    Raises:
        InputError: if there are no blocks, the base cannot be used, or does not fit.
        FingroundError: if a loss, gradient or weight is not finite; nothing is written.
    """
    kept = collate.blocks(blocks, min(settings.max_tokens, context(base)))
    kept = replace(kept, examples=replace(kept.examples, digest=tokens.of_blocks(blocks)))
    full = settings.method == "full"
    task = Task(
        "pretraining", settings.method, base, "none" if full else quant, dtype, seed, keep, note,
        rank=None if full else settings.rank,
    )  # fmt: skip
    done = fit(
        task, kept, settings, lambda loaded: loaded.model if full else adapter.lora(loaded.model, settings)
    )
    compared: dict[str, float] = {}
    with whole_folder(out, {"base_digest": done.about["base_digest"], "ledger": done.trained.ledger}) as made:
        if full:
            write_full(done, base, made / "merged")
        else:
            adapter.save(done.model, made / "adapter", done.about, done.trained)
            compared = _merge(done, base, made, settings, _probe(documents, kept))
    return done.end(compared)


def perplexity(
    base: Path, documents: Any, *, dtype: str = "float32", size: int = 4
) -> tuple[DocumentLoss, ...]:
    """The summed loss and token count of each document (column input_ids), in their order.

    A document's first token is context only. One longer than the window is scored window by window, each
    beginning with the last token of the one before, so that every other token counts exactly once.
    """
    from finground.lm.loss import Scored

    loaded = load(base, quant="none", dtype=dtype)
    window = min(WINDOW, context(base))
    pieces = [
        (number, piece)
        for number, ids in enumerate(documents["input_ids"])
        for piece in _windows(ids, window)
    ]
    examples = collate.Examples(
        [len(ids) for _, ids in pieces], [1] * len(pieces), lambda index: pieces[index][1]
    )
    losses = evaluate(Scored(loaded.model), examples, size=size, pad=loaded.pad)
    sums, counts = [0.0] * len(documents), [0] * len(documents)
    for (number, _), loss in zip(pieces, losses, strict=True):
        sums[number] += loss.nll_sum
        counts[number] += loss.tokens
    return tuple(DocumentLoss(nll, tokens) for nll, tokens in zip(sums, counts, strict=True))


def _merge(
    done: Fitted, base: Path, made: Path, settings: Pretrain, probe: list[Sequence[int]]
) -> dict[str, float]:
    """Write `merged/` beside `adapter/`, and compare the ways of merging."""
    quant, dtype = done.about["quant"], done.about["dtype"]
    done.free()
    about = {"name": "domain", **done.about}
    merge.export(base, made / "adapter", made / "merged", on=settings.merge, dtype=dtype, about=about)
    return merge.compare(base, made / "adapter", probe, quant=quant, dtype=dtype)


def _windows(ids: list[int], window: int) -> Iterator[list[int]]:
    for start in range(0, len(ids) - 1, window - 1):
        yield ids[start : start + window]


def _probe(documents: Any, kept: collate.Kept) -> list[Sequence[int]]:
    texts = [] if documents is None else [ids for ids in documents["input_ids"][:PROBES] if len(ids) > 1]
    count = min(PROBES, len(kept.examples))
    return [ids[:PROBE] for ids in texts or [kept.examples.read(index) for index in range(count)]]
