"""What a model writer reads: a short instruction, what the tools found by dimension, the question.

Kept under some 450 tokens of a small model's vocabulary, so that base and adapter of 135 million parameters
can be trained and run on a CPU: of each dimension the first findings that fit.
"""

from finground.report.analysis import conclude_from
from finground.report.brief import Brief
from finground.report.linearize import linearize
from finground.report.selection import Chosen, chosen, compact
from finground.report.standard import DIMENSIONS, LONG_TERM, SHORT_TERM

ANALYSIS = (
    "You are a stock analyst. Write a report from the background only: movement and its cause, short-term "
    "and medium to long-term conclusion, details by dimension, summary. Keep every figure."
)
ANSWER = "Answer from the data only. Keep every figure with its unit and period; say what is missing."


def background(brief: Brief, found: Chosen | None = None) -> str:
    """What was found, one line a company and dimension, and what its signals add up to; the data where no
    tool ran.

    `found` is what of it is told; all of it if not given.
    """
    if not brief.plan.tools:
        return linearize(brief.bundle, brief.catalog)
    several = len(brief.companies) > 1
    lines = ["Data are synthetic."] if brief.bundle.synthetic else []
    for (entity, tool), rows in (chosen(brief) if found is None else found).items():
        head = f"{brief.names[entity]}, {DIMENSIONS[tool]}" if several else DIMENSIONS[tool]
        lines.append(f"{head}: {' '.join(row.text for row in rows) or 'no data.'}")
    for entity in brief.companies:
        head = f"{brief.names[entity]}, signals" if several else "Signals"
        short, long = (
            conclude_from(brief, entity, tools).stance or "none" for tools in (SHORT_TERM, LONG_TERM)
        )
        lines.append(f"{head}: short term {short}, medium to long term {long}.")
    return "\n".join(lines)


def prompt(brief: Brief) -> str:
    """The whole prompt, ending where the report begins."""
    instruction = ANALYSIS if brief.plan.kind == "analysis" else ANSWER
    found = background(brief, compact(brief))
    profile = f"Reader: {', '.join(f'{k} {v}' for k, v in brief.profile.items())}\n" if brief.profile else ""
    return f"{instruction}\nBackground:\n{found}\n{profile}Question: {brief.query}\nReport:\n"
