"""Which findings a prompt has room for; what a compact report gives is the same, so that it rests on its
prompt.
"""

from finground.records.bundle import Finding
from finground.report.brief import Brief
from finground.report.standard import DIMENSIONS

COMPACT = 850  # characters of findings in a prompt; about 330 tokens, since each digit is one
FULL = 1800  # characters of findings in a full report of one company, which then has some 500 words
A_DIMENSION = 4  # findings of a dimension in a prompt
Chosen = dict[tuple[str, str], tuple[Finding, ...]]


def chosen(brief: Brief, *, limit: int | None = None, each: int | None = None) -> Chosen:
    """Findings by company and tool: the first `each` of a tool, then one of the longest left out until the
    texts fit `limit`; of every tool that found something, one stays.
    """
    found = {
        (entity, tool): brief.findings_of(entity, tool)[:each]
        for entity in brief.companies
        for tool in DIMENSIONS
    }
    found = _once({key: rows for key, rows in found.items() if key[1] in brief.plan.tools})
    sizes = {key: _size(rows) for key, rows in found.items()}
    while limit and sum(sizes.values()) > limit:
        longest = max(found, key=lambda key: (len(found[key]) > 1, sizes[key], key))
        if len(found[longest]) <= 1:
            break
        found[longest] = _shorter(found[longest])
        sizes[longest] = _size(found[longest])
    return found


def _shorter(rows: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Without the last that signals nothing, of those after the foremost; else without the last. A figure
    stays with its change.
    """
    after = [row.name for row in rows[1:]] + [""]
    quiet = [
        at for at, row in enumerate(rows)
        if at >= A_DIMENSION and row.signal == "neutral" and not after[at].startswith(f"{row.name}-")
    ]  # fmt: skip
    at = quiet[-1] if quiet else len(rows) - 1
    return (*rows[:at], *rows[at + 1 :])


def _once(found: Chosen) -> Chosen:
    """Without what an earlier tool has told: the same value from the same inputs; news and moves apart. Of
    every tool one stays.
    """
    told = set[tuple[object, ...]]()
    kept: Chosen = {}
    for key, rows in found.items():
        new = tuple(
            row
            for row in rows
            if key[1] == "catalysts" or (row.entity, row.value, row.unit, row.inputs) not in told
        )
        kept[key] = new or rows
        told |= {(row.entity, row.value, row.unit, row.inputs) for row in rows if row.inputs}
    return kept


def compact(brief: Brief) -> Chosen:
    """What a small model's prompt holds."""
    return chosen(brief, limit=COMPACT, each=A_DIMENSION)


def _size(rows: tuple[Finding, ...]) -> int:
    return sum(len(row.text) + 1 for row in rows)
