"""Stocksis: pairs of background and report over companies and dates (FinSphere, section 3.1; floor 4).

The background is what the six tools found for a company as of a date; the report is the template writer's in
its compact form (no figure that the prompt does not hold), and marked so (`labels`). Parts: training
companies on training dates; `new-time`, the same companies on later dates; `new-company`, companies that
training never sees, on later dates (law 8). A report that fails AnalyScore's eligibility is no label (but
see `unfit`): it goes to rejected.jsonl with the criterion it failed.
"""

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from finground.answer import World, analyse, judge, read
from finground.core.artifact import read_rows, whole_folder, write_rows
from finground.core.errors import InputError
from finground.core.log import progress
from finground.records.document import Dropped
from finground.records.report import Plan, Report, WriterPair
from finground.records.request import Entity, Request
from finground.report.brief import Brief
from finground.report.grounding import check
from finground.settings import Stocksis

QUESTIONS = (
    "Please analyze {0}.",
    "How is {0} doing?",
    "Give me a full review of {0}.",
    "What do you think of {0} stock?",
    "Can you look at {0} for me?",
    "Diagnose {0}.",
    "Is {0} worth watching? Please analyze.",
)
PARTS = ("train", "new-time", "new-company")
FEWEST_BARS = 80  # MACD and a 60-day average want that many sessions
TEST_TIME = 0.2  # the last fifth of the dates is for testing


@dataclass(frozen=True, slots=True)
class Moment:
    """A company at a session's close."""

    company: str
    as_of: datetime
    part: str


def build(world: World, folder: Path, settings: Stocksis, *, as_of: datetime, seed: int) -> dict[str, int]:
    """Write the pairs; returns counts by part, and rejects by reason.

    Raises:
        InputError: if no company has prices enough.
    """
    rng = random.Random(seed)
    wanted = settings.pairs
    kept: dict[str, list[WriterPair]] = {part: [] for part in PARTS}
    rejected: list[Dropped] = []
    share = {
        "train": wanted,
        "new-time": math.ceil(wanted * TEST_TIME),
        "new-company": math.ceil(wanted * TEST_TIME),
    }
    for moment in progress(moments(world, settings, as_of, rng), "stocksis", sum(share.values())):
        if len(kept[moment.part]) >= share[moment.part]:
            continue
        made = pair(world, moment, rng)
        if isinstance(made, Dropped):
            rejected.append(made)
        else:
            kept[moment.part].append(made)
        if all(len(kept[part]) >= share[part] for part in PARTS):
            break
    if not kept["train"]:
        raise InputError(
            f"0 of {len(rejected)} reports are eligible as labels; "
            "see the reasons in the log, or give experts' files"
        )
    with whole_folder(folder, {"labels": "template-writer", "seed": seed}) as out:
        for part in PARTS:
            write_rows(out / f"{part}.jsonl", kept[part])
        write_rows(out / "rejected.jsonl", rejected)
    reasons = Counter(f"rejected.{drop.reason}" for drop in rejected)
    words = [len(pair.target.split()) for pair in kept["train"]]
    return {
        **{part: len(kept[part]) for part in PARTS},
        "mean_words": round(sum(words) / len(words)),
        **reasons,
    }


def moments(world: World, settings: Stocksis, as_of: datetime, rng: random.Random) -> Iterator[Moment]:
    """Company and date, endlessly varied but seeded; none of a test part is ever in training."""
    sessions = {
        id: days
        for id in sorted(world.store.covered(as_of))
        if len(days := world.store.sessions(id, as_of)) >= FEWEST_BARS
    }
    if not sessions:
        raise InputError(
            f"no company has {FEWEST_BARS} sessions of prices by {as_of:%Y-%m-%d}; ingest price files first"
        )
    companies = sorted(sessions)
    rng.shuffle(companies)
    held_out = (
        set(companies[: max(1, math.ceil(settings.test_companies * len(companies)))])
        if len(companies) > 1
        else set()
    )
    every = sorted(day for days in sessions.values() for day in days[FEWEST_BARS - 1 :])
    cut = every[int(len(every) * (1 - TEST_TIME))]
    choices = [
        Moment(id, day, part)
        for id in companies
        for day in sessions[id][FEWEST_BARS - 1 :]
        if (part := _part(id in held_out, day >= cut))
    ]
    rng.shuffle(choices)
    yield from choices


def _part(company_held_out: bool, late: bool) -> str:
    if company_held_out:
        return "new-company" if late else ""
    return "new-time" if late else "train"


def pair(world: World, moment: Moment, rng: random.Random) -> WriterPair | Dropped:
    """The pair of one moment, or why it is none."""
    from finground.report.prompt import prompt
    from finground.report.template import TemplateWriter

    brief = brief_of(world, moment, rng.choice(QUESTIONS))
    id = f"{moment.company}@{moment.as_of:%Y-%m-%d}"
    report = check(TemplateWriter(compact=True).write(brief), brief)
    if reason := unfit(report, brief):
        return Dropped(id, "stocksis", reason)
    return WriterPair(
        id,
        brief.query,
        moment.as_of,
        moment.company,
        prompt(brief),
        report.text,
        "template-writer",
        moment.part,
    )


def unfit(report: Report, brief: Brief) -> str:
    """The first reason why a report is no label, or nothing.

    A horizon that has no data cannot be concluded on: where dimensions are missing, the report says so, and
    "conclusion structure" alone is no reason.
    """
    score = judge(report, brief)
    if score is None:
        return "not an analysis"
    excused = "conclusion structure" if report.missing else ""
    failed = [criterion.name for criterion in score.criteria if not criterion.passed]
    return next((name for name in failed if name != excused), "not grounded" if report.ungrounded else "")


def brief_of(world: World, moment: Moment, question: str) -> Brief:
    """All a writer is given about a company at a moment."""
    from finground.agent.plan import plan as make_plan

    company = world.catalog.companies.by_id(moment.company)
    query = question.format(company.name)
    request = Request("analysis", (Entity("company", company.id, company.name),), ())
    plan: Plan = make_plan(query, request)
    bundle = read(query, request, plan, as_of=moment.as_of, world=world)
    findings, bundle = analyse(request, plan, bundle, world.catalog)
    return Brief(query, plan, request, bundle, findings, world.catalog, None)


def pairs(folder: Path, part: str) -> Sequence[WriterPair]:
    """The pairs of one part."""
    return list(read_rows(folder / f"{part}.jsonl", WriterPair))
