"""What to do for a question: which kind of answer, which steps, which tools, and why each."""

import re

from finground.records.report import Plan, Subtask
from finground.records.request import Request

TOOLS = ("volume-price", "technical", "capital-flow", "financial", "fundamental", "catalysts")
STEPS = {
    "volume-price": ("How did price and volume move?", "what the market did comes first"),
    "technical": ("What do RSI, MACD, candlesticks and support say?", "the short term rests on signals"),
    "capital-flow": ("Where has large money gone?", "large orders and holdings bear a move out"),
    "financial": ("What do the latest reports say?", "growth and solvency are in the filings"),
    "fundamental": ("How are value and growth against peers?", "the longer term rests on value"),
    "catalysts": ("Which news may have moved it?", "a movement is told with its cause"),
}  # fmt: skip
ASKED = {
    "volume-price": re.compile(r"\bvolumes?\b|\bturnover rate\b|\bprice (?:action|move|change)", re.I),
    "technical": re.compile(
        r"\btechnical|\bRSI\b|\bMACD\b|\b(?:golden|death) cross|\bcandlesticks?\b|\bsupport levels?\b"
        r"|\bresistance\b|\bmoving averages?\b|\bover(?:bought|sold)\b",
        re.I,
    ),
}  # fmt: skip
VOLUME = frozenset({"volume", "turnover-rate"})


def plan(query: str, request: Request) -> Plan:
    """An analysis with all tools where no metric is named; else the data, with a tool where the question asks
    for it."""
    if request.kind == "educational":
        why = "the catalogue holds what it is made of"
        return Plan("education", (Subtask(f"Explain {_metrics(request)}", "lookup", why),))
    if request.kind == "analysis" or not request.metrics:
        return Plan("analysis", tuple(Subtask(text, tool, why) for tool, (text, why) in _steps(TOOLS)))
    asked = tuple(tool for tool in TOOLS if _asks(tool, query, request))
    read = Subtask(
        f"Look up {_metrics(request)} of {_whom(request)}",
        "lookup",
        "the question names what it wants to know",
    )
    return Plan(
        "data",
        (read, *(Subtask(text, tool, "the question asks for it") for tool, (text, _) in _steps(asked))),
    )


def _steps(tools: tuple[str, ...]) -> list[tuple[str, tuple[str, str]]]:
    return [(tool, STEPS[tool]) for tool in tools]


def _asks(tool: str, query: str, request: Request) -> bool:
    if tool not in ASKED:
        return False
    by_metric = tool == "volume-price" and any(m.primary and m.slug in VOLUME for m in request.metrics)
    return by_metric or ASKED[tool].search(query) is not None


def _metrics(request: Request) -> str:
    return ", ".join(metric.slug for metric in request.metrics if metric.primary)


def _whom(request: Request) -> str:
    names = [entity.name for entity in request.entities] + [
        f"{text!r} (unknown)" for text in request.unresolved
    ]
    return ", ".join(names)
