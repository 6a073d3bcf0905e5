"""Tuning on pairs of prompt and target: soft prompts for the agent, LoRA for the writer, or every weight.

In: a base folder and rows (`datasets`, columns prompt and target). Out: an adapter folder that names its base
by digest. The loss is over the target and its one EOS; a row that does not fit is rejected with its reason.
Every kind of training goes through `fit`: rows checked, memory planned, base loaded, trained, resumed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from finground.core.artifact import whole_folder
from finground.lm import adapter as adapters
from finground.lm import checkpoint, device, plan, tokens
from finground.lm.base import Loaded, context, encode, load, planned, write
from finground.lm.collate import Kept
from finground.lm.ledger import Trained
from finground.lm.loop import Job, Note, evaluate, train
from finground.settings import Lora, PromptTuning, Training


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be trained, on which base, how, and where its run is kept (checkpoints, tokens)."""

    what: str
    method: str
    base: Path
    quant: str
    dtype: str
    seed: int
    keep: Path | None = None
    note: Note | None = None
    rank: int | None = None
    virtual_tokens: int | None = None
    belongs: Mapping[str, Any] = field(default_factory=dict)  # goes into the adapter's manifest, as it is


@dataclass(slots=True)
class Fitted:
    """A model that was trained, in memory; `end` it once it is saved."""

    model: Any
    trained: Trained
    about: dict[str, Any]
    checkpoints: checkpoint.Checkpoints | None

    def free(self) -> None:
        """Let go of the model."""
        self.model = None

    def end(self, extra: Mapping[str, float] | None = None) -> Trained:
        """What was saved needs no checkpoints any more; what happened, with what only the caller knows."""
        if self.checkpoints:
            self.checkpoints.clear()
        return replace(self.trained, extra={**self.trained.extra, **(extra or {})})


def fit(task: Task, kept: Kept, settings: Training, dress: Callable[[Loaded], Any]) -> Fitted:
    """Train what `dress` makes of the base; of several processes only the first comes back.

    Raises:
        InputError: if there is nothing to train on, it does not fit, or the checkpoints are of another run.
        FingroundError: if a loss or gradient is not finite.
    """
    kept.check()
    planned(task.base, _work(task, kept, settings))
    from finground.lm.loss import Scored

    loaded = load(task.base, quant=task.quant, dtype=task.dtype)
    examples, how = kept.examples, {"method": task.method, "quant": task.quant, "dtype": task.dtype}
    how |= {name: str(value) for name, value in task.belongs.items()}
    key = checkpoint.key(
        settings.model_dump(mode="json"), data=examples.digest, base=loaded.digest, seed=task.seed, how=how
    )
    checkpoints = checkpoint.Checkpoints(task.keep / "checkpoints", key) if task.keep else None
    with device.seeded(task.seed):
        model = dress(loaded)
        if task.method == "full":
            model.requires_grad_(True)
        if settings.gradient_checkpointing:
            loaded.model.gradient_checkpointing_enable({"use_reentrant": False})
        job = Job(task.what, loaded.pad, task.seed, task.note, checkpoints)
        done = train(Scored(model), kept, settings, job)
    device.leave_to_first()
    about = adapters.about(
        task.method,
        settings,
        loaded,
        data=examples.digest,
        seed=task.seed,
        quant=task.quant,
        dtype=task.dtype,
    )
    named = replace(done, four_bit_modules=loaded.four_bit_modules, base_digest=loaded.digest)
    return Fitted(model, named, {**about, **task.belongs}, checkpoints)


def prompt_tune(
    base: Path, rows: Any, settings: PromptTuning, *, out: Path, seed: int, quant: str = "none",
    dtype: str = "float32", about: Mapping[str, Any] | None = None, keep: Path | None = None,
    note: Note | None = None,
) -> Trained:  # fmt: skip
    """Train a soft prompt before a frozen base (Lester et al. 2021) and write it to `out`.

    Args:
        about: goes into the adapter's manifest: what else it belongs to, such as a catalogue's digest.
        keep: folder of the run, for its checkpoints and tokens.
        note: called after each step with its number and loss.

    Raises:
        InputError: if a row is empty or none fits.
        FingroundError: if a loss, gradient or weight is not finite; nothing is written.
    """
    count = settings.virtual_tokens
    task = Task(
        "prompt tuning", "soft prompt", base, quant, dtype, seed, keep, note, virtual_tokens=count,
        belongs=about or {},
    )  # fmt: skip

    def dress(loaded: Loaded) -> Any:
        first = encode(loaded.tokenizer, [settings.initial_text], start=False)[0]
        return adapters.soft_prompt(loaded.model, count, first)

    done = fit(task, _kept(base, rows, settings, keep), settings, dress)
    adapters.save(done.model, out, done.about, done.trained)
    return done.end()


def lora_tune(
    base: Path, rows: Any, settings: Lora, *, quant: str, dtype: str, out: Path, seed: int,
    about: Mapping[str, Any] | None = None, keep: Path | None = None, note: Note | None = None,
) -> Trained:  # fmt: skip
    """Train LoRA on every linear layer of the (quantised) base and write it to `out`; see `prompt_tune`."""
    task = Task("LoRA", "lora", base, quant, dtype, seed, keep, note, rank=settings.rank, belongs=about or {})
    kept = _kept(base, rows, settings, keep)
    done = fit(task, kept, settings, lambda loaded: adapters.lora(loaded.model, settings))
    adapters.save(done.model, out, done.about, done.trained)
    return done.end()


def full_tune(
    base: Path, rows: Any, settings: Training, *, dtype: str, out: Path, seed: int,
    keep: Path | None = None, note: Note | None = None,
) -> Trained:  # fmt: skip
    """Train every weight of a small base and write a model folder to `out`; see `prompt_tune`."""
    task = Task("full training", "full", base, "none", dtype, seed, keep, note)
    done = fit(task, _kept(base, rows, settings, keep), settings, lambda loaded: loaded.model)
    write_full(done, base, out)
    return done.end()


def write_full(done: Fitted, base: Path, out: Path) -> None:
    """A plain model folder with manifest and card out of a model whose every weight was trained.

    Raises:
        FingroundError: if a weight is not finite; nothing is written.
    """
    adapters.check_finite(dict(done.model.named_parameters()), out)
    with whole_folder(out, done.about) as temporary:
        write(done.model, base, temporary)
        adapters.describe(temporary, done.about, done.trained)


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
    from finground.lm.loss import Scored

    kept = _kept(base, rows, settings, None)
    kept.check()
    loaded = load(base, quant="none", dtype=dtype)
    model = adapters.read(loaded.model, adapter, loaded.digest) if adapter else loaded.model
    losses = evaluate(Scored(model), kept.examples, size=settings.batch, pad=loaded.pad)
    nll, count = sum(loss.nll_sum for loss in losses), sum(loss.tokens for loss in losses)
    return HeldOut(nll, count, len(losses), len(kept.rejected))


def _kept(base: Path, rows: Any, settings: Training, keep: Path | None) -> Kept:
    """The rows as examples that fit both max_tokens and, with the soft prompt, the model's context."""
    virtual = settings.virtual_tokens if isinstance(settings, PromptTuning) else 0
    return tokens.pairs(rows, base, min(settings.max_tokens, context(base) - virtual), keep)


def _work(task: Task, kept: Kept, settings: Training) -> plan.Work:
    rows, longest = min(settings.batch, len(kept.examples)), max(kept.examples.lengths)
    quant: Any = task.quant
    return plan.Work(
        quant, task.dtype, rows, longest, task.rank, task.virtual_tokens, settings.gradient_checkpointing
    )
