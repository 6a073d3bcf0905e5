"""Cells of the benchmark: one agent on one part of the questions, as score rows (floor 4).

The same few questions for every agent; a reply that cannot be read stays in the denominator (law 5). Writers
are scored in `reports`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from finground.agent.tuned import AgentReply
from finground.answer import World
from finground.bench.requests import AgentOutput, score_requests
from finground.catalog.dates import end_of
from finground.context.pairs import read_pairs
from finground.core.errors import InputError
from finground.core.paths import Root
from finground.records.request import Pair, Request
from finground.records.score import Comparison, KeptReply, ScoreRow
from finground.roles import tuned_agent
from finground.settings import Settings

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
    """Score rows, what the models said, and how systems compare."""

    rows: tuple[ScoreRow, ...] = ()
    replies: tuple[KeptReply, ...] = ()
    compared: tuple[Comparison, ...] = ()

    def __add__(self, other: "Scored") -> "Scored":
        return Scored(self.rows + other.rows, self.replies + other.replies, self.compared + other.compared)


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
