"""The writer on a fraction of the Stocksis pairs, and the ablation's cells (FinSphere, Table 3; floor 4).

Fractions are nested: for one seed the 20% are within the 50%, and so on (PAPERS P6). What counts here is
measured on companies and dates held out: the loss on the labels, what the reports get wrong, and what they
leave out.
"""

import math
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from finground.answer import World
from finground.bench.cell import Scored, Trial, held_out, score_writer
from finground.core.paths import Root
from finground.records.report import WriterPair
from finground.records.score import ScoreRow
from finground.roles import tuned_writer
from finground.settings import Settings
from finground.stocksis import PARTS, pairs

if TYPE_CHECKING:
    from finground.lm.loop import Trained

T = TypeVar("T")


def nested(items: Sequence[T], fraction: float, seed: int) -> list[T]:
    """The first `fraction` of a seeded order of the items: smaller fractions lie within larger ones."""
    order = list(range(len(items)))
    random.Random(seed).shuffle(order)
    return [items[i] for i in sorted(order[: math.ceil(fraction * len(items))])]


def train_writer(
    root: Root, settings: Settings, *, fraction: float, seed: int, out: Path
) -> "tuple[Trained, dict[str, float]]":
    """LoRA on a fraction of the pairs; the training, and the loss per label token on each test part."""
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
    )
    losses = {}
    for part in PARTS[1:]:
        unseen = _dataset(pairs(root.stocksis, part))
        if len(unseen):
            loss = held_out_loss(root.base("domain"), out, unseen, settings.writer)
            losses[f"{part}.loss"] = loss.nll_sum / max(loss.tokens, 1)
    return trained, losses


def cell(
    world: World, root: Root, settings: Settings, fraction: float, trial: Trial
) -> "tuple[Scored, Trained]":
    """One cell: train, then score what it writes about the unseen. The adapter is not kept."""
    with tempfile.TemporaryDirectory(dir=root.domain.parent, prefix=".tmp-ablate-") as folder:
        adapter = Path(folder) / "adapter"
        trained, losses = train_writer(root, settings, fraction=fraction, seed=trial.seed, out=adapter)
        writer = tuned_writer(adapter, root, settings)
        scored = score_writer(trial, writer, held_out(root, settings.ablate.reports), world)
    return Scored(
        tuple(_loss_row(trial, root, key, value) for key, value in losses.items())
    ) + scored, trained


def _loss_row(trial: Trial, root: Root, key: str, value: float) -> ScoreRow:
    part = key.removesuffix(".loss")
    counts = (len(pairs(root.stocksis, part)), 0, 0, trial.seed, trial.commit, "template-writer")
    return ScoreRow(trial.system, trial.task, 1, part, "loss", value, None, *counts)


def _dataset(rows: Sequence[WriterPair]) -> Any:
    from datasets import Dataset

    return Dataset.from_list([{"prompt": row.prompt, "target": row.target} for row in rows])
