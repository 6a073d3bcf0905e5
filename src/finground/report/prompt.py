"""What a model writer reads: a short instruction, what the tools found by dimension, the question.

Kept under some 450 tokens of a small model's vocabulary, so that base and adapter of 135 million parameters
can be trained and run on a CPU: of each dimension the first findings that fit.
"""

from finground.records.bundle import Finding
from finground.report.brief import Brief
from finground.report.linearize import linearize
from finground.report.standard import DIMENSIONS

ANALYSIS = (
    "You are a stock analyst. Write a report from the background only: movement and its cause, short-term "
    "and medium to long-term conclusion, details by dimension, summary. Keep every figure."
)
ANSWER = "Answer from the data only. Keep every figure with its unit and period; say what is missing."
COMPACT = 900  # characters of background in a prompt; about 330 tokens, since each digit is one
A_DIMENSION = 4  # findings of a dimension in a prompt


def background(brief: Brief, *, limit: int | None = None, each: int | None = None) -> str:
    """What was found, one line a company and dimension; the linearised data where no tool ran.

    `each` cuts the findings of a dimension, `limit` the characters: whole findings are left out, from the
    longest dimension first.
    """
    if not brief.plan.tools:
        return linearize(brief.bundle, brief.catalog)
    chosen = {
        (entity, tool): list(brief.findings_of(entity, tool))[:each]
        for entity in brief.companies
        for tool in brief.plan.tools
    }
    while limit and len(text := _lines(brief, chosen)) > limit:
        longest = max(chosen, key=lambda key: (sum(len(row.text) for row in chosen[key]), key))
        if len(chosen[longest]) <= 1:
            return text
        chosen[longest].pop()
    return _lines(brief, chosen)


def _lines(brief: Brief, chosen: dict[tuple[str, str], list[Finding]]) -> str:
    several = len(brief.companies) > 1
    lines = ["Data are synthetic."] if brief.bundle.synthetic else []
    for (entity, tool), rows in chosen.items():
        head = f"{brief.names[entity]}, {DIMENSIONS[tool]}" if several else DIMENSIONS[tool]
        lines.append(f"{head}: {' '.join(row.text for row in rows) or 'no data.'}")
    return "\n".join(lines)


def prompt(brief: Brief) -> str:
    """The whole prompt, ending where the report begins."""
    instruction = ANALYSIS if brief.plan.kind == "analysis" else ANSWER
    found = background(brief, limit=COMPACT, each=A_DIMENSION)
    profile = f"Reader: {', '.join(f'{k} {v}' for k, v in brief.profile.items())}\n" if brief.profile else ""
    return f"{instruction}\nBackground:\n{found}\n{profile}Question: {brief.query}\nReport:\n"
