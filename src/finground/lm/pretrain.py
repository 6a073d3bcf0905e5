"""Domain pretraining: QLoRA on fixed blocks, the merged model beside the adapter, perplexity on documents.

In: a base folder and tokenised blocks (`datasets`, column input_ids). Out: `adapter/` and `merged/`, both or
neither. Merging into 4-bit weights changes outputs, so the merge is on the unquantised base, and the largest
difference in logits between the two is measured and reported (case T11).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from finground.core.artifact import whole_folder
from finground.lm import adapter, collate, device
from finground.lm.base import context, load, write
from finground.lm.loop import DocumentLoss, Note, Trained, evaluate, train
from finground.settings import Lora

PROBE = 128  # tokens on which adapter-on-4-bit and merged are compared
WINDOW = 1024  # tokens scored at a time


def adapt(
    base: Path,
    blocks: Any,
    settings: Lora,
    *,
    quant: str,
    dtype: str,
    out: Path,
    seed: int,
    note: Note | None = None,
) -> Trained:
    """Train LoRA on the (quantised) base and write `out/adapter` and `out/merged`.

    Args:
        note: called after each step with its number and loss.

    Raises:
        InputError: if there are no blocks, or the base cannot be used.
        FingroundError: if a loss, gradient or weight is not finite; nothing is written.
    """
    kept = collate.blocks(blocks, min(settings.max_tokens, context(base)))
    kept.check()
    loaded = load(base, quant=quant, dtype=dtype)
    from finground.lm.loss import Scored

    with device.seeded(seed):
        tuned = adapter.lora(loaded.model, settings)
        done = train(Scored(tuned), kept, settings, pad=loaded.pad, seed=seed, what="pretraining", note=note)
    about = adapter.about("lora", settings, loaded, seed=seed, quant=quant, dtype=dtype)
    probe = list(kept.examples.read(0))[:PROBE]
    with whole_folder(out, {"base_digest": loaded.digest, "ledger": done.ledger}) as temporary:
        adapter.save(tuned, temporary / "adapter", about)
        before = _logits(tuned, probe)
        after = _logits(_merge(base, temporary, dtype, about), probe)
    return adapter.finish(
        done, loaded, {"merged.largest_logit_difference": float((after - before).abs().max())}
    )


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
    losses = evaluate(Scored(loaded.model), collate.Kept(examples, ()), size=size, pad=loaded.pad)
    sums, counts = [0.0] * len(documents), [0] * len(documents)
    for (number, _), loss in zip(pieces, losses, strict=True):
        sums[number] += loss.nll_sum
        counts[number] += loss.tokens
    return tuple(DocumentLoss(nll, tokens) for nll, tokens in zip(sums, counts, strict=True))


def _windows(ids: list[int], window: int) -> Iterator[list[int]]:
    for start in range(0, len(ids) - 1, window - 1):
        yield ids[start : start + window]


def _merge(base: Path, folder: Path, dtype: str, about: dict[str, Any]) -> Any:
    """Merge `folder/adapter` on the unquantised base, write it to `folder/merged`, and return it."""
    plain = load(base, quant="none", dtype=dtype)
    merged = adapter.read(plain.model, folder / "adapter", plain.digest).merge_and_unload()
    with whole_folder(folder / "merged", {"name": "domain", **about}) as temporary:
        write(merged, base, temporary)
    return merged


def _logits(model: Any, ids: list[int]) -> Any:
    """float32 [tokens, vocabulary], on the CPU."""
    import torch

    from finground.lm.loss import head, states

    model.eval()
    with torch.no_grad():
        laid = torch.tensor([ids], device=head(model).device)
        hidden, _ = states(model, laid, torch.ones_like(laid))
        return (hidden[0] @ head(model).T).float().cpu()
