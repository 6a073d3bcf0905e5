"""An answer as one self-contained page: the report, the facts with their sources, what is missing."""

from collections.abc import Sequence
from html import escape

from finground.records.report import Answer

STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
table{border-collapse:collapse;width:100%;font-size:.9rem}
td,th{padding:.3rem .6rem;border-bottom:1px solid #ddd;text-align:left}
.warn{background:#fff3cd;padding:.5rem 1rem}pre{white-space:pre-wrap;font:inherit}
"""


def page(answer: Answer) -> str:
    """HTML; every text that came from outside is escaped."""
    facts = [
        (
            fact.entity,
            fact.metric,
            f"{fact.value:,.6g}",
            fact.currency or fact.unit,
            f"{fact.period_end}",
            f"{fact.filed_at:%Y-%m-%d}",
            fact.source,
        )
        for fact in answer.bundle.facts
    ]
    findings = [
        (f.tool, f.name, f"{f.value}", f.unit, f"{f.period_end}", f.signal, f.text) for f in answer.findings
    ]
    gaps = [(gap.entity, gap.what, gap.why) for gap in answer.bundle.gaps]
    warning = (
        '<p class="warn">Made from invented companies; none of this is real.</p>'
        if answer.bundle.synthetic
        else ""
    )
    parts = [
        f"<h1>{escape(answer.query)}</h1><p>as of {answer.as_of:%Y-%m-%d %H:%M} UTC</p>{warning}",
        *(f"<pre>{escape(section.text)}</pre>" for section in answer.report.sections),
        _table("Facts", ("entity", "metric", "value", "unit", "period end", "filed", "source"), facts),
        _table("Findings", ("tool", "name", "value", "unit", "as of", "signal", "text"), findings),
        _table("Not there", ("entity", "what", "why"), gaps),
    ]
    body = "\n".join(parts)
    head = f"<meta charset=utf-8><title>{escape(answer.query)}</title><style>{STYLE}</style>"
    return f"<!doctype html><html lang=en>{head}{body}</html>\n"


def _table(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    if not rows:
        return ""
    lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    heads = "".join(f"<th>{name}</th>" for name in head)
    return (
        f"<h2>{title}</h2><table><tr>{heads}</tr>"
        + "".join(f"<tr>{line}</tr>" for line in lines)
        + "</table>"
    )
