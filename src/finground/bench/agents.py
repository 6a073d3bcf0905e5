"""Agents scored: rules, the model on each base, and both together, on every part of the questions (floor 4).

The same questions for every agent; a reply that cannot be read stays in the denominator (law 5). Execution
accuracy asks the store: does the request bring the rows that the right one brings.
"""

import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from finground.agent.rules import RulesAgent
from finground.answer import World
from finground.bench.cell import Scored, Trial
from finground.bench.requests import AgentOutput, Judged, judge, score_rows
from finground.bench.statistics import paired
from finground.catalog import dialect
from finground.catalog.catalog import Catalog
from finground.catalog.dates import end_of
from finground.context.pairs import read_pairs
from finground.context.split import NATURAL
from finground.core.errors import InputError
from finground.core.paths import Root
from finground.records.request import Pair, Reading, Request
from finground.records.score import Comparison, KeptReply
from finground.roles import hybrid_agent, tuned_agent
from finground.settings import Settings
from finground.store.lookup import lookup

Replies = Callable[[Sequence[Pair]], Sequence[AgentOutput]]
PARTS = (NATURAL, "test-seen", "test-new-template", "test-new-company", "test-new-metric")
RULES = "rules"
Rows = frozenset[tuple[object, ...]]


def score_agents(
    world: World, root: Root, settings: Settings, commit: str
) -> tuple[Scored, dict[str, float]]:
    """Every agent on every test part; and the seconds a question that each took."""
    parts = parts_of(root, settings)
    wanted = wanted_of(parts, world)
    total, seconds, found = Scored(), dict[str, float](), dict[tuple[str, str], Judged]()
    for system, others, replies in _agents(world, root, settings):
        trial = Trial(system, "request", settings.seed, commit)
        for part, pairs in parts.items():
            began = time.perf_counter()
            said = replies(pairs)
            seconds[f"{system}.{part}.seconds_a_question"] = (time.perf_counter() - began) / len(pairs)
            scored, judged = score_replies(trial, part, said, pairs, wanted[part], world)
            found[system, part] = judged
            compared = (
                against(trial, part, judged, other, found[other, part], world.catalog) for other in others
            )
            total += scored + Scored(compared=tuple(compared))
    return total, seconds


def parts_of(root: Root, settings: Settings) -> dict[str, list[Pair]]:
    """The first questions of each test part that has any."""
    parts = {part: list(read_pairs(root.context, part, settings.bench.questions)) for part in PARTS}
    return {part: pairs for part, pairs in parts.items() if pairs}


def wanted_of(parts: Mapping[str, Sequence[Pair]], world: World) -> dict[str, list[Rows]]:
    """What the right request of every question brings."""
    return {part: [served(world, pair.request, pair) for pair in pairs] for part, pairs in parts.items()}


def score_replies(
    trial: Trial, part: str, said: Sequence[AgentOutput], pairs: Sequence[Pair], wanted: Sequence[Rows],
    world: World,
) -> tuple[Scored, Judged]:  # fmt: skip
    """Score rows of an agent's replies on one part, and every reply beside what would have been right."""
    judged = judge(said, pairs, world.catalog)
    return _scored(trial, part, said, judged, world) + _executed(trial, part, judged, wanted, world), judged


def served(world: World, request: Request | None, pair: Pair) -> Rows:
    """What the store brings for a request on the day of the question, without news."""
    if request is None:
        return frozenset()
    try:
        bundle = lookup(
            world.store, request, {}, as_of=pair.as_of, catalog=world.catalog, vector=None, k=0, threshold=1.0
        )
    except InputError:
        return frozenset()
    facts = ((f.entity, f.metric, f.period_start, f.period_end, f.value) for f in bundle.facts)
    series = ((s.entity, s.names, str(s.times[0]), str(s.times[-1])) for s in bundle.series if len(s.times))
    return frozenset([*facts, *series])


def _scored(trial: Trial, part: str, said: Sequence[AgentOutput], judged: Judged, world: World) -> Scored:
    """Score rows, and every reply of a model beside what would have been right."""
    rows = score_rows(trial.system, judged, part=part, seed=trial.seed, commit=trial.commit)
    kept = []
    for place, (reply, output) in enumerate(zip(said, judged.outputs, strict=True)):
        pair = judged.pairs[place]
        right = dialect.write(pair.request, "compact", world.catalog)
        text = dialect.write(output.request, "compact", world.catalog) if output.request else output.text
        stop, why = getattr(reply, "stop", ""), getattr(reply, "why", "")
        prompt = getattr(reply, "prompt", "") or pair.query
        kept.append(
            KeptReply(trial.system, part, prompt, text, stop, why, right, judged.mean_f1(place), output.sure)
        )
    return Scored(tuple(rows), tuple(kept))


def _executed(trial: Trial, part: str, judged: Judged, wanted: Sequence[Rows], world: World) -> Scored:
    """The share of questions whose request brings the rows of the right one, of those that bring any."""
    places = [place for place, rows in enumerate(wanted) if rows]
    if not places:
        return Scored()
    same = [
        float(served(world, judged.outputs[place].request, judged.pairs[place]) == wanted[place])
        for place in places
    ]
    some = Judged(
        tuple(judged.outputs[place] for place in places), tuple(judged.pairs[place] for place in places),
        {"exact_match": same}, 0.0,
    )  # fmt: skip
    first = score_rows(trial.system, some, part=part, seed=trial.seed, commit=trial.commit)[0]
    return Scored((dataclasses.replace(first, metric="execution"),))


def against(
    trial: Trial, part: str, judged: Judged, other: str, theirs: Judged, catalog: Catalog
) -> Comparison:
    """How much more often a system is right than another on the same questions, and how often they differ."""
    from finground.bench.metrics import alike, fields

    exact = judged.items["exact_match"]
    difference, p = paired(exact, theirs.items["exact_match"], seed=trial.seed)
    values = (difference.value, difference.low, difference.high, p, len(exact))
    changed = sum(
        not alike(fields(ours.request, catalog), fields(output.request, catalog))
        for ours, output in zip(judged.outputs, theirs.outputs, strict=True)
    )
    return Comparison(trial.system, other, part, "exact_match", *values, changed / len(exact))


def _agents(world: World, root: Root, settings: Settings) -> Iterator[tuple[str, tuple[str, ...], Replies]]:
    """Each agent's name, the names of those before it that it is compared with, and how it replies."""
    as_of, agents = end_of(settings.snapshot.as_of), settings.agent
    yield RULES, (), lambda pairs: [_by_rules(RulesAgent(world.catalog), pair) for pair in pairs]
    tuned_ones: tuple[str, ...] = ()
    for kind in agents.bases:
        tuned = tuned_agent(kind, world, root, settings, as_of)
        name = kind if agents.method == "prompt" else f"{kind}-{agents.method}"
        yield f"agent-{name}", (RULES, *tuned_ones), partial(tuned.replies, batch=settings.bench.batch)
        tuned_ones = (*tuned_ones, f"agent-{name}")
        if kind == agents.bases[-1]:
            yield f"hybrid-{name}", (RULES,), hybrid_agent(tuned).replies


def _by_rules(agent: RulesAgent, pair: Pair) -> Reading | InputError:
    try:
        return agent.read(pair.query, pair.as_of)
    except InputError as error:
        return error
