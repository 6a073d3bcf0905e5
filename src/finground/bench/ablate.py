"""The writer on a fraction of the Stocksis pairs, and the ablation's cells (FinSphere, Table 3; floor 4).

Fractions are nested: for one seed the 20% are within the 50%, and so on (PAPERS P6). What counts here is
measured on companies and dates held out: the loss on the labels, what the reports get wrong, and what they
leave out.
"""

import math
import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from finground.answer import World
from finground.bench.cell import Scored, Trial
from finground.bench.reports import TASK_VERSION, held_out, score_writer
from finground.bench.systems import labels_of
from finground.core.paths import Root
from finground.records.report import WriterPair
from finground.records.score import ScoreRow
from finground.roles import tuned_writer
from finground.settings import Settings
from finground.stocksis.build import pairs
from finground.stocksis.split import PARTS

if TYPE_CHECKING:
    from finground.lm.ledger import Trained
    from finground.lm.loop import Note
    from finground.lm.tune import HeldOut

T = TypeVar("T")


def nested(items: Sequence[T], fraction: float, seed: int) -> list[T]:
    """The first `fraction` of a seeded order of the items: smaller fractions lie within larger ones."""
    order = list(range(len(items)))
    random.Random(seed).shuffle(order)
    return [items[i] for i in sorted(order[: math.ceil(fraction * len(items))])]


def train_writer(
    root: Root, settings: Settings, *, fraction: float, seed: int, out: Path, note: "Note | None" = None
) -> "tuple[Trained, dict[str, HeldOut]]":
    """LoRA on a fraction of the pairs; the training, and the loss on each test part that has pairs."""
    from finground.lm.tune import held_out_loss, lora_tune

    chosen = nested(pairs(root.stocksis, "train"), fraction, seed)
    trained = lora_tune(
        root.base("domain"),
        _dataset(chosen),
        settings.writer,
        quant=settings.writer.quant,
        dtype=settings.base.dtype,
        out=out,
        seed=seed,
        keep=root.training(out.name.removeprefix(".tmp-")),
        note=note,
    )
    unseen = {part: pairs(root.stocksis, part) for part in PARTS[1:]}
    base, dtype = root.base("domain"), settings.base.dtype
    return trained, {
        part: held_out_loss(base, out, _dataset(held), settings.writer, dtype=dtype)
        for part, held in unseen.items()
        if held
    }


def cell(
    world: World, root: Root, settings: Settings, fraction: float, trial: Trial, note: "Note | None" = None
) -> "tuple[Scored, Trained]":
    """One cell: train, then score what it writes about the unseen. The adapter is not kept."""
    adapter = root.domain.parent / f".tmp-ablate-{fraction}-{trial.seed}"
    try:
        trained, losses = train_writer(
            root, settings, fraction=fraction, seed=trial.seed, out=adapter, note=note
        )
        writer = tuned_writer(adapter, root, settings)
        train = pairs(root.stocksis, "train")
        held = held_out(root, settings.ablate.reports)
        scored = score_writer(trial, writer, held, world, labels=labels_of(train))
    finally:
        shutil.rmtree(adapter, ignore_errors=True)
    rows = [
        _loss_row(trial, part, loss, labels_of([*train, *pairs(root.stocksis, part)]))
        for part, loss in losses.items()
    ]
    return Scored(tuple(rows)) + scored, trained


def _loss_row(trial: Trial, part: str, loss: "HeldOut", labels: str) -> ScoreRow:
    """Its n counts the rows that did not fit, as truncated; a loss is taken on labels, and they count too."""
    counts = (loss.rows + loss.rejected, 0, loss.rejected, trial.seed, trial.commit, labels)
    return ScoreRow(trial.system, trial.task, TASK_VERSION, part, "loss", loss.mean, None, *counts)


def _dataset(rows: Sequence[WriterPair]) -> Any:
    from datasets import Dataset

    return Dataset.from_list([{"prompt": row.prompt, "target": row.target} for row in rows])
