"""What fits, decided before anything loads: memory of weights, adapter, activations and loss, estimated.

In: the shapes of a model's weights (out of the headers of its files), and what is to be done with it. Out: a
plan that is printed, or one sentence that says what does not fit and what would.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Literal

from finground.core.errors import InputError
from finground.lm import device

log = logging.getLogger(__name__)
BYTES = {"float32": 4, "bfloat16": 2}
# 4 bits a weight, 8 more for a block of 64, 32 more for 256 of those (Dettmers et al. 2023, section 3)
NF4_BYTES = 0.5 + 1 / 64 + 4 / (64 * 256)
ROWS = 128  # of logits that are made at a time (`loss.py`)
LIBRARIES = 0.7e9  # interpreter and libraries, or a CUDA context
TRAINED = 16  # bytes of a trained float32 weight, its gradient and AdamW's two moments


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done: `rows` × `tokens` at a time; `trained` weights, or all of them (None)."""

    quant: Literal["nf4", "none"]
    dtype: str
    rows: int
    tokens: int
    rank: int | None = None
    virtual_tokens: int | None = None
    gradient_checkpointing: bool = False


@dataclass(frozen=True, slots=True)
class Model:
    """Sizes of a model: its linear layers [out, in], all its parameters, its embedding [words, width]."""

    linear: Sequence[tuple[int, int]]
    parameters: int
    vocabulary: int
    width: int
    layers: int
    eager_heads: int  # heads whose scores are kept whole for the backward pass; 0 with fused attention

    @classmethod
    def of(cls, shapes: Mapping[str, tuple[int, ...]], kinds: Sequence[str], eager_heads: int) -> "Model":
        """Out of the shapes of its tensors and the names of its family's linear layers."""
        two = {name: (shape[0], shape[1]) for name, shape in shapes.items() if len(shape) == 2}
        linear = {name: shape for name, shape in two.items() if name.split(".")[-2:-1][0] in kinds}
        words, width = max((shape for name, shape in two.items() if name not in linear), key=prod)
        return cls(
            tuple(linear.values()), sum(prod(shape) for shape in shapes.values()), words, width,
            len(linear) // len(kinds), eager_heads,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plan:
    """Bytes that the work is expected to need at its peak, by what needs them."""

    weights: float
    trained: float
    activations: float
    loss: float

    @property
    def bytes(self) -> float:
        """All of it, with libraries."""
        return self.weights + self.trained + self.activations + self.loss + LIBRARIES

    @classmethod
    def of(cls, model: Model, work: Work) -> "Plan":
        """The estimate."""
        size, linear = BYTES[work.dtype], sum(map(prod, model.linear))
        nf4 = work.quant == "nf4"
        weights = (model.parameters - linear) * size + linear * (NF4_BYTES if nf4 else size)
        if nf4:
            weights += max(map(prod, model.linear)) * size  # one layer at a time is dequantised
        return cls(weights, _trained(model, work), _activations(model, work) * size, _loss(model, size))


def check(model: Model, work: Work, where: Path) -> Plan:
    """The plan of this work on the device at hand, printed.

    Raises:
        InputError: if it does not fit; names what would.
    """
    plan, room = Plan.of(model, work), available()
    if plan.bytes > room:
        raise InputError(
            f"{where} does not fit: {_words(work)} would need about {_gb(plan.bytes)} and "
            f"{device.device()} has {_gb(room)} free; {_what_would(model, work, room)}"
        )
    log.info(
        "plan: %.3g B parameters, %s, on %s%s; about %s of %s "
        "(weights %s, trained %s, activations %s, loss %s)",
        model.parameters / 1e9, _words(work), device.hardware(),
        f" × {device.processes()}" if device.processes() > 1 else "", _gb(plan.bytes), _gb(room),
        *map(_gb, (plan.weights, plan.trained, plan.activations, plan.loss)),
    )  # fmt: skip
    _hints(work)
    return plan


def available() -> float:
    """Bytes free on the device of this process; on a CPU within what its container may use."""
    import torch

    if (where := device.device()) != "cpu":
        return float(torch.cuda.mem_get_info(where)[0])
    memory = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    free = float(memory["MemAvailable"].split()[0]) * 1024
    limit, used = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")
    if limit.is_file() and used.is_file() and (most := limit.read_text().strip()) != "max":
        free = min(free, float(most) - float(used.read_text()))
    return free


def _trained(model: Model, work: Work) -> float:
    if work.rank is not None:
        return TRAINED * work.rank * sum(map(sum, model.linear))
    if work.virtual_tokens is not None:
        return TRAINED * work.virtual_tokens * model.width
    return (TRAINED - BYTES[work.dtype]) * model.parameters


def _activations(model: Model, work: Work) -> float:
    """Numbers kept for the backward pass: what goes into and out of each linear layer, norms, scores."""
    tokens = work.rows * (work.tokens + (work.virtual_tokens or 0))
    layer = tokens * (sum(map(sum, model.linear)) / model.layers + 4 * model.width)
    layer += 3 * work.rows * model.eager_heads * (work.tokens + (work.virtual_tokens or 0)) ** 2
    if work.gradient_checkpointing:
        return layer + model.layers * tokens * model.width
    return layer * model.layers


def _loss(model: Model, size: int) -> float:
    """A chunk of logits in float32, and in the number type where that is another."""
    return ROWS * model.vocabulary * (4 + (0 if size == 4 else 2 * size))


def _what_would(model: Model, work: Work, room: float) -> str:
    """The first single change that makes it fit."""
    changes = {
        "gradient_checkpointing: true": replace(work, gradient_checkpointing=True),
        "quant: nf4": replace(work, quant="nf4") if work.rank is not None else work,
        "dtype: bfloat16": replace(work, dtype="bfloat16"),
        "batch: 1": replace(work, rows=1),
        "batch: 1 with gradient_checkpointing: true": replace(work, rows=1, gradient_checkpointing=True),
    }
    for words, changed in changes.items():
        if changed != work and (need := Plan.of(model, changed).bytes) <= room:
            return f"{words} would ({_gb(need)})"
    return "give a machine with more memory, or a smaller base"


def _hints(work: Work) -> None:
    import torch

    gpus = torch.cuda.device_count()
    if gpus > 1 and device.processes() == 1 and device.device() != "cpu":
        log.info("%d GPUs are here and one is used; `accelerate launch` uses them all", gpus)
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").is_file() else ""
    if (
        device.device() == "cpu"
        and work.dtype == "bfloat16"
        and not ("avx512_bf16" in flags or "amx_bf16" in flags)
    ):
        log.warning("bfloat16 on this CPU is computed without its own units, many times slower than float32")


def _words(work: Work) -> str:
    return f"{'nf4 in ' if work.quant == 'nf4' else ''}{work.dtype}, {work.rows} × {work.tokens} tokens"


def _gb(size: float) -> str:
    return f"{size / 1e9:.2f} GB"
