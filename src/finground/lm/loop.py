"""The one training loop: pretraining, prompt tuning, LoRA and full training all come through here.

In: a scored model, examples, settings, a seed. Out: the model trained in place, and what happened as
`Trained`. A step weighs every labelled token alike however the batches fall or over how many processes (case
T7), fails on a loss or gradient that is not finite (T5), and draws its dropout from (seed, step) alone, as
the order of examples comes from (seed, epoch) alone: so a run resumed anywhere is the run never stopped (T1).
"""

import logging
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from finground.core.errors import FingroundError, InputError
from finground.core.log import progress
from finground.lm import device
from finground.lm.checkpoint import Checkpoints
from finground.lm.collate import Examples, Kept, batch, epoch, shares, unlabelled
from finground.lm.ledger import Trained, ledger
from finground.lm.tensors import like, put, taken, whole
from finground.settings import Training

log = logging.getLogger(__name__)
Note = Callable[[int, float], None]


@dataclass(frozen=True, slots=True)
class Job:
    """What a training needs beside model, rows and settings: its name, the pad id, a seed.

    `note` is told the number and loss of each step, those before a resumption too.
    """

    what: str
    pad: int
    seed: int
    note: Note | None = None
    checkpoints: Checkpoints | None = None


@dataclass(frozen=True, slots=True)
class DocumentLoss:
    """Summed negative log-likelihood (nats) of a text, and of how many tokens."""

    nll_sum: float
    tokens: int


def train(scored: Any, kept: Kept, settings: Training, job: Job) -> Trained:
    """Train whatever parameters of `scored` require a gradient; goes on where a checkpoint of this run is.

    Raises:
        InputError: if there is nothing to train on, or the checkpoints are of another run.
        FingroundError: if a loss or gradient is not finite; the caller then saves nothing.
    """
    kept.check()
    run = _Run.begin(scored, kept.examples, settings, job)
    run.resume()
    run.go()
    run.finish()
    epochs = math.ceil(run.step / run.of_an_epoch)
    books = ledger(kept, run.seen, epochs=epochs, aside=list(run.aside.lengths))
    speed = books["tokens_trained"] / run.seconds
    log.info(
        "%s: %d steps, %d tokens, %.1f%% padding, loss %.3f to %.3f, %.1f s, %.0f tokens/s",
        job.what, run.step, books["tokens_trained"],
        100 * books["tokens_padded"] / (books["tokens_trained"] + books["tokens_padded"]),
        run.curve[0][1], run.curve[-1][1], run.seconds, speed,
    )  # fmt: skip
    return Trained(
        run.step, books, run.curve, run.seconds, speed, kept.rejected, run.validation,
        run.accelerator.num_processes, device.hardware(),
    )  # fmt: skip


def evaluate(scored: Any, examples: Examples, *, size: int, pad: int) -> list[DocumentLoss]:
    """The loss of each example, in their order; nothing is trained."""
    import torch

    scored.eval()
    found: dict[int, DocumentLoss] = {}
    order = sorted(range(len(examples)), key=lambda index: -examples.lengths[index])
    for start in progress(range(0, len(order), size), "scoring"):
        indices = order[start : start + size]
        with torch.no_grad():
            losses = scored(*_placed(batch(examples, indices, pad), scored), by_row=True).tolist()
        for index, loss in zip(indices, losses, strict=True):
            found[index] = DocumentLoss(loss, examples.labelled([index]))
    return [found[index] for index in range(len(examples))]


def pace(step: int, total: int, settings: Training) -> float:
    """Share of the learning rate at a step: linear warm-up, then as `schedule` says, down to 0 at the end."""
    warm = max(1, round(total * settings.warmup))
    if step + 1 <= warm:
        return (step + 1) / warm
    left = (total - step) / max(1, total - warm + 1)
    shapes = {"linear": left, "cosine": (1 - math.cos(math.pi * left)) / 2, "constant": 1.0}
    return shapes[settings.schedule]


@dataclass(slots=True)
class _Run:
    """A run on its way: the model being trained, and where it stands."""

    accelerator: Any
    model: Any
    optimizer: Any
    examples: Examples
    aside: Examples
    settings: Training
    job: Job
    weights: dict[str, Any]  # those that are trained, by name
    step: int = 0
    seconds: float = 0.0
    seen: Counter[str] = field(default_factory=Counter)
    curve: list[tuple[int, float]] = field(default_factory=list)
    validation: list[tuple[int, float]] = field(default_factory=list)
    best: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def begin(cls, scored: Any, examples: Examples, settings: Training, job: Job) -> "_Run":
        from accelerate import Accelerator

        accelerator = Accelerator(cpu=device.device() == "cpu")
        wanted = [weight for weight in scored.parameters() if weight.requires_grad]
        model, optimizer = accelerator.prepare(scored, device.optimizer(scored, wanted, settings.lr))
        weights = {
            name: weight
            for name, weight in accelerator.unwrap_model(model).named_parameters()
            if weight.requires_grad
        }
        trained, aside = _held_aside(examples, settings, job.seed)
        return cls(accelerator, model, optimizer, trained, aside, settings, job, weights)

    @property
    def of_an_epoch(self) -> int:
        """Steps of an epoch; a step never spans two."""
        batches = math.ceil(len(self.examples) / self.settings.batch)
        return math.ceil(batches / self.settings.accumulate)

    @property
    def total(self) -> int:
        """Steps of the run, should it not stop early."""
        return int(min(self.settings.max_steps or math.inf, self.settings.epochs * self.of_an_epoch))

    def resume(self) -> None:
        """Stand where the newest checkpoint of this run stood, if there is one."""
        found = self.job.checkpoints and self.job.checkpoints.load()
        if not found:
            return
        tensors, state = found
        put(tensors, state["scalars"], self.weights, self.optimizer)
        self.best = {name[5:]: tensor for name, tensor in tensors.items() if name.startswith("best/")}
        self.step, self.seconds, self.seen = state["step"], state["seconds"], Counter(state["seen"])
        for name in ("curve", "validation"):
            setattr(self, name, [(int(step), float(loss)) for step, loss in state[name]])
        log.info("%s: goes on after step %d of %d", self.job.what, self.step, self.total)
        if self.job.note:
            for step, loss in self.curve:
                self.job.note(step, loss)

    def go(self) -> None:
        """Every step that is left."""
        if self._enough():
            return
        self.model.train()
        began, before = time.perf_counter(), self.seconds
        for batches in self._progress():
            loss = self._step(batches)
            self.curve.append((self.step, loss))
            if self.job.note:
                self.job.note(self.step, loss)
            self.step += 1
            self._validate()
            self.seconds = before + time.perf_counter() - began
            if self.step % self.settings.save_every == 0 or self.step == self.total or self._enough():
                self._save()
            if self._enough():
                return

    def finish(self) -> None:
        """The best weights, if any were kept, gathered whole where they were sharded over processes."""
        import torch

        with torch.no_grad():
            for name, value in self.best.items():
                self.weights[name].copy_(like(value, self.weights[name]))
        for name, weight in self.weights.items():
            if hasattr(weight, "full_tensor"):
                module, _, last = name.rpartition(".")
                whole = torch.nn.Parameter(weight.full_tensor().detach())
                setattr(self.accelerator.unwrap_model(self.model).get_submodule(module), last, whole)

    def _step(self, batches: list[list[int]]) -> float:
        """One step of the optimiser; the mean loss of a labelled token, over all processes."""
        import torch

        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.lr * pace(self.step, self.total, self.settings)
        labelled = sum(self.examples.labelled(indices) for indices in batches)
        total = torch.zeros((), device=self.accelerator.device)
        for number, indices in enumerate(batches):
            with nullcontext() if number + 1 == len(batches) else self.accelerator.no_sync(self.model):
                total += self._backward(number, indices, labelled)
        norm = self.accelerator.clip_grad_norm_(list(self.weights.values()), self.settings.clip)
        summed = self.accelerator.reduce(total, "sum")
        loss = float(summed) / labelled
        _finite(self.job.what, self.step, loss, float(norm))
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss

    def _backward(self, number: int, indices: list[int], labelled: int) -> Any:
        """Gradients of this process's share of a batch; its summed loss.

        Processes average their gradients, so each weighs its part by their number.
        """
        import torch

        processes, place = self.accelerator.num_processes, self.accelerator.process_index
        parts = shares(indices, processes)
        mine = parts[place]
        laid = batch(self.examples, mine or indices[:1], self.job.pad)
        if not mine:
            laid = unlabelled(laid)
        torch.manual_seed(_draw(self.job.seed, self.step, number, place))
        loss = self.model(*_placed(laid, self.model))
        self.accelerator.backward(loss * (processes / labelled))
        self.seen.update(self.examples.count(parts, indices))
        return loss.detach()

    def _validate(self) -> None:
        """The loss on the rows held aside, when it is time; a better one keeps the weights."""
        import torch

        stopping = self.settings.stop_early
        if stopping is None or (self.step % stopping.every and self.step != self.total):
            return
        losses = evaluate(self.model, self.aside, size=self.settings.batch, pad=self.job.pad)
        self.model.train()
        found = sum(loss.nll_sum for loss in losses) / sum(loss.tokens for loss in losses)
        _finite(f"{self.job.what}, rows held aside", self.step, found, 0.0)
        # processes must agree to the last bit on when to stop
        mean = float(self.accelerator.reduce(torch.tensor(found, device=self.accelerator.device), "mean"))
        if all(mean < earlier for _, earlier in self.validation):
            self.best = {name: whole(weight) for name, weight in self.weights.items()}
        self.validation.append((self.step, mean))

    def _enough(self) -> bool:
        """Whether the loss on the rows held aside has stopped falling."""
        if self.settings.stop_early is None or not self.validation:
            return False
        losses = [loss for _, loss in self.validation]
        return len(losses) - 1 - losses.index(min(losses)) >= self.settings.stop_early.patience

    def _save(self) -> None:
        if self.job.checkpoints is None:
            return
        tensors, scalars = taken(self.weights, self.optimizer)
        tensors |= {f"best/{name}": value for name, value in self.best.items()}
        state = {
            "seconds": self.seconds, "seen": self.seen, "curve": self.curve, "validation": self.validation,
            "scalars": scalars,
        }  # fmt: skip
        self.job.checkpoints.save(self.step, tensors, state)

    def _steps(self) -> Iterator[list[list[int]]]:
        """The batches of each step that is left."""
        for number in range(self.step // self.of_an_epoch, self.settings.epochs):
            batches = epoch(self.examples.lengths, self.settings.batch, self.job.seed, number)
            skipped = self.step - number * self.of_an_epoch
            for start in range(skipped * self.settings.accumulate, len(batches), self.settings.accumulate):
                if self.step == self.total:
                    return
                yield batches[start : start + self.settings.accumulate]

    def _progress(self) -> Iterator[list[list[int]]]:
        """The steps, with a bar of loss, tokens/s and time left, on stderr where it is a terminal."""
        from tqdm import tqdm

        hidden = not (sys.stderr.isatty() and self.accelerator.is_main_process)
        began, before = time.perf_counter(), self.seen["tokens"]
        with tqdm(
            desc=self.job.what, initial=self.step, total=self.total, delay=2, leave=False, disable=hidden
        ) as bar:
            for batches in self._steps():
                yield batches
                speed = (self.seen["tokens"] - before) / (time.perf_counter() - began)
                bar.set_postfix(loss=f"{self.curve[-1][1]:.3f}", tokens=f"{speed:.0f}/s", refresh=False)
                bar.update()


def _held_aside(examples: Examples, settings: Training, seed: int) -> tuple[Examples, Examples]:
    """What is trained on, and what is held aside for early stopping (nothing, if that is not asked)."""
    if settings.stop_early is None:
        return examples, examples.subset([])
    order = list(range(len(examples)))
    random.Random(f"{seed}/aside").shuffle(order)
    count = math.ceil(len(examples) * settings.stop_early.share)
    if count == len(examples):
        raise InputError("stop_early holds aside every row; give more rows, or a smaller share")
    return examples.subset(sorted(order[count:])), examples.subset(sorted(order[:count]))


def _draw(*place: int) -> int:
    """The seed of what is drawn at one place of a run."""
    return random.Random("/".join(map(str, place))).getrandbits(63)


def _placed(laid: Any, model: Any) -> tuple[Any, Any, Any]:
    where = next(model.parameters()).device
    return laid.ids.to(where), laid.mask.to(where), laid.labels.to(where)


def _finite(what: str, step: int, loss: float, norm: float) -> None:
    if not (math.isfinite(loss) and math.isfinite(norm)):
        raise FingroundError(
            f"{what}: at step {step} the loss is {loss} and the gradient's norm {norm}; nothing was saved, "
            "a lower lr or more warmup would help"
        )
