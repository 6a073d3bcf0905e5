"""The agent trained on its pairs, or on a fraction of them: stage `agent` and its learning curve (floor 4).

Fractions are nested, each with the same passes over its own pairs; the whole is what the stage `agent` made.
"""

import math
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finground.answer import World
from finground.bench.ablate import nested
from finground.bench.agents import parts_of, score_replies, wanted_of
from finground.bench.cell import Scored, Trial
from finground.bench.requests import TASK_VERSION
from finground.catalog.dates import end_of
from finground.core.paths import Root
from finground.records.score import ScoreRow
from finground.roles import belongs, tuned_agent
from finground.settings import AgentTuning, Settings

if TYPE_CHECKING:
    from finground.lm.ledger import Trained
    from finground.lm.loop import Note
    from finground.lm.tune import HeldOut

EVALUATION = "evaluation"


def train_agent(
    world: World, root: Root, settings: Settings, kind: str, *, out: Path, fraction: float = 1.0,
    note: "Note | None" = None,
) -> "tuple[Trained, HeldOut]":  # fmt: skip
    """Tune the base of that kind on a fraction of the pairs, and take the loss on evaluation pairs."""
    from finground.lm.tune import held_out_loss, lora_tune, prompt_tune

    base, dtype, tuning = root.base(kind), settings.base.dtype, _of(settings.agent, fraction)
    train = nested(_rows(world, root, settings, "train"), fraction, settings.seed)
    how: dict[str, Any] = {
        "seed": settings.seed, "dtype": dtype, "note": note, "out": out,
        "about": {"catalog": world.catalog.digest, **belongs(world.catalog)},
        "keep": root.training(out.name.removeprefix(".tmp-")),
    }  # fmt: skip
    if tuning.method == "lora":
        trained = lora_tune(base, _dataset(train), tuning.lora, quant="none", **how)
    else:
        trained = prompt_tune(base, _dataset(train), tuning, **how)
    held_out = _rows(world, root, settings, EVALUATION)[: settings.bench.questions]
    return trained, held_out_loss(base, out, _dataset(held_out), tuning, dtype=dtype)


def cell(
    world: World, root: Root, settings: Settings, fraction: float, trial: Trial, note: "Note | None" = None
) -> "tuple[Scored, Trained]":
    """One point: train on the last of `agent.bases`, score on every test part. The adapter is not kept."""
    kind = settings.agent.bases[-1]
    adapter = root.agent(kind).parent / f".tmp-learning-{fraction}"
    try:
        trained, loss = train_agent(world, root, settings, kind, out=adapter, fraction=fraction, note=note)
        as_of = end_of(settings.snapshot.as_of)
        agent = tuned_agent(kind, world, root, settings, as_of, adapter=adapter)
        scored, parts = Scored(), parts_of(root, settings)
        wanted = wanted_of(parts, world)
        for part, pairs in parts.items():
            said = agent.replies(pairs, batch=settings.bench.batch)
            scored += score_replies(trial, part, said, pairs, wanted[part], world)[0]
    finally:
        shutil.rmtree(adapter, ignore_errors=True)
    rows = (_loss(trial, loss), *(replace(row, task=trial.task) for row in scored.rows))
    return Scored(rows, scored.replies), trained


def _of(tuning: AgentTuning, fraction: float) -> AgentTuning:
    """The same passes over fewer pairs."""
    steps = tuning.max_steps and math.ceil(fraction * tuning.max_steps)
    return tuning.model_copy(update={"max_steps": steps})


def _loss(trial: Trial, loss: "HeldOut") -> ScoreRow:
    counts = (loss.rows + loss.rejected, 0, loss.rejected, trial.seed, trial.commit, "templates")
    return ScoreRow(trial.system, trial.task, TASK_VERSION, EVALUATION, "loss", loss.mean, None, *counts)


def _rows(world: World, root: Root, settings: Settings, part: str) -> list[dict[str, str]]:
    from finground.agent.tune import rows
    from finground.context.pairs import read_pairs

    return rows(read_pairs(root.context, part), settings.agent.form, world.catalog)


def _dataset(rows: Sequence[dict[str, str]]) -> Any:
    from datasets import Dataset

    return Dataset.from_list(list(rows))
