"""Markdown tables, and scores as text: a mean with its standard error, or with its interval (floor 4)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from finground.bench.statistics import t_interval, wilson
from finground.records.score import ScoreRow

Cell = str | float | int | None


def pivot(rows: Sequence[ScoreRow], metrics: Sequence[str]) -> str:
    """One line a system and part, one column a metric."""
    lines: dict[tuple[str, str], dict[str, ScoreRow]] = defaultdict(dict)
    for row in rows:
        lines[row.part, row.system][row.metric] = row
    shown = [metric for metric in metrics if any(metric in found for found in lines.values())]
    body: list[list[Cell]] = []
    for (part, system), found in lines.items():
        first = next(iter(found.values()))
        values = [_with_error(found.get(metric)) for metric in shown]
        body.append([part, system, *values, first.n, first.n_unread, first.n_truncated])
    return grid(
        ["part", "system", *shown, "n", "unread", "truncated"], sorted(body, key=lambda line: str(line[0]))
    )


def grid(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A markdown table."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(_text(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines)


def _text(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if cell.is_integer() and abs(cell) >= 100 else f"{cell:,.4g}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def _with_error(row: ScoreRow | None) -> str:
    if row is None:
        return "–"
    return f"{row.value:.3f}" + (f" ± {row.stderr:.3f}" if row.stderr is not None else "")


def with_interval(row: ScoreRow | None) -> str:
    """A mean with its 95% interval (Student), a rate with Wilson's; a mean of one value alone."""
    if row is None:
        return "–"
    rate = row.metric == "eligible"
    found = wilson(row.value, row.n) if rate else t_interval(row.value, row.stderr, row.n)
    return f"{row.value:.2f}" + (f" ({found[0]:.2f} … {found[1]:.2f})" if found else "")
