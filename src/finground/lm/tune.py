"""Tuning on pairs of prompt and target: soft prompts for the agent, LoRA for the writer.

In: a base folder and rows (`datasets`, columns prompt and target). Out: an adapter folder that names its base
by digest. The loss is over the target and its one EOS; a row that does not fit is rejected with its reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from finground.lm import adapter as adapters
from finground.lm import collate, device
from finground.lm.base import context, encode, load, tokenizer
from finground.lm.loop import Note, Trained, evaluate, train
from finground.settings import Lora, PromptTuning, Training


def prompt_tune(
    base: Path, rows: Any, settings: PromptTuning, *, out: Path, seed: int, text: str = "",
    quant: str = "none", dtype: str = "float32", about: Mapping[str, Any] | None = None,
    note: Note | None = None,
) -> Trained:  # fmt: skip
    """Train a soft prompt before a frozen base (Lester et al. 2021) and write it to `out`.

    Args:
        text: what the soft prompt starts from; empty: tokens drawn from the vocabulary.
        about: goes into the adapter's manifest: what else it belongs to, such as a catalogue's digest.
        note: called after each step with its number and loss.

    Raises:
        InputError: if a row is empty or none fits.
        FingroundError: if a loss, gradient or weight is not finite; nothing is written.
    """
    kept = _kept(base, rows, settings)
    kept.check()
    loaded = load(base, quant=quant, dtype=dtype)
    with device.seeded(seed):
        first = encode(loaded.tokenizer, [text], start=False)[0]
        tuned = adapters.soft_prompt(loaded.model, settings.virtual_tokens, first)
        done = train(
            _scored(tuned), kept, settings, pad=loaded.pad, seed=seed, what="prompt tuning", note=note
        )
    belongs = adapters.about("soft prompt", settings, loaded, seed=seed, quant=quant, dtype=dtype)
    adapters.save(tuned, out, {**belongs, "text": text, **(about or {})})
    return adapters.finish(done, loaded)


def lora_tune(
    base: Path, rows: Any, settings: Lora, *, quant: str, dtype: str, out: Path, seed: int,
    about: Mapping[str, Any] | None = None, note: Note | None = None,
) -> Trained:  # fmt: skip
    """Train LoRA on every linear layer of the (quantised) base and write it to `out`; see `prompt_tune`."""
    kept = _kept(base, rows, settings)
    kept.check()
    loaded = load(base, quant=quant, dtype=dtype)
    with device.seeded(seed):
        tuned = adapters.lora(loaded.model, settings)
        done = train(_scored(tuned), kept, settings, pad=loaded.pad, seed=seed, what="LoRA", note=note)
    belongs = adapters.about("lora", settings, loaded, seed=seed, quant=quant, dtype=dtype)
    adapters.save(tuned, out, {**belongs, **(about or {})})
    return adapters.finish(done, loaded)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Summed loss (nats) of targets that training never saw, their tokens, and rows scored and left out."""

    nll_sum: float
    tokens: int
    rows: int
    rejected: int

    @property
    def mean(self) -> float:
        """Loss of a token."""
        return self.nll_sum / self.tokens


def held_out_loss(
    base: Path, adapter: Path | None, rows: Any, settings: Training, *, dtype: str = "float32"
) -> HeldOut:
    """The loss on rows that training never saw; those that do not fit stay out and are counted.

    Raises:
        InputError: if no row fits, or the adapter belongs to another base.
    """
    kept = _kept(base, rows, settings)
    kept.check()
    loaded = load(base, quant="none", dtype=dtype)
    model = adapters.read(loaded.model, adapter, loaded.digest) if adapter else loaded.model
    losses = evaluate(_scored(model), kept, size=settings.batch, pad=loaded.pad)
    nll, tokens = sum(loss.nll_sum for loss in losses), sum(loss.tokens for loss in losses)
    return HeldOut(nll, tokens, len(losses), len(kept.rejected))


def _kept(base: Path, rows: Any, settings: Training) -> collate.Kept:
    """The rows as examples that fit both max_tokens and, with the soft prompt, the model's context."""
    collate.check_rows(rows)
    words = tokenizer(base)
    virtual = settings.virtual_tokens if isinstance(settings, PromptTuning) else 0
    limit = min(settings.max_tokens, context(base) - virtual)
    return collate.pairs(
        rows, lambda texts, start: encode(words, texts, start=start), words.eos_token_id, limit
    )


def _scored(model: Any) -> Any:
    from finground.lm.loss import Scored

    return Scored(model)
