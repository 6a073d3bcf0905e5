"""What to do for a question: which kind of answer, which steps, which tool serves each, and why."""

import re

from finground.catalog.catalog import Catalog
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
SERVES = {
    "company": "the question names it", "peers": "the question asks about its peers",
    "industry": "the question asks about the industry", "market": "no company is excluded",
}  # fmt: skip
HELLO = r"(?:(?:hi|hiya|hello|hey|good (?:morning|afternoon|evening))(?: (?:there|everyone|all|finground))?)"
THANKS = r"(?:ok(?:ay)?|thx|cheers|(?:many )?thanks(?: a lot)?|thank you(?: (?:so|very) much)?)"
BYE = r"(?:(?:good)?bye|see you(?: later)?)"
ABOUT = (
    r"(?:who are you|who made you|what are you|how are you|what (?:can|do) you do|help(?: me)?(?: please)?"
    r"|what (?:can|may|should|do) i ask(?: you)?|how (?:do you|does this) work"
    r"|how (?:do|can) i use (?:you|this))"
)
TALK = re.compile(rf"(?:{HELLO} ?)*(?:{THANKS} ?)*(?:{BYE}|{ABOUT})?", re.I)
NOTHING = Request("educational", (), ())


def is_talk(query: str) -> bool:
    """Whether it is a greeting, thanks, or a question about this program: nothing that data could answer."""
    bare = " ".join(re.sub(r"[^\w\s]", " ", query).split())
    return bool(bare) and TALK.fullmatch(bare) is not None


def plan(query: str, request: Request, catalog: Catalog) -> Plan:
    """An analysis with all tools where no metric is named; else the data, with a tool where the question asks
    for it; an explanation or a word in reply where no data is needed."""
    if is_talk(query):
        return Plan("talk", (Subtask("Say what can be asked", "none", "the question is about no data"),))
    if request.kind == "educational":
        return Plan("education", _explained(request, catalog))
    if request.kind == "analysis" or not request.metrics:
        return Plan("analysis", (*steps(TOOLS, request), *left_out(request)))
    asked = tuple(tool for tool in TOOLS if _asks(tool, query, request))
    return Plan("data", (*looked_up(request, catalog), *steps(asked, request, "the question asks for it")))


def follows(made: Plan, after: str) -> Plan:
    """The same plan for a question that follows another."""
    first = Subtask(f"Read it after {after!r}", "none", "it was asked in a conversation")
    return Plan(made.kind, (first, *made.subtasks), made.by)


def steps(tools: tuple[str, ...], request: Request, why: str = "") -> tuple[Subtask, ...]:
    """The question that each tool answers, of each company if there are several."""
    companies = [entity.name for entity in request.entities if entity.kind == "company"]
    whose = [f"{name}: " for name in companies] if len(companies) > 1 else [""] * len(companies)
    return tuple(
        Subtask(f"{name}{STEPS[tool][0]}", tool, why or STEPS[tool][1]) for name in whose for tool in tools
    )


def left_out(request: Request) -> tuple[Subtask, ...]:
    """Whom an analysis names and is not of."""
    others = [entity.name for entity in request.entities if entity.kind != "company"]
    found = [Subtask(f"Analyse {name}", "none", "an analysis is of companies by name") for name in others]
    unknown = [
        Subtask(f"Analyse {text!r}", "none", "no company is known by that name")
        for text in request.unresolved
    ]
    return (*found, *unknown)


def looked_up(request: Request, catalog: Catalog) -> tuple[Subtask, ...]:
    """What is read of each company, peers, industry or market, and what is made of it."""
    metrics, when = _metrics(request, catalog), f", {request.phrase}" if request.phrase else ""
    found = [
        Subtask(f"Look up {metrics} of {entity.name}{when}", "lookup", SERVES[entity.kind])
        for entity in request.entities
    ]
    found += [
        Subtask(f"Look up {metrics} of {text!r}{when}", "none", "no company is known by that name")
        for text in request.unresolved
    ]
    if related := _metrics(request, catalog, primary=False):
        found.append(Subtask(f"Look up {related} beside it", "lookup", "a reader wants them with it"))
    if request.rank is not None:
        end = "highest" if request.rank.descending else "lowest"
        by = catalog.metrics.by_slug(request.rank.by).name
        found.append(
            Subtask(f"Rank them by {by}, the {request.rank.n} {end}", "lookup", "the question ranks")
        )
    elif len(request.entities) > 1:
        found.append(Subtask(f"Compare their {metrics}", "none", "several are asked about"))
    return tuple(found)


def _explained(request: Request, catalog: Catalog) -> tuple[Subtask, ...]:
    metrics = _metrics(request, catalog)
    explain = Subtask(f"Explain {metrics}", "none", "the catalogue says what it is made of")
    examples = [
        Subtask(f"Look up {metrics} of {entity.name}", "lookup", "an example is asked for")
        for entity in request.entities
    ]
    return (explain, *examples)


def _asks(tool: str, query: str, request: Request) -> bool:
    if tool not in ASKED:
        return False
    by_metric = tool == "volume-price" and any(m.primary and m.slug in VOLUME for m in request.metrics)
    return by_metric or ASKED[tool].search(query) is not None


def _metrics(request: Request, catalog: Catalog, *, primary: bool = True) -> str:
    chosen = [metric.slug for metric in request.metrics if metric.primary == primary]
    return ", ".join(catalog.metrics.by_slug(slug).name for slug in chosen)
