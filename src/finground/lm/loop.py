"""The one training loop: pretraining, prompt tuning and LoRA all come through here.

In: a scored model, examples, settings, a seed. Out: the model trained in place, and what happened as
`Trained`. A step weighs every labelled token alike however the batches fall (case T7), fails on a loss or
gradient that is not finite (T5), and leaves a ledger that balances exactly (law 6).
"""

import logging
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from finground.core.errors import FingroundError
from finground.core.log import progress
from finground.lm.collate import Examples, Kept, Rejected, batch, epoch
from finground.settings import Training

log = logging.getLogger(__name__)
Note = Callable[[int, float], None]


@dataclass(frozen=True, slots=True)
class DocumentLoss:
    """Summed negative log-likelihood (nats) of a text, and of how many tokens."""

    nll_sum: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Trained:
    """One training run.

    `ledger` counts passes (a row read in two epochs goes in twice; one not reached by max_steps is dropped):
    documents_in = documents_trained + documents_dropped, and
    tokens_in = tokens_trained + tokens_truncated + tokens_dropped + tokens_padded, where what was laid in as
    padding counts as in. `documents_dropped.REASON` and `tokens_dropped.REASON` add up to the dropped.
    """

    steps: int
    ledger: dict[str, int]
    curve: list[tuple[int, float]]  # step, mean loss of a labelled token
    seconds: float
    tokens_per_second: float  # of the text, padding left out
    rejected: tuple[Rejected, ...]
    four_bit_modules: int = 0
    base_digest: str = ""
    extra: dict[str, float] = field(default_factory=dict)


def train(
    scored: Any, kept: Kept, settings: Training, *, pad: int, seed: int, what: str, note: Note | None = None
) -> Trained:
    """Train whatever parameters of `scored` require a gradient.

    Raises:
        InputError: if there is nothing to train on.
        FingroundError: if a loss or gradient is not finite; the caller then saves nothing.
    """
    from accelerate import Accelerator

    kept.check()
    accelerator = Accelerator()
    weights = [weight for weight in scored.parameters() if weight.requires_grad]
    model, optimizer = accelerator.prepare(scored, _adamw(weights, settings.lr))
    model.train()
    examples, size = kept.examples, settings.batch
    of_an_epoch = math.ceil(
        math.ceil(len(examples) / size) / (settings.accumulate * accelerator.num_processes)
    )
    total = min(settings.max_steps or math.inf, settings.epochs * of_an_epoch)
    seen: Counter[str] = Counter()
    curve: list[tuple[int, float]] = []
    began = time.perf_counter()
    for step, batches in enumerate(
        _progress(_steps(examples, settings, seed, accelerator.num_processes), what, total, curve)
    ):
        for group in optimizer.param_groups:
            group["lr"] = settings.lr * pace(step, int(total), settings.warmup)
        loss = _step(accelerator, model, examples, batches, pad, seen)
        norm = float(accelerator.clip_grad_norm_(weights, settings.clip))
        _finite(what, step, loss, norm)
        optimizer.step()
        optimizer.zero_grad()
        curve.append((step, loss))
        if note:
            note(step, loss)
        if step + 1 == total:
            break
    seconds = time.perf_counter() - began
    books = ledger(kept, seen, epochs=math.ceil(total / of_an_epoch))
    speed = books["tokens_trained"] / seconds
    log.info(
        "%s: %d steps, %d tokens, loss %.3f to %.3f, %.1f s, %.0f tokens/s",
        what, total, books["tokens_trained"], curve[0][1], curve[-1][1], seconds, speed,
    )  # fmt: skip
    return Trained(int(total), books, curve, seconds, speed, kept.rejected)


def evaluate(scored: Any, kept: Kept, *, size: int, pad: int) -> list[DocumentLoss]:
    """The loss of each example, in their order; nothing is trained."""
    import torch

    examples = kept.examples
    scored.eval()
    found: dict[int, DocumentLoss] = {}
    order = sorted(range(len(examples)), key=lambda index: -examples.lengths[index])
    for start in progress(range(0, len(order), size), "scoring"):
        indices = order[start : start + size]
        laid = batch(examples, indices, pad)
        with torch.no_grad():
            losses = scored.rows(*_placed(laid, scored))
        for index, loss in zip(indices, losses, strict=True):
            found[index] = DocumentLoss(loss, examples.labelled([index]))
    return [found[index] for index in range(len(examples))]


def pace(step: int, total: int, warmup: float) -> float:
    """Share of the learning rate at a step: linear warm-up over `warmup` of the steps, then linear decay."""
    warm = max(1, round(total * warmup))
    return min((step + 1) / warm, (total - step) / max(1, total - warm + 1), 1.0)


def ledger(kept: Kept, seen: Counter[str], *, epochs: int) -> dict[str, int]:
    """The books of a run; see `Trained` for what must balance."""
    examples = kept.examples
    dropped: Counter[str] = Counter()
    for row in kept.rejected:
        dropped[f"documents_dropped.{row.reason}"] += epochs
        dropped[f"tokens_dropped.{row.reason}"] += epochs * row.tokens
    if seen["documents"] < epochs * len(examples):
        dropped["documents_dropped.not-reached"] = epochs * len(examples) - seen["documents"]
        dropped["tokens_dropped.not-reached"] = epochs * sum(examples.lengths) - seen["tokens"]
    documents, tokens = (
        sum(count for name, count in dropped.items() if name.startswith(f"{unit}_"))
        for unit in ("documents", "tokens")
    )
    rejected_tokens = sum(row.tokens for row in kept.rejected)
    return {
        "documents_in": epochs * (len(examples) + len(kept.rejected)),
        "documents_trained": seen["documents"],
        "documents_dropped": documents,
        "tokens_in": epochs * (sum(examples.lengths) + rejected_tokens) + seen["padded"],
        "tokens_trained": seen["tokens"],
        "tokens_truncated": 0,
        "tokens_dropped": tokens,
        "tokens_padded": seen["padded"],
        "tokens_labelled": seen["labelled"],
        **dropped,
    }


def _steps(examples: Examples, settings: Training, seed: int, processes: int) -> Iterator[list[list[int]]]:
    """The batches of each step, of all processes together; a step never spans two epochs."""
    width = settings.accumulate * processes
    for number in range(settings.epochs):
        batches = epoch(examples.lengths, settings.batch, seed, number)
        for start in range(0, len(batches), width):
            yield batches[start : start + width]


def _step(
    accelerator: Any, model: Any, examples: Examples, batches: list[list[int]], pad: int, seen: Counter[str]
) -> float:
    """Gradients of one step, weighed by tokens; returns the mean loss of a labelled token of this process."""
    labelled = sum(examples.labelled(indices) for indices in batches)
    total, mine = 0.0, 0
    for indices in batches[accelerator.process_index :: accelerator.num_processes]:
        laid = batch(examples, indices, pad)
        loss = model(*_placed(laid, model))
        # processes average their gradients, so each weighs its part by their number
        accelerator.backward(loss * (accelerator.num_processes / labelled))
        total += float(loss.detach())
        mine += examples.labelled(indices)
        seen.update(
            documents=len(indices),
            tokens=laid.tokens,
            padded=laid.padded,
            labelled=examples.labelled(indices),
        )
    return total / max(mine, 1)


def _placed(laid: Any, model: Any) -> tuple[Any, Any, Any]:
    device = next(model.parameters()).device
    return laid.ids.to(device), laid.mask.to(device), laid.labels.to(device)


def _adamw(weights: list[Any], lr: float) -> Any:
    import torch

    return torch.optim.AdamW(weights, lr=lr, weight_decay=0.0, fused=True)


def _finite(what: str, step: int, loss: float, norm: float) -> None:
    if not (math.isfinite(loss) and math.isfinite(norm)):
        raise FingroundError(
            f"{what}: at step {step} the loss is {loss} and the gradient's norm {norm}; nothing was saved, "
            "a lower lr or more warmup would help"
        )


def _progress(
    steps: Iterator[list[list[int]]], what: str, total: float, curve: list[tuple[int, float]]
) -> Iterator[list[list[int]]]:
    """The steps, with a bar that shows the last loss, on stderr where it is a terminal."""
    from tqdm import tqdm

    bar = tqdm(steps, desc=what, total=int(total), delay=2, leave=False, disable=not sys.stderr.isatty())
    for batches in bar:
        yield batches
        if curve:
            bar.set_postfix(loss=f"{curve[-1][1]:.3f}", refresh=False)
