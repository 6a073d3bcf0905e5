"""One pair: what the six tools found for a company as of a date, and a report on it that may be a label.

The template writer's label is its compact form, which gives no figure that the prompt does not hold. A report
that fails AnalyScore's eligibility, or is not grounded, is no label.
"""

import random
from dataclasses import dataclass

from finground.agent.plan import plan
from finground.analyscore.stances import stated
from finground.answer import World, analyse, judge, read
from finground.records.document import Dropped
from finground.records.report import Report, WriterPair
from finground.records.request import Entity, Request
from finground.report.brief import Brief
from finground.report.grounding import check
from finground.report.prompt import prompt
from finground.report.standard import LONG_TERM, SHORT_TERM
from finground.report.template import TemplateWriter
from finground.stocksis.split import Moment

TEMPLATE = "template-writer"  # whose imitation is all that can be learned from its labels
EXPERT = "expert"
QUESTIONS = (
    "Please analyze {0}.",
    "How is {0} doing?",
    "Give me a full review of {0}.",
    "What do you think of {0} stock?",
    "Can you look at {0} for me?",
    "Diagnose {0}.",
    "Is {0} worth watching? Please analyze.",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A moment and the question asked at it."""

    moment: Moment
    question: str


def asked(moment: Moment, seed: int) -> Asked:
    """The moment's question, drawn with the seed; which one does not depend on what else is drawn."""
    return Asked(moment, random.Random(f"{seed}:{moment.id}").choice(QUESTIONS))


def brief_of(world: World, moment: Moment, question: str) -> Brief:
    """All a writer is given about a company at a moment; `{0}` in the question is its name."""
    company = world.catalog.companies.by_id(moment.company)
    query = question.format(company.name)
    request = Request("analysis", (Entity("company", company.id, company.name),), ())
    steps = plan(query, request, world.catalog)
    bundle = read(query, request, steps, as_of=moment.as_of, world=world)
    findings, bundle = analyse(request, steps, bundle, world.catalog)
    return Brief(query, steps, request, bundle, findings, world.catalog, None)


def template_pair(world: World, of: Asked, *, one_horizon: bool) -> WriterPair | Dropped:
    """The pair with the template writer's label, or why there is none."""
    brief = brief_of(world, of.moment, of.question)
    report = TemplateWriter(compact=True).write(brief)
    return labelled(of.moment, brief, report, TEMPLATE, one_horizon=one_horizon)


def labelled(
    moment: Moment, brief: Brief, report: Report, labels: str, *, one_horizon: bool
) -> WriterPair | Dropped:
    """The pair of a report, or the reason why the report is no label."""
    checked = check(report, brief)
    if reason := unfit(checked, brief, one_horizon=one_horizon):
        return Dropped(moment.id, labels, reason)
    company, text = moment.company, checked.text
    return WriterPair(moment.id, brief.query, moment.as_of, company, prompt(brief), text, labels, moment.part)


def unfit(report: Report, brief: Brief, *, one_horizon: bool = False) -> str:
    """The first reason why a checked report is no label, or nothing.

    Args:
        one_horizon: a horizon of which the tools found nothing may be left out.
    """
    score = judge(report, brief)
    if score is None:
        return "not an analysis"
    excused = "conclusion structure" if one_horizon and _concludes_what_it_can(report, brief) else ""
    failed = [criterion.name for criterion in score.criteria if not criterion.passed]
    return next((name for name in failed if name != excused), "not grounded" if report.ungrounded else "")


def _concludes_what_it_can(report: Report, brief: Brief) -> bool:
    said = {row.horizon for row in stated(report.text)}
    found = {row.tool for row in brief.findings}
    tools = {"short": SHORT_TERM, "long": LONG_TERM}
    return not any(found.intersection(tools[horizon]) for horizon in tools.keys() - said)
