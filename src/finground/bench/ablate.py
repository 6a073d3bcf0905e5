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
from typing import TYPE_CHECKING, TypeVar

from finground.answer import World, Writer
from finground.bench.cell import score_writer
from finground.core.paths import Root
from finground.records.report import WriterPair
from finground.records.score import ScoreRow
from finground.settings import Settings
from finground.stocksis import pairs

if TYPE_CHECKING:
    from finground.lm.loop import Trained

T = TypeVar("T")
TEST_PARTS = ("new-time", "new-company")


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
        quant=settings.base.quant,
        dtype=settings.base.dtype,
        out=out,
        seed=seed,
    )
    losses = {}
    for part in TEST_PARTS:
        held_out = pairs(root.stocksis, part)[: settings.bench.reports]
        loss = held_out_loss(root.base("domain"), out, _dataset(held_out), settings.writer)
        losses[f"{part}.loss"] = loss.nll_sum / max(loss.tokens, 1)
    return trained, losses


def cell(
    world: World, root: Root, settings: Settings, fraction: float, seed: int, commit: str
) -> "tuple[list[ScoreRow], Trained]":
    """One cell: train, then score what it writes about the unseen. The adapter is not kept."""
    with tempfile.TemporaryDirectory(dir=root.domain.parent, prefix=".tmp-ablate-") as folder:
        adapter = Path(folder) / "adapter"
        trained, losses = train_writer(root, settings, fraction=fraction, seed=seed, out=adapter)
        system = f"writer@{fraction}"
        rows = []
        for key, value in losses.items():
            part = key.partition(".")[0]
            n = min(len(pairs(root.stocksis, part)), settings.bench.reports)
            rows.append(
                ScoreRow(
                    system, "ablation", 1, part, "loss", value, None, n, 0, 0, seed, commit, "template-writer"
                )
            )
        for part in TEST_PARTS:
            held_out = pairs(root.stocksis, part)[: settings.ablate.reports]
            rows += score_writer(
                system, "ablation", part, held_out, _writer(root, adapter, settings), world, seed, commit
            )
    return rows, trained


def _writer(root: Root, adapter: Path, settings: Settings) -> Writer:
    from finground.lm.generate import Generator
    from finground.report.tuned import TunedWriter

    return TunedWriter(Generator.open(root.base("domain"), adapter), settings.bench.new_tokens)


def _dataset(rows: Sequence[WriterPair]) -> "object":
    from datasets import Dataset

    return Dataset.from_list([{"prompt": row.prompt, "target": row.target} for row in rows])
