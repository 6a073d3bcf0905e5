"""The ablation in the tables: FinSphere's Table 3 over seeds with intervals, and its plot (floor 4).

What counts is measured against data: errors of grounding, figures right, dimensions covered. AnalyScore
stands beside them, named imitation where labels are the template writer's.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev

from finground.analyscore import published
from finground.analyscore.rubric import MAXIMA
from finground.bench.grid import Cell, grid
from finground.bench.statistics import t_interval
from finground.core.artifact import write_table
from finground.records.score import ScoreRow
from finground.stocksis.pair import TEMPLATE

AGAINST_DATA = ("loss", "ungrounded", "figures_right", "coverage", "words")
ANALYSCORE = ("eligible", *MAXIMA, "total")
DRAWN = {
    "loss": "loss per label token", "ungrounded": "grounding errors a report",
    "figures_right": "share of figures right", "coverage": "dimensions covered",
}  # fmt: skip
Values = dict[tuple[str, str], dict[str, list[float]]]  # by fraction and part, then metric: one value a seed


def ablation(cells: Sequence[ScoreRow]) -> str:
    """Fractions of the pairs over seeds, beside FinSphere's table 3."""
    grouped = _grouped(cells)
    imitation = any(row.labels == TEMPLATE for row in cells)
    seeds = len({row.seed for row in cells})
    graded = "AnalyScore (*imitation* of the template writer, no quality)" if imitation else "AnalyScore"
    theirs = grid(
        ["FinSphere, Table 3", *ANALYSCORE], [list(row.values()) for row in published.tables()["finsphere_3"]]
    )
    return (
        f"## Ablation: fractions of the Stocksis pairs, nested, {seeds} seeds (FinSphere, Table 3)\n\n"
        "Mean over seeds with its 95% interval (Student), on companies and dates held out; "
        "drawn in plots/ablation.png.\n\n"
        f"{_over_seeds(grouped, AGAINST_DATA)}\n\n{graded}:\n\n{_over_seeds(grouped, ANALYSCORE)}\n\n{theirs}"
    )


def plots(folder: Path, cells: Sequence[ScoreRow]) -> None:
    """CSV for `dvc plots`, and the ablation as a picture."""
    found: dict[tuple[float, int, str], dict[str, float]] = defaultdict(dict)
    for row in cells:
        found[float(row.system.partition("@")[2]), row.seed, row.part][row.metric] = row.value
    lines = [(*key, *(values.get(metric, "") for metric in DRAWN)) for key, values in sorted(found.items())]
    write_table(folder / "ablation.csv", ("fraction", "seed", "part", *DRAWN), lines)
    _draw(_grouped(cells), folder / "ablation.png")


def _grouped(cells: Sequence[ScoreRow]) -> Values:
    grouped: Values = defaultdict(lambda: defaultdict(list))
    for row in cells:
        grouped[row.system.partition("@")[2], row.part][row.metric].append(row.value)
    return grouped


def _over_seeds(grouped: Values, metrics: Sequence[str]) -> str:
    rows: list[list[Cell]] = [
        [f"{float(fraction):.0%}", part, *(_interval(values.get(metric, [])) for metric in metrics)]
        for (fraction, part), values in sorted(grouped.items())
    ]
    return grid(["pairs", "part", *metrics], rows)


def _interval(values: Sequence[float]) -> str:
    if not values:
        return "–"
    low_high = _ends(values)
    return f"{mean(values):.3f}" + (f" ({low_high[0]:.3f} … {low_high[1]:.3f})" if low_high else "")


def _ends(values: Sequence[float]) -> tuple[float, float] | None:
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
    return t_interval(mean(values), error, len(values))


def _draw(grouped: Values, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(2, 2, figsize=(9, 6), sharex=True)
    for axes, (metric, label) in zip(panels.flat, DRAWN.items(), strict=True):
        for part in sorted({part for _, part in grouped}):
            points = {
                float(fraction): grouped[fraction, of][metric] for fraction, of in grouped if of == part
            }
            fractions = sorted(fraction for fraction, values in points.items() if values)
            middles = [mean(points[fraction]) for fraction in fractions]
            ends = [
                _ends(points[fraction]) or (middle, middle)
                for fraction, middle in zip(fractions, middles, strict=True)
            ]
            spread = [
                [m - low for m, (low, _) in zip(middles, ends, strict=True)],
                [high - m for m, (_, high) in zip(middles, ends, strict=True)],
            ]
            axes.errorbar(fractions, middles, yerr=spread, marker="o", capsize=3, label=part)
        axes.set_ylabel(label)
    for axes in panels[-1]:
        axes.set_xlabel("fraction of the Stocksis pairs")
    panels.flat[0].legend()
    figure.suptitle("Writer by data fraction: mean over seeds, 95% intervals")
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})
    pyplot.close(figure)
