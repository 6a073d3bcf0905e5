"""The loss: summed negative log-likelihood over the labelled positions alone, in chunks of rows.

The output layer is the dear part of a model with a large vocabulary. Logits are made for a chunk of labelled
positions, turned into their own gradient in place, and dropped; so there is no second pass and never more
than a chunk of logits. Equal to the full computation, with and without virtual tokens (case T12).

This module imports torch at its head, because its classes are torch's; import it inside functions only.
"""

from typing import Any

import torch
from torch import Tensor

from finground.lm.collate import UNLABELLED
from finground.lm.plan import ROWS


class _SummedLoss(torch.autograd.Function):  # type: ignore[misc]  # torch is untyped here
    """Sum of -log softmax(hidden @ weight.T)[label]; the gradients are made in the forward pass."""

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, labels: Tensor, rows: int) -> Tensor:
        """hidden [n, width], weight [vocabulary, width], labels int64 [n]; a float32 scalar."""
        total = torch.zeros((), dtype=torch.float32, device=hidden.device)
        d_hidden = torch.empty_like(hidden)
        d_weight = torch.zeros_like(weight, dtype=torch.float32) if ctx.needs_input_grad[1] else None
        for start in range(0, len(labels), rows):
            part, targets = hidden[start : start + rows], labels[start : start + rows, None]
            loss, slope = _of_chunk((part @ weight.T).float(), targets)
            total += loss.sum()
            slope.scatter_add_(1, targets, torch.full_like(targets, -1, dtype=slope.dtype))
            slope = slope.to(weight.dtype)
            torch.mm(slope, weight, out=d_hidden[start : start + rows])
            if d_weight is not None:
                d_weight += slope.T @ part
        ctx.save_for_backward(d_hidden, *([] if d_weight is None else [d_weight.to(weight.dtype)]))
        return total

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        """Both gradients times the slope of the sum."""
        saved = ctx.saved_tensors
        return saved[0] * slope, saved[1] * slope if len(saved) > 1 else None, None, None


def summed(hidden: Tensor, weight: Tensor, labels: Tensor, rows: int = ROWS) -> Tensor:
    """Summed loss of `labels` [n] given the hidden states [n, width] that predict them, with gradients."""
    total: Tensor = _SummedLoss.apply(hidden, weight, labels, rows)
    return total


def each(hidden: Tensor, weight: Tensor, labels: Tensor, rows: int = ROWS) -> Tensor:
    """Negative log-likelihood of every label, float32 [n]; call it where no gradients are kept."""
    parts = []
    for start in range(0, len(labels), rows):
        logits = (hidden[start : start + rows] @ weight.T).float()
        parts.append(_of_chunk(logits, labels[start : start + rows, None])[0][:, 0])
    return torch.cat(parts) if parts else hidden.new_zeros(0, dtype=torch.float32)


def _of_chunk(logits: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Loss [rows, 1] and softmax [rows, vocabulary] of logits, in their own memory; targets [rows, 1]."""
    picked, top = logits.gather(1, targets), logits.amax(1, keepdim=True)
    odds = logits.sub_(top).exp_()
    mass = odds.sum(1, keepdim=True)
    return mass.log() + top - picked, odds.div_(mass)


class Scored(torch.nn.Module):  # type: ignore[misc]  # torch is untyped here
    """A causal model, plain or with a peft adapter, whose forward pass is the summed loss of a batch.

    Training and evaluation both come through `forward`, as wrappers for several processes need it.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, mask: Tensor, labels: Tensor, by_row: bool = False) -> Tensor:
        """ids, mask, labels [batch, tokens] as `collate.batch` makes them; a float32 scalar.

        `by_row` gives float64 [batch] instead; ask for it where no gradients are kept.
        """
        hidden, labels = self._aligned(ids, mask, labels)
        kept = labels != UNLABELLED
        if not by_row:
            return summed(hidden[kept], head(self.model), labels[kept])
        losses = torch.zeros(labels.shape, dtype=torch.float64, device=labels.device)
        losses[kept] = each(hidden[kept], head(self.model), labels[kept]).double()
        return losses.sum(1)

    def _aligned(self, ids: Tensor, mask: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Hidden states beside the labels they predict: the state before a token predicts it."""
        hidden, virtual = states(self.model, ids, mask)
        return hidden[:, virtual : virtual + ids.shape[1] - 1], labels[:, 1:]


def states(model: Any, ids: Tensor, mask: Tensor) -> tuple[Tensor, int]:
    """Last hidden states [batch, virtual + tokens, width], and how many virtual tokens stand first."""
    causal = plain(model)
    inner = getattr(causal, causal.base_model_prefix)
    soft = virtual_prompt(model, len(ids))
    if soft is None:
        return inner(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state, 0
    tokens = causal.get_input_embeddings()(ids)
    embeds = torch.cat([soft.to(tokens.dtype), tokens], 1)
    mask = torch.cat([mask.new_ones(soft.shape[:2]), mask], 1)
    return inner(inputs_embeds=embeds, attention_mask=mask, use_cache=False).last_hidden_state, soft.shape[1]


def virtual_prompt(model: Any, size: int) -> Tensor | None:
    """The soft prompt [size, virtual, width] of a prompt-tuned model; None for any other."""
    config = getattr(model, "active_peft_config", None)
    if config is None or not config.is_prompt_learning:
        return None
    soft: Tensor = model.get_prompt(size)
    return soft


def plain(model: Any) -> Any:
    """The causal model under a peft adapter (with LoRA layers in place)."""
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def head(model: Any) -> Tensor:
    """The output weight [vocabulary, width]; no family of `adapter.KINDS` has a bias."""
    weight: Tensor = plain(model).get_output_embeddings().weight
    return weight
