"""Cells of the benchmark: one system on one part, as score rows (floor 4).

Agents are scored on requests, writers on reports about companies and dates held out. The same few questions
for every system; a reply that cannot be read stays in the denominator (law 5).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from finground.agent.tuned import AgentReply
from finground.answer import World, Writer, judge
from finground.bench.requests import AgentOutput, score_requests
from finground.bench.statistics import mean_and_error
from finground.catalog.dates import end_of
from finground.context.pairs import read_pairs
from finground.core.errors import InputError
from finground.core.paths import Root
from finground.records.report import Report, WriterPair
from finground.records.request import Pair, Request
from finground.records.score import KeptReply, ScoreRow
from finground.report.brief import Brief
from finground.report.grounding import check
from finground.roles import tuned_agent, tuned_writer
from finground.settings import Settings
from finground.stocksis import PARTS, Moment, brief_of, pairs

Replies = Callable[[Sequence[Pair]], Sequence[AgentOutput]]
REQUEST_PARTS = ("test-natural", "test-seen", "test-new-template", "test-new-company", "test-new-metric")


@dataclass(frozen=True, slots=True)
class Trial:
    """Whose scores, on what task, with which seed and code."""

    system: str
    task: str
    seed: int
    commit: str


@dataclass(frozen=True, slots=True)
class Scored:
    """Score rows, and what the models said."""

    rows: tuple[ScoreRow, ...] = ()
    replies: tuple[KeptReply, ...] = ()

    def __add__(self, other: "Scored") -> "Scored":
        return Scored(self.rows + other.rows, self.replies + other.replies)


# agents ------------------------------------------------------------------------------------------


def score_agents(world: World, root: Root, settings: Settings, commit: str) -> Scored:
    """Rules, and the agent on each base, on every test part."""
    parts = {part: list(read_pairs(root.context, part, settings.bench.questions)) for part in REQUEST_PARTS}
    total = Scored()
    for system, replies in _agents(world, root, settings):
        for part, questions in parts.items():
            if questions:
                total += _score_agent(
                    Trial(system, "request", settings.seed, commit), part, questions, replies, world
                )
    return total


def _score_agent(
    trial: Trial, part: str, questions: Sequence[Pair], replies: Replies, world: World
) -> Scored:
    said = replies(questions)
    rows = score_requests(
        trial.system, said, questions, world.catalog, part=part, seed=trial.seed, commit=trial.commit
    )
    kept = [
        KeptReply(trial.system, part, reply.prompt, reply.text, reply.stop, reply.why)
        for reply in said
        if isinstance(reply, AgentReply)
    ]
    return Scored(tuple(rows), tuple(kept))


def _agents(world: World, root: Root, settings: Settings) -> Iterator[tuple[str, Replies]]:
    as_of = end_of(settings.snapshot.as_of)
    yield "rules", lambda questions: [_by_rules(world, pair) for pair in questions]
    for kind in settings.agent.bases:
        yield (
            f"agent-{kind}",
            partial(tuned_agent(kind, world, root, settings, as_of).replies, batch=settings.bench.batch),
        )


def _by_rules(world: World, pair: Pair) -> Request | InputError:
    from finground.agent.rules import RulesAgent

    try:
        return RulesAgent(world.catalog).request(pair.query, pair.as_of)
    except InputError as error:
        return error


# writers -----------------------------------------------------------------------------------------


def score_writers(world: World, root: Root, settings: Settings, commit: str) -> Scored:
    """Template, untuned base and tuned writer on companies and dates that training never saw."""
    total = Scored()
    for system, writer in _writers(root, settings):
        trial = Trial(system, "report", settings.seed, commit)
        total += score_writer(trial, writer, held_out(root, settings.bench.reports), world)
    return total


def held_out(root: Root, most: int) -> dict[str, list[WriterPair]]:
    """At most so many pairs of each test part."""
    return {part: list(pairs(root.stocksis, part))[:most] for part in PARTS[1:]}


def _writers(root: Root, settings: Settings) -> Iterator[tuple[str, Writer]]:
    from finground.report.template import TemplateWriter

    yield "template", TemplateWriter(compact=True)
    yield "base", tuned_writer(None, root, settings)
    yield "writer", tuned_writer(root.writer, root, settings)


def score_writer(
    trial: Trial, writer: Writer, asked: Mapping[str, Sequence[WriterPair]], world: World
) -> Scored:
    """One writer on all parts, written together; eligibility with its six criteria, grounding, length."""
    flat = [(part, pair) for part, held in asked.items() for pair in held]
    briefs = [brief_of(world, Moment(pair.company, pair.as_of, part), pair.query) for part, pair in flat]
    written = write_all(writer, briefs)
    reports = [check(report, brief) for report, brief in zip(written, briefs, strict=True)]
    total = Scored(
        replies=tuple(
            _kept(trial, part, pair, report) for (part, pair), report in zip(flat, written, strict=True)
        )
    )
    for part in asked:
        chosen = [index for index, (of, _) in enumerate(flat) if of == part]
        if chosen:
            rows = _part_rows(trial, part, [reports[i] for i in chosen], [briefs[i] for i in chosen])
            total += Scored(rows)
    return total


def _kept(trial: Trial, part: str, pair: WriterPair, report: Report) -> KeptReply:
    return KeptReply(trial.system, part, pair.prompt, report.text, " ".join(report.stops))


def _part_rows(
    trial: Trial, part: str, reports: Sequence[Report], briefs: Sequence[Brief]
) -> tuple[ScoreRow, ...]:
    measured = [measure(report, brief) for report, brief in zip(reports, briefs, strict=True)]
    unread = sum(report.status == "failed" for report in reports)
    truncated = sum("length" in report.stops for report in reports)
    rows = []
    for metric in measured[0]:
        value, error = mean_and_error([values[metric] for values in measured])
        counts = (len(reports), unread, truncated, trial.seed, trial.commit, "template-writer")
        rows.append(ScoreRow(trial.system, trial.task, 1, part, metric, value, error, *counts))
    return tuple(rows)


def write_all(writer: Writer, briefs: Sequence[Brief]) -> list[Report]:
    """All reports; a writer that can write several at once does."""
    together = getattr(writer, "write_all", None)
    return list(together(briefs)) if together else [writer.write(brief) for brief in briefs]


def measure(report: Report, brief: Brief) -> dict[str, float]:
    """What counts in one report; a failed one scores 0 on all that is good and keeps its errors."""
    score = judge(report, brief)
    failed = report.status == "failed"
    criteria = {} if score is None else {c.name: float(c.passed and not failed) for c in score.criteria}
    return {
        "eligible": float(score is not None and score.eligible and not failed),
        **criteria,
        "ungrounded": float(len(report.ungrounded)),
        "words": float(len(report.text.split())),
    }
