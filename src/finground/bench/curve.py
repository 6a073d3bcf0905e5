"""The agent's learning curve in the tables: exact match by fraction of its pairs, and a picture (floor 4)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from finground.bench.grid import pivot
from finground.bench.statistics import wilson_bars
from finground.records.score import ScoreRow

METRICS = ("exact_match", "f1_entities", "f1_primary", "f1_dates", "execution", "validity", "loss")


def points(
    learnt: Sequence[ScoreRow], scores: Sequence[ScoreRow], losses: Mapping[str, float]
) -> list[ScoreRow]:
    """Rows of every fraction, and of the whole: the last agent of the bench, here named `agent@1.0`."""
    whole = [row for row in learnt if "/" not in row.part]
    if not whole:
        return []
    system = list(losses)[-1]
    found = [row for row in scores if row.system == system and row.task == "request" and "/" not in row.part]
    loss = [replace(row, value=losses[system], system=system) for row in whole if row.metric == "loss"][:1]
    return [*whole, *(replace(row, system="agent@1.0") for row in (*loss, *found))]


def section(rows: Sequence[ScoreRow]) -> str:
    """One line a part and fraction."""
    if not rows:
        return ""
    note = (
        "Nested fractions of the training pairs, each with the same passes over its own; `loss` is of a "
        "target token on evaluation pairs. Drawn in plots/learning.png."
    )
    ordered = sorted(rows, key=_fraction)
    return f"## Agents: learning curve over the fraction of pairs\n\n{note}\n\n{pivot(ordered, METRICS)}"


def draw(rows: Sequence[ScoreRow], path: Path) -> None:
    """Exact match by fraction, a line a part, with Wilson's intervals."""
    if not rows:
        return
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    lines: dict[str, list[ScoreRow]] = defaultdict(list)
    for row in sorted(rows, key=_fraction):
        if row.metric == "exact_match":
            lines[row.part].append(row)
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for part, found in lines.items():
        values = [row.value for row in found]
        spread = wilson_bars([(row.value, row.n) for row in found])
        axes.errorbar(
            [_fraction(row) for row in found], values, yerr=spread, marker="o", capsize=3, label=part
        )
    axes.set_xlabel("fraction of the training pairs")
    axes.set_ylabel("exact match")
    axes.set_ylim(0, 1)
    axes.legend()
    axes.set_title("The agent by data fraction, 95% intervals")
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})
    pyplot.close(figure)


def _fraction(row: ScoreRow) -> float:
    return float(row.system.partition("@")[2])
