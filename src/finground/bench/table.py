"""The papers' tables, ours beside theirs, as markdown; plots, as CSV for DVC and PNG to look at (floor 4).

Each row carries n and a standard error; a score on labels that came from the scored system is named
*imitation*.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from finground.analyscore import published
from finground.bench import curve, requesting, sweep, writers
from finground.bench.grid import Cell, grid
from finground.core.artifact import read_json, read_rows, whole_file, whole_folder
from finground.core.paths import Root
from finground.records.score import Comparison, KeptReply, ScoreRow
from finground.settings import Settings

COMMANDS = {"demo": "make demo", "small": "make real RAW=FOLDER", "paper": "finground run all"}


def write(root: Root, settings: Settings) -> dict[str, float]:
    """Write results/table.md and the plots; returns how many rows stand behind them."""
    scores = list(read_rows(root.scores, ScoreRow))
    compared = list(read_rows(root.comparisons, Comparison))
    cells = [row for path in _cells(root, settings) for row in read_rows(path, ScoreRow)]
    learnt = [
        row
        for fraction in settings.learning.fractions
        for row in read_rows(root.learning(str(fraction)), ScoreRow)
    ]
    losses = _losses(root, settings)
    parts = [
        head(settings, scores),
        corpus(read_json(root.corpus / "ledger.json")),
        perplexity(read_json(root.metrics("pretrain"))),
        requesting.agents(scores, losses, compared),
        curve.section(curve.points(learnt, scores, losses)),
        requesting.worst(list(read_rows(root.replies("bench"), KeptReply))),
        writers.analyscore(scores),
        writers.compared([row for row in compared if row.metric != "exact_match"]),
        writers.held_out(scores),
        sweep.ablation(cells),
        contradictions(),
        f"## Settings (params.yaml)\n\n```yaml\n{root.params.read_text().strip()}\n```",
    ]
    with whole_file(root.table) as temporary:
        temporary.write_text("\n\n".join(part for part in parts if part) + "\n")
    with whole_folder(root.plots) as folder:
        sweep.plots(folder, cells)
        requesting.draw(scores, folder / "agents.png")
        curve.draw(curve.points(learnt, scores, losses), folder / "learning.png")
    return {"score_rows": len(scores), "ablation_rows": len(cells)}


def _cells(root: Root, settings: Settings) -> list[Path]:
    """The ablation's files of these settings; others may lie beside them."""
    ablate = settings.ablate
    return [root.ablation(f"{fraction}-{seed}") for fraction in ablate.fractions for seed in ablate.seeds]


def head(settings: Settings, scores: Sequence[ScoreRow]) -> str:
    """What was run, on what, with what."""
    made = (
        "**invented companies; no figure here is real**"
        if settings.sample
        else f"raw files in `{settings.raw}`"
    )
    commit = "`, `".join(sorted({row.commit for row in scores}))
    sizes = (
        f"{settings.stocksis.pairs} writer pairs, {settings.context.pairs} request pairs, "
        f"{settings.bench.questions} questions and {settings.bench.reports} reports a cell, "
        f"{settings.pretrain.max_steps or 'all'} pretraining steps"
    )
    return (
        f"# Results: profile `{settings.profile}`\n\n"
        f"Base `{settings.base.name}` ({settings.pretrain.quant} in pretraining), {made}. {sizes}. "
        f"Seed {settings.seed}, commit `{commit}`, snapshot as of {settings.snapshot.as_of}. "
        f"Command: `{COMMANDS[settings.profile]}`.\n\n"
        "± is one standard error; n counts every item, unread replies included."
    )


def corpus(ledger: dict[str, Any]) -> str:
    """Table 4 of FinBloom for our corpus, and the ledger of domain pretraining."""
    rows: list[list[Cell]] = [
        [f"ours: {row['source']}", row["documents"], row["mean_words"], row["mean_tokens"], row["period"]]
        for row in ledger["table"]
    ]
    rows += [
        [
            f"FinBloom: {row['dataset']}",
            row["documents"],
            row["mean_words"],
            row["mean_tokens"],
            row["period"],
        ]
        for row in published.tables()["finbloom_4"]
    ]
    table = grid(["corpus", "documents", "mean words", "mean tokens", "period"], rows)
    documents, tokens = _lines(ledger["documents"]), _lines(ledger["tokens"])
    kept = grid(
        ["ledger", "documents", "tokens"],
        [[key, documents.get(key), tokens.get(key)] for key in tokens | documents],
    )
    return f"## Corpus (FinBloom, Table 4)\n\n{table}\n\nLedger of domain pretraining:\n\n{kept}"


def _lines(column: dict[str, Any]) -> dict[str, int]:
    """The ledger's column flat: in, trained, `dropped: too short`, …"""
    flat: dict[str, int] = {}
    for key, value in column.items():
        inner = value.items() if isinstance(value, dict) else [("", value)]
        flat |= {f"{key.replace('_', ' ')}: {name}" if name else key: count for name, count in inner}
    return flat


def perplexity(metrics: dict[str, float]) -> str:
    """Plain against adapted, on documents held out by date and by source."""
    rows: list[list[Cell]] = []
    for part in ("by-date", "by-source"):
        if f"{part}.plain" in metrics:
            interval = f"{metrics[f'{part}.ratio_low']:.4f} … {metrics[f'{part}.ratio_high']:.4f}"
            plain, adapted, ratio = (metrics[f"{part}.{name}"] for name in ("plain", "adapted", "ratio"))
            rows.append([part, plain, adapted, ratio, interval, metrics[f"{part}.documents"]])
    head = ["held out", "plain", "adapted", "adapted / plain", "95% interval (paired)", "documents"]
    return f"## Domain adaptation: perplexity on held-out documents\n\n{grid(head, rows)}"


def _losses(root: Root, settings: Settings) -> dict[str, float]:
    """Mean loss per target token of each agent on evaluation pairs."""
    suffix = "" if settings.agent.method == "prompt" else f"-{settings.agent.method}"
    stages = {
        f"agent-{kind}{suffix}": read_json(root.metrics(f"agent@{kind}")) for kind in settings.agent.bases
    }
    return {name: metrics["evaluation.loss"] for name, metrics in stages.items()}


def contradictions() -> str:
    """What the papers print, recomputed (PAPERS P1 to P6)."""
    rows: list[list[Cell]] = [
        [row.id, row.what, row.printed, row.recomputed] for row in published.recomputed()
    ]
    head = ["", "what", "printed", "recomputed"]
    return f"## The papers' numbers, recomputed\n\n{grid(head, rows)}"
