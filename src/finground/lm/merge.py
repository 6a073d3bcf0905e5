"""Adapters merged into their base, and how far each way of merging is from what was trained (case T11).

QLoRA trains on weights rounded to 4 bits. Merged on the full-precision base, the model is better founded but
not the one trained; merged on the dequantised weights, it is the one trained, in full precision. Both can be
exported; `compare` says what they do to logits and to the loss.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from finground.core.artifact import whole_folder
from finground.core.errors import InputError
from finground.lm import adapter
from finground.lm.base import Loaded, load, write
from finground.lm.collate import Examples

On = Literal["full-precision", "dequantised"]


def export(base: Path, folder: Path, out: Path, *, on: On, dtype: str, about: dict[str, Any]) -> None:
    """Write the base with the LoRA adapter of `folder` merged into it, as a plain transformers folder.

    Raises:
        InputError: if the adapter is not LoRA, or belongs to another base.
    """
    model = merged(base, folder, on=on, dtype=dtype).model
    with whole_folder(out, {**about, "merged_on": on}) as temporary:
        write(model, base, temporary)


def merged(base: Path, folder: Path, *, on: On, dtype: str) -> Loaded:
    """The base with the LoRA adapter of `folder` in its weights."""
    plain = load(base, quant="none", dtype=dtype)
    if adapter.check(folder, plain.digest)["method"] != "lora":
        raise InputError(f"{folder} is a soft prompt, which has no weights to merge; give a LoRA adapter")
    if on == "dequantised":
        _dequantised(plain.model, load(base, quant="nf4", dtype=dtype).model)
    model = adapter.read(plain.model, folder, plain.digest).merge_and_unload()
    return Loaded(model, plain.tokenizer, plain.digest, 0)


def compare(
    base: Path, folder: Path, probe: Sequence[Sequence[int]], *, quant: str, dtype: str
) -> dict[str, float]:
    """Loss of the adapter beside its base and of each merged model on the texts of `probe`, token ids.

    Also the largest difference of any logit. One model is in memory at a time.
    """
    loaded = load(base, quant=quant, dtype=dtype)
    beside = adapter.read(loaded.model, folder, loaded.digest)
    right, loss = _logits(beside, probe), _loss(beside, probe, loaded.pad)
    del loaded, beside
    found = {"adapter.loss": loss}
    ways: tuple[On, ...] = ("full-precision", "dequantised") if quant == "nf4" else ("full-precision",)
    for on in ways:
        ready = merged(base, folder, on=on, dtype=dtype)
        found[f"merged.{on}.loss"] = _loss(ready.model, probe, ready.pad)
        far = max(
            float((ours - theirs).abs().max())
            for ours, theirs in zip(_logits(ready.model, probe), right, strict=True)
        )
        found[f"merged.{on}.largest_logit_difference"] = far
        del ready
    return found


def _dequantised(plain: Any, four_bit: Any) -> None:
    """Put the rounded weights of the 4-bit model into the plain one."""
    import torch
    from bitsandbytes.functional import dequantize_4bit

    with torch.no_grad():
        for name, module in four_bit.named_modules():
            if type(module).__name__ == "Linear4bit":
                place = plain.get_submodule(name)
                weight = dequantize_4bit(module.weight.data, module.weight.quant_state)
                # GPT-2 keeps its linear layers as [in, out]
                place.weight.copy_(weight.T if type(place).__name__ == "Conv1D" else weight)


def _loss(model: Any, probe: Sequence[Sequence[int]], pad: int) -> float:
    from finground.lm.loop import evaluate
    from finground.lm.loss import Scored

    examples = Examples([len(ids) for ids in probe], [1] * len(probe), lambda index: probe[index])
    losses = evaluate(Scored(model), examples, size=1, pad=pad)
    return sum(loss.nll_sum for loss in losses) / sum(loss.tokens for loss in losses)


def _logits(model: Any, probe: Sequence[Sequence[int]]) -> list[Any]:
    """float32 [tokens, vocabulary] of each text, on the CPU."""
    import torch

    from finground.lm.loss import head, states

    model.eval()
    found = []
    with torch.no_grad():
        for ids in probe:
            laid = torch.tensor([list(ids)], device=head(model).device)
            hidden, _ = states(model, laid, torch.ones_like(laid))
            found.append((hidden[0] @ head(model).T).float().cpu())
    return found
