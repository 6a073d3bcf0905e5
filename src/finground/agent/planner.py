"""The plan by a model: it writes the steps under a grammar, each with the tool that serves it and why.

The grammar holds the tools, each at most once and in their order, or none for a question that figures alone
answer; so a reply that ends is a whole plan, and one that does not is a failed plan, never patched (law 5).
What is looked up in the store the request says, and a question that needs no data needs no model. The words
are the model's; no figure can stand among them.
"""

import re
from dataclasses import dataclass

from finground.agent import plan as rules
from finground.agent.tuned import Generates, Said
from finground.catalog.catalog import Catalog
from finground.core.errors import FingroundError
from finground.lm.constrain import Grammar
from finground.records.report import Plan, Subtask
from finground.records.request import Request

NEW_TOKENS = 320  # six steps of some forty tokens
LONGEST = 90  # letters of a step's question, and of its reason
ALONE = "- lookup alone.\n"  # the figures of the request answer it
EXAMPLES: tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...] = (
    ("What was the net income of Initrode in the last quarter? (about Initrode)", ()),
    ("Is the chart of Acme about to turn, and has money been leaving? (about Acme)", (
        ("technical", "Do crosses or patterns point to a turn?", "the chart is asked about"),
        ("capital-flow", "Have large orders gone out?", "money leaving shows in large orders"),
    )),
    ("Why did Globex jump, and is it still cheap against its rivals? (about Globex)", (
        ("volume-price", "How large was the move, and on what volume?", "the move comes first"),
        ("fundamental", "Where does it stand among its peers?", "cheap is against peers"),
        ("catalysts", "Which news came with the move?", "the question asks why"),
    )),
    ("Can Initech pay its debts after the last quarter? (about Initech)", (
        ("financial", "How are solvency and cash in the latest report?", "debts are paid out of these"),
    )),
)  # fmt: skip
STEP = re.compile(r"- (?P<tool>[a-z-]+): (?P<text>[^\n]+\?) Because (?P<why>[^\n]+)\.\n")


class UnreadPlan(FingroundError):
    """The model's reply is not a whole plan; `prompt` and `reply` are kept."""

    def __init__(self, prompt: str, reply: Said) -> None:
        super().__init__(
            f"the planner's reply is not a whole plan (it stopped for {reply.stop}): {reply.text!r}; "
            "ask again with --planner rules, or plan with a larger base"
        )
        self.prompt = prompt
        self.reply = reply.text


@dataclass(frozen=True, slots=True)
class ModelPlanner:
    """Plans by a language model; `name` is how the answer names it."""

    generator: Generates
    name: str

    def __call__(self, query: str, request: Request, catalog: Catalog) -> Plan:
        """The plan of rules, with the model's steps where tools are called.

        Raises:
            UnreadPlan: if the reply is not a whole plan.
        """
        made = rules.plan(query, request, catalog)
        if made.kind in ("talk", "education"):
            return made
        companies = [entity.name for entity in request.entities if entity.kind == "company"]
        if not companies:
            return made
        data = made.kind == "data"
        around = rules.looked_up(request, catalog) if data else rules.left_out(request)
        chosen = self.steps(query, ", ".join(companies), alone=data)
        return Plan(made.kind, (*around, *chosen) if data else (*chosen, *around), self.name)

    def steps(self, query: str, about: str, *, alone: bool) -> tuple[Subtask, ...]:
        """What the model would do for a question about companies; `alone` if it may call no tool."""
        asked = prompt(query, about)
        allowed = grammar(alone=alone)
        (said,) = self.generator.reply([asked], max_new_tokens=NEW_TOKENS, batch=1, grammar=allowed)
        if said.stop not in ("eos", "grammar"):
            raise UnreadPlan(asked, said)
        return tuple(Subtask(*step.group("text", "tool", "why")) for step in STEP.finditer(said.text))


def prompt(query: str, about: str) -> str:
    """The tools, worked examples, and the question with the companies it is about."""
    tools = "\n".join(f"{tool}: {question}" for tool, (question, _) in rules.STEPS.items())
    worked = "\n".join(
        f"Question: {question}\nSteps:\n"
        + ("".join(f"- {tool}: {text} Because {why}.\n" for tool, text, why in taken) or ALONE)
        for question, taken in EXAMPLES
    )
    asked = " ".join(query.split())
    return f"Tools:\n{tools}\n\n{worked}\nQuestion: {asked} (about {about})\nSteps:\n"


def grammar(*, alone: bool) -> Grammar:
    """One to six steps in the order of the tools, or, if that may be, none."""
    last = len(rules.TOOLS) - 1
    lines = ['root ::= from0 | "- lookup alone.\\n"' if alone else "root ::= from0"]
    for place, tool in enumerate(rules.TOOLS):
        lines.append(f'step{place} ::= "- {tool}: " words "? Because " words ".\\n"')
        lines.append(
            f"from{place} ::= step{place}" + (f" more{place + 1} | from{place + 1}" if place < last else "")
        )
        if place:
            lines.append(f"more{place} ::= step{place}?" + (f" more{place + 1}" if place < last else ""))
    lines += ['words ::= word (" " word)*', "word ::= [A-Za-z,&'-]+"]
    return Grammar("\n".join(lines), _rambles)


def _rambles(text: str) -> bool:
    """Whether what is being said is too long already."""
    line = text.rpartition("\n")[2]
    question, _, reason = line.partition("? Because ")
    return max(len(question.partition(": ")[2]), len(reason)) > LONGEST
