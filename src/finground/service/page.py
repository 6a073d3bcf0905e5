"""An answer as one self-contained page: the report, price charts, what each tool found, sources, what is
missing.

Nothing is loaded from elsewhere and nothing is run: inline SVG and style, no script. Every text that came
from outside is escaped.
"""

from collections.abc import Sequence
from html import escape

from finground.quant.subject import bars_of
from finground.records.bundle import Finding
from finground.records.report import Answer
from finground.report.figures import figure, period
from finground.report.naming import shown
from finground.service.chart import STYLE as CHART
from finground.service.chart import Mark, chart

STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
table{border-collapse:collapse;width:100%;font-size:.85rem}
td,th{padding:.3rem .6rem;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}
.warn{background:#fff3cd;padding:.5rem 1rem}.wide{overflow-x:auto}
pre{white-space:pre-wrap;font:inherit}
pre.table{white-space:pre;font:.85rem/1.4 ui-monospace,monospace;overflow-x:auto}
.day{white-space:nowrap}.bullish{color:#2a7a48}.bearish{color:#a83a3a}
"""
MARKED = ("macd-cross", "rsi-cross", "pattern-", "unusual-movement")  # findings of a day of their own
Cell = tuple[str, ...]


def page(answer: Answer, earlier: Sequence[str] = (), *, more: bool = False) -> str:
    """HTML with the questions asked before; `more`: and with a line to ask on in."""
    report = answer.report
    parts = [
        f"<h1>{escape(answer.query)}</h1>",
        f"<p>As of {answer.as_of:%Y-%m-%d %H:%M} UTC. Report: {report.status}, "
        f"written by {escape(report.writer)}.</p>",
        *_warnings(answer),
        *([f"<p>Asked before: {escape(' → '.join(earlier))}</p>"] if earlier else []),
        *(_section(section.name, section.text) for section in report.sections),
        *_charts(answer),
        _plan(answer),
        _findings(answer.findings, _names(answer)),
        _sources(answer),
        _table("Not there", ("Company", "What", "Why"), _gaps(answer)),
        _score(answer),
        *([_ask_on(answer, earlier)] if more else []),
    ]
    head = f"<meta charset=utf-8><title>{escape(answer.query)}</title><style>{STYLE}{CHART}</style>"
    return f"<!doctype html><html lang=en>{head}<body>{chr(10).join(parts)}</body></html>\n"


def _names(answer: Answer) -> dict[str, str]:
    return {entity.id: shown(entity.name) for entity in answer.request.entities if entity.kind == "company"}


def _ask_on(answer: Answer, earlier: Sequence[str]) -> str:
    """A line for the next question, which goes with those before it."""
    kept = "".join(
        f'<input type="hidden" name="{name}" value="{escape(value)}">'
        for name, value in [
            *(("after", text) for text in (*earlier, answer.query)),
            ("as_of", answer.as_of.isoformat()),
        ]
    )
    return (
        f'<form action="/ask">{kept}<label>Ask on: <input name="question" size="60" required></label> '
        "<button>Ask</button></form>"
    )


def _section(name: str, text: str) -> str:
    """A part of the report; tables keep their columns."""
    kind = ' class="table"' if name in ("table", "example") else ""
    return f"<pre{kind}>{escape(text)}</pre>"


def _warnings(answer: Answer) -> list[str]:
    """What a reader must know first: invented data, a doubtful request, claims that nothing bears out."""
    found = ["Made from invented companies; none of this is real."] if answer.bundle.synthetic else []
    if answer.reading.doubtful:
        found += [f"The question may have been misunderstood ({answer.sure:.2f}): {answer.reading.why}"]
    found += [f"Not borne out by data: “{claim.text}” ({claim.why})" for claim in answer.report.ungrounded]
    found += [f"Missing: {', '.join(answer.report.missing)}"] if answer.report.missing else []
    return [f'<p class="warn">{escape(text)}</p>' for text in found]


def _charts(answer: Answer) -> list[str]:
    """Prices of the companies asked about, with the days the findings name."""
    parts = []
    for id, name in _names(answer).items():
        series = [row for row in answer.bundle.series if row.entity == id and "close" in row.names]
        marks = [
            Mark(row.period_end, row.text) for row in answer.findings
            if row.entity == id and row.name.startswith(MARKED)
        ]  # fmt: skip
        drawn = chart(bars_of(series[0]), marks) if series else ""
        parts += [f"<h2>Prices of {escape(name)}</h2>{drawn}"] if drawn else []
    return parts


def _findings(findings: Sequence[Finding], names: dict[str, str]) -> str:
    """One table of all tools."""
    if not findings:
        return ""
    rows = [
        f"<tr><td>{escape(names.get(row.entity, row.entity))}</td><td>{escape(row.tool)}</td>"
        f"<td>{escape(row.text)}</td>"
        f'<td class="{row.signal}">{row.signal}</td><td class="day">{row.period_end}</td></tr>'
        for row in findings
    ]
    heads = "".join(f"<th>{head}</th>" for head in ("Company", "Tool", "Finding", "Signal", "As of"))
    return (
        f'<h2>What the tools found</h2><div class="wide"><table><tr>{heads}</tr>{"".join(rows)}</table></div>'
    )


def _sources(answer: Answer) -> str:
    """Figures, series and news with where they are from; those the report rests on come first."""
    used = set(answer.report.rests_on) | {id for row in answer.findings for id in row.inputs}
    names = _names(answer)
    ordered = sorted(answer.bundle.facts, key=lambda fact: fact.id not in used)
    cells = [
        (
            names.get(fact.entity, fact.entity), fact.metric, figure(fact), period(fact),
            f"{fact.filed_at.date()}", fact.source,
        )
        for fact in ordered
    ]  # fmt: skip
    cells += [
        (
            names.get(row.entity, row.entity), ", ".join(row.names), f"{len(row.times)} sessions",
            f"{days[0]} to {days[-1]}", "at each close", row.source,
        )
        for row in answer.bundle.series
        if len(days := row.times.astype("datetime64[D]"))
    ]  # fmt: skip
    cells += [
        (
            ", ".join(item.tickers), "news", item.headline, f"{item.published_at:%Y-%m-%d %H:%M}",
            "when published", item.source,
        )
        for item in answer.bundle.passages
    ]  # fmt: skip
    return _table("Sources", ("Company", "What", "Value", "Period", "Known", "Source"), cells)


def _plan(answer: Answer) -> str:
    """What was done for the question, and why."""
    rows = [(task.text, "–" if task.tool == "none" else task.tool, task.why) for task in answer.plan.subtasks]
    return _table(f"What was done (planned by {escape(answer.plan.by)})", ("Step", "Tool", "Why"), rows)


def _gaps(answer: Answer) -> list[Cell]:
    names = _names(answer)
    return [(names.get(gap.entity, gap.entity), gap.what, gap.why) for gap in answer.bundle.gaps]


def _score(answer: Answer) -> str:
    if answer.score is None:
        return ""
    rows = [
        (criterion.name, "pass" if criterion.passed else "fail", "; ".join(criterion.evidence))
        for criterion in answer.score.criteria
    ]
    return _table("AnalyScore: eligibility", ("Criterion", "Result", "Evidence"), rows)


def _table(title: str, head: Cell, rows: Sequence[Cell]) -> str:
    if not rows:
        return ""
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    heads = "".join(f"<th>{name}</th>" for name in head)
    return f'<h2>{title}</h2><div class="wide"><table><tr>{heads}</tr>{lines}</table></div>'
