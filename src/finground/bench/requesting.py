"""Agents in the tables: FinBloom's Tables 6 and 7 for ours, and what matters more (floor 4).

Exact match with its interval, F1 by field, execution accuracy, what separates an agent from the rules, how
well sureness tells right from wrong, slices by kind, noise and channel, and the worst replies.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from finground.analyscore import published
from finground.bench.grid import Cell, grid, pivot
from finground.bench.statistics import wilson_bars
from finground.context.split import NATURAL
from finground.records.score import Comparison, KeptReply, ScoreRow

METRICS = (
    "exact_match", "f1_entities", "f1_primary", "f1_related", "f1_dates", "validity", "auroc", "tokens",
    "passes",
)  # fmt: skip
WORDS = ("bleu", "rouge_1", "rouge_2", "rouge_l")
WORST = 3  # replies shown of a system and part


def agents(scores: Sequence[ScoreRow], losses: dict[str, float], compared: Sequence[Comparison]) -> str:
    """Agents on each test part, and their loss on evaluation pairs, beside FinBloom's tables 6 and 7."""
    rows = [row for row in scores if row.task == "request"]
    whole = [row for row in rows if "/" not in row.part]
    executed = [row for row in whole if row.metric == "execution"]
    theirs = grid(
        ["FinBloom, Tables 6 and 7", "evaluation loss", "perplexity",
            "BLEU", *("ROUGE-1", "ROUGE-2", "ROUGE-L")],
        [list(row.values()) for row in published.tables()["finbloom_6_7"]],
    )  # fmt: skip
    ours = grid(
        ["ours", "evaluation loss", "perplexity"],
        [[name, loss, math.exp(loss)] for name, loss in losses.items()],
    )
    note = (
        "The rules agent's authors have seen the templates, so no template is unseen for it; the natural "
        "part was looked at by nobody. `auroc`: how well sureness tells right requests from wrong ones. "
        "`tokens` of a reply, and `passes` of the model that they took. `hybrid`: the rules, and where they "
        "doubt the surer of rules and model. `execution`: the request brings the rows of the right one, of "
        "questions that bring any. Drawn in plots/agents.png."
    )
    title = "Agents: requests by test part (FinBloom, Tables 6 and 7)"
    parts = [
        f"## {title}", note, pivot(whole, METRICS), pivot(whole, WORDS),
        pivot(executed, ["execution"]) if executed else "", against(compared), ours,
        theirs, sliced(rows),
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part)


def against(compared: Sequence[Comparison]) -> str:
    """What each agent gains over the rules, or the agent of another base, on the same questions."""
    body: list[list[Cell]] = [
        [
            row.part, row.first, row.second, row.changed, f"{row.difference:+.3f}",
            f"{row.low:+.3f} … {row.high:+.3f}", f"{row.p:.4f}", row.n,
        ]
        for row in compared
        if row.metric == "exact_match"
    ]  # fmt: skip
    head = [
        "part",
        "system",
        "against",
        "differs",
        "exact match gained",
        "95% interval",
        "p (two-sided)",
        "n",
    ]
    return grid(head, body) if body else ""


def sliced(rows: Sequence[ScoreRow]) -> str:
    """Exact match by kind, noise and channel of question, over all parts."""
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row in rows:
        if "/" in row.part and row.metric == "exact_match":
            right = sums[row.part.split("/")[1], row.system]
            right[0] += row.value * row.n
            right[1] += row.n
    systems = list(dict.fromkeys(system for _, system in sums))
    body: list[list[Cell]] = []
    for part in dict.fromkeys(part for part, _ in sums):
        found = [sums[part, system] for system in systems]
        body.append([part, *(f"{right / n:.3f}" if n else "–" for right, n in found), int(found[0][1])])
    return (
        f"Exact match by kind, noise and channel:\n\n{grid(['of all parts', *systems, 'n'], body)}"
        if body
        else ""
    )


def worst(replies: Sequence[KeptReply]) -> str:
    """The replies furthest from right, of each system on each part; the natural one stays unseen."""
    groups: dict[tuple[str, str], list[KeptReply]] = defaultdict(list)
    for reply in replies:
        if reply.near is not None and reply.near < 1 and reply.part != NATURAL:
            groups[reply.part, reply.system].append(reply)
    body: list[list[Cell]] = []
    for (part, system), found in groups.items():
        for reply in sorted(found, key=lambda one: one.near or 0.0)[:WORST]:
            asked, said, right = (_cell(text) for text in (_question(reply.prompt), reply.text, reply.right))
            body.append([part, system, reply.near, reply.sure, asked, said, right])
    head = ["part", "system", "F1", "sure", "question", "said", "right"]
    note = "The natural questions are not shown, so that nobody tunes on them."
    return f"## Agents: the worst replies\n\n{note}\n\n{grid(head, body)}" if body else ""


def draw(scores: Sequence[ScoreRow], path: Path) -> None:
    """Exact match by part and system with Wilson's intervals, as a picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = [
        row for row in scores if row.task == "request" and row.metric == "exact_match" and "/" not in row.part
    ]
    parts = list(dict.fromkeys(row.part for row in rows))
    systems = list(dict.fromkeys(row.system for row in rows))
    figure, axes = pyplot.subplots(figsize=(9, 4))
    for place, system in enumerate(systems):
        own = {row.part: row for row in rows if row.system == system}
        at = [number + 0.8 * (place + 0.5) / len(systems) - 0.4 for number in range(len(parts))]
        values = [own[part].value for part in parts]
        spread = wilson_bars([(own[part].value, own[part].n) for part in parts])
        axes.bar(at, values, width=0.8 / len(systems), yerr=spread, capsize=2, label=system)
    axes.set_xticks(range(len(parts)), parts)
    axes.set_ylim(0, 1)
    axes.set_ylabel("exact match")
    axes.legend(ncols=max(len(systems), 1), loc="upper center", bbox_to_anchor=(0.5, -0.08))
    axes.set_title("Agents by part of the questions, 95% intervals")
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})
    pyplot.close(figure)


def _question(prompt: str) -> str:
    return prompt.removeprefix("Question: ").partition("\nAs of:")[0]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
