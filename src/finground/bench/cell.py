"""Cells of the benchmark: one system on one part, as score rows (floor 4).

Agents are scored on requests, writers on reports about companies and dates held out. The same few questions
for every system; a reply that cannot be read stays in the denominator (law 5).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from finground.answer import World, Writer, judge
from finground.bench.requests import AgentOutput, score_requests
from finground.bench.statistics import mean_and_error
from finground.core.artifact import read_rows
from finground.core.errors import InputError
from finground.core.paths import Root
from finground.records.report import Report, WriterPair
from finground.records.request import Pair, Request
from finground.records.score import ScoreRow
from finground.report.brief import Brief
from finground.report.grounding import check
from finground.settings import Settings
from finground.stocksis import PARTS, Moment, brief_of, pairs

if TYPE_CHECKING:
    from finground.agent.tuned import TunedAgent
    from finground.lm.generate import Generator

Replies = Callable[[Sequence[Pair]], Sequence[AgentOutput]]
REQUEST_PARTS = ("test-seen", "test-new-template", "test-new-company", "test-new-metric", "test-natural")


# agents ------------------------------------------------------------------------------------------


def request_rows(world: World, root: Root, settings: Settings, commit: str) -> list[ScoreRow]:
    """Rules, and the agent on each base, on every test part."""
    parts = {
        part: list(read_rows(root.context / f"{part}.jsonl", Pair))[: settings.bench.questions]
        for part in REQUEST_PARTS
    }
    rows: list[ScoreRow] = []
    for system, requests in _agents(world, root, settings):
        for part, questions in parts.items():
            if questions:
                replies = requests(questions)
                rows += score_requests(
                    system, replies, questions, world.catalog, part=part, seed=settings.seed, commit=commit
                )
    return rows


def _agents(world: World, root: Root, settings: Settings) -> Iterator[tuple[str, "Replies"]]:
    yield "rules", lambda questions: [_by_rules(world, pair) for pair in questions]
    for kind in settings.agent.bases:
        yield (
            f"agent-{kind}",
            partial(_by_model(world, root, settings, kind).replies, batch=settings.bench.batch),
        )


def _by_model(world: World, root: Root, settings: Settings, kind: str) -> "TunedAgent":
    """The agent on the base of that kind; its grammar names only companies that have data."""
    from finground.agent.grammar import compact
    from finground.agent.tuned import TunedAgent

    form = settings.agent.form
    grammar = compact(world.known) if form == "compact" else None
    return TunedAgent(_generator(root, kind, root.agent(kind)), world.catalog, form, grammar)


def _by_rules(world: World, pair: Pair) -> Request | InputError:
    from finground.agent.rules import RulesAgent

    try:
        return RulesAgent(world.catalog).request(pair.query, pair.as_of)
    except InputError as error:
        return error


# writers -----------------------------------------------------------------------------------------


def report_rows(world: World, root: Root, settings: Settings, commit: str) -> list[ScoreRow]:
    """Template, untuned base and tuned writer on companies and dates that training never saw."""
    rows: list[ScoreRow] = []
    for system, writer in _writers(root, settings):
        for part in PARTS[1:]:
            held_out = pairs(root.stocksis, part)[: settings.bench.reports]
            rows += score_writer(system, "report", part, held_out, writer, world, settings.seed, commit)
    return rows


def _writers(root: Root, settings: Settings) -> Iterator[tuple[str, Writer]]:
    from finground.report.template import TemplateWriter
    from finground.report.tuned import TunedWriter

    yield "template", TemplateWriter(compact=True)
    yield "base", TunedWriter(_generator(root, "domain", None), settings.bench.new_tokens)
    yield "writer", TunedWriter(_generator(root, "domain", root.writer), settings.bench.new_tokens)


def score_writer(
    system: str,
    task: str,
    part: str,
    held_out: Sequence[WriterPair],
    writer: Writer,
    world: World,
    seed: int,
    commit: str,
) -> list[ScoreRow]:
    """Rows of one writer on one part: eligibility with its six criteria, grounding, coverage, length."""
    if not held_out:
        return []
    briefs = [brief_of(world, Moment(pair.company, pair.as_of, part), pair.query) for pair in held_out]
    reports = [check(report, brief) for report, brief in zip(write_all(writer, briefs), briefs, strict=True)]
    measured = [measure(report, brief) for report, brief in zip(reports, briefs, strict=True)]
    unread = sum(report.status == "failed" for report in reports)
    truncated = sum("length" in report.stops for report in reports)
    rows = []
    for metric in measured[0]:
        value, error = mean_and_error([values[metric] for values in measured])
        rows.append(
            ScoreRow(
                system,
                task,
                1,
                part,
                metric,
                value,
                error,
                n=len(reports),
                n_unread=unread,
                n_truncated=truncated,
                seed=seed,
                commit=commit,
                labels="template-writer",
            )
        )
    return rows


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


def _generator(root: Root, kind: str, adapter: Path | None) -> "Generator":
    from finground.lm.generate import Generator

    return Generator.open(root.base(kind), adapter)
