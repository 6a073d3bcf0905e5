"""FinSphere's hundred test questions, asked about companies that the store has (tables 7 to 9; floor 4).

The paper's companies are mainland shares that few stores hold. data/questions.tsv says of each question its
kind and which words name the company; those are replaced, so wording and kinds stay the paper's. The moments
are ones that training never saw: held-out companies on test dates where there are any, else test dates.
"""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from finground.agent.plan import plan
from finground.agent.rules import RulesAgent
from finground.analyscore.published import graded
from finground.answer import World, analyse, read
from finground.catalog.companies import Company
from finground.core.errors import InputError
from finground.report.brief import Brief
from finground.stocksis.split import Moment, Split

PART = "paper-questions"


@dataclass(frozen=True, slots=True)
class Mapped:
    """One of the hundred: its kind, and the words that name the paper's company."""

    number: int
    kind: str
    company: str
    query: str

    def about(self, company: Company) -> str:
        """The question about another company, by its ticker where the paper gives a code."""
        return self.query.replace(self.company, company.ticker if self.kind == "code" else company.name)


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is asked here, of which kind, and at which moment."""

    number: int
    kind: str
    query: str
    moment: Moment


def mapping() -> tuple[Mapped, ...]:
    """The hundred questions with their kinds, in the paper's order."""
    text = resources.files("finground.bench").joinpath("data/questions.tsv").read_text("utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t")
    return tuple(
        Mapped(int(row["number"]), row["kind"], row["company"], listed.query)
        for row, listed in zip(rows, graded(), strict=True)
    )


def questions(world: World, parted: Split, most: int) -> list[Question]:
    """At most so many of the hundred, evenly over their order, each about a moment of its own.

    Raises:
        InputError: if the store has no moment for testing.
    """
    moments = parted.of("new-company") or parted.of("new-time")
    if not moments:
        raise InputError("no company has sessions on test dates; ingest more prices, or move snapshot.as_of")
    rows = mapping()
    chosen = [rows[at * len(rows) // most] for at in range(min(most, len(rows)))]
    asked = []
    for at, row in enumerate(chosen):
        moment = moments[at % len(moments)]
        query = row.about(world.catalog.companies.by_id(moment.company))
        asked.append(Question(row.number, row.kind, query, moment))
    return asked


def brief_for(world: World, question: Question) -> Brief | InputError:
    """What a writer is given after the rules agent has read the question, or why it could not."""
    as_of = question.moment.as_of
    try:
        request = RulesAgent(world.catalog).request(question.query, as_of)
    except InputError as error:
        return error
    steps = plan(question.query, request, world.catalog)
    bundle = read(question.query, request, steps, as_of=as_of, world=world)
    findings, bundle = analyse(request, steps, bundle, world.catalog)
    return Brief(question.query, steps, request, bundle, findings, world.catalog)


def kinds(asked: Sequence[Question]) -> dict[str, int]:
    """How many questions of each kind."""
    return dict(Counter(question.kind for question in asked))
