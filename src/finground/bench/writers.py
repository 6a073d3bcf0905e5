"""Writers in the tables: AnalyScore in the form of FinSphere's Table 2, what separates two systems, and their
reports on pairs held out (floor 4).

A score of what learned the template writer's labels is named imitation; it is printed, and compared with
nothing as quality.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from finground.analyscore import published
from finground.analyscore.rubric import MAXIMA
from finground.bench.grid import Cell, grid, pivot, with_interval
from finground.records.score import Comparison, ScoreRow
from finground.stocksis.pair import TEMPLATE

FORM = ("eligible", *MAXIMA, "total")
HEAD = ("qualified", *(f"{line} ({most})" for line, most in MAXIMA.items()), "total (100)")
MOST_CUT = 0.01  # share of cut prompts from which a score is not valid (case B3)


def analyscore(scores: Sequence[ScoreRow]) -> str:
    """Table 2 of FinSphere for our systems, with 95% intervals, above the paper's."""
    lines: dict[str, dict[str, ScoreRow]] = defaultdict(dict)
    for row in scores:
        if row.task == "analyscore":
            lines[row.system][row.metric] = row
    body: list[list[Cell]] = [
        [
            _named(found["total"]),
            *(with_interval(found.get(metric)) for metric in FORM),
            *_counts(found["total"]),
        ]
        for found in lines.values()
    ]
    ours = grid(["system", *HEAD, "n", "unread", "prompts cut"], body)
    theirs = grid(
        ["FinSphere, Table 2", *HEAD], [list(row.values()) for row in published.tables()["finsphere_2"]]
    )
    note = (
        "The paper's questions, each about a company and a date that no training saw; AnalyScore by rules, "
        "or by the judge that params name. *imitation*: learned from, or is, the template writer, whose "
        "rules are near the scorer's; such a row is no quality and is compared with none. 80 is the most "
        "without a reader's profile. Intervals are of 95%: Student's for means, Wilson's for the rate."
    )
    title = "Writers: AnalyScore on the paper's questions (FinSphere, Table 2)"
    return f"## {title}\n\n{note}\n\n{ours}\n\n{theirs}"


def compared(rows: Sequence[Comparison]) -> str:
    """Differences between systems on the same questions."""
    body: list[list[Cell]] = [
        [
            f"{row.first} − {row.second}", row.metric, f"{row.difference:+.3f}",
            f"{row.low:+.3f} … {row.high:+.3f}", f"{row.p:.4f}", row.n,
        ]
        for row in rows
    ]  # fmt: skip
    head = ["systems", "what", "mean difference", "95% interval", "p (two-sided)", "n"]
    note = (
        "Paired over the questions; p of a sign-flip test, not corrected for the number of lines. "
        "Above .05 nothing is said of which is ahead."
    )
    return f"### Differences\n\n{note}\n\n{grid(head, body)}"


def held_out(scores: Sequence[ScoreRow]) -> str:
    """Writers on companies and dates held out of Stocksis."""
    rows = [replace(row, system=_named(row)) for row in scores if row.task == "report"]
    metrics = list(dict.fromkeys(row.metric for row in rows))
    note = (
        "ungrounded, figures_right and coverage are measured against data. *imitation*: learned from, or is, "
        "the template writer; AnalyScore of such a row is no quality, and the template's own a ceiling by "
        "construction."
    )
    return f"## Writers on pairs held out\n\n{note}\n\n{pivot(rows, metrics)}"


def _named(row: ScoreRow) -> str:
    name = f"{row.system} (*imitation*)" if row.labels == TEMPLATE else row.system
    return f"{name} **invalid: prompts were cut**" if row.n_truncated > MOST_CUT * row.n else name


def _counts(row: ScoreRow) -> list[Cell]:
    return [row.n, row.n_unread, row.n_truncated]
