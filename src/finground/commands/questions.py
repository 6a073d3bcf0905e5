"""Commands that take a question, a request or a kept answer."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from finground.commands import shared
from finground.core.errors import InputError
from finground.core.paths import Root
from finground.records.request import Reading

if TYPE_CHECKING:
    from finground.answer import Agent, World
    from finground.records.report import Answer, Score
    from finground.settings import Settings


def request(options: argparse.Namespace) -> None:
    """A question as a request, in one of the written forms."""
    from finground.catalog.dialect import write
    from finground.core.coding import plain
    from finground.roles import open_world

    root = Root(options.root)
    settings = shared.settings(root)
    with open_world(shared.live(root, settings), settings) as world:
        agent = _agent(options, world, root, settings)
        reading = agent.read(options.question, shared.as_of(options.as_of))
        text = write(reading.request, options.form, world.catalog)
    if options.json:
        print(json.dumps({"text": text, **plain(reading)}, indent=2))
        return
    print(text)
    _warn(reading)


def lookup(options: argparse.Namespace) -> None:
    """A written request, served from the store."""
    from finground.catalog.dialect import read
    from finground.core.coding import plain
    from finground.report.linearize import linearize
    from finground.roles import open_world
    from finground.store.lookup import lookup as serve_request

    root = Root(options.root)
    settings, as_of = shared.settings(root), shared.as_of(options.as_of)
    with open_world(shared.live(root, settings), settings) as world:
        asked = read(options.request, options.form, world.catalog, as_of)
        bundle = serve_request(
            world.store,
            asked,
            {},
            as_of=as_of,
            catalog=world.catalog,
            vector=None,
            k=world.k,
            threshold=world.threshold,
        )
        print(json.dumps(plain(bundle), indent=2) if options.json else linearize(bundle, world.catalog))


def ask(options: argparse.Namespace) -> None:
    """A question answered, every number with its source."""
    from finground.encoder.embed import Embedder

    encoder = Embedder().opened_aside()  # while the rest is imported
    from finground import roles
    from finground.answer import answer

    root = Root(options.root)
    settings = shared.settings(root)
    profile = _profile(options.profile) if options.profile else None
    after = _after(options.after) if options.after else None
    if after and options.as_of is None:
        options.as_of = after.as_of.isoformat()
    with roles.open_world(shared.live(root, settings), settings, encoder) as world:
        agent = _agent(options, world, root, settings, after)
        writer = roles.writer(options.writer, root, settings)
        planner, who = roles.planner(options.planner, root, settings), options.agent
        models = roles.models(who, options.planner, options.writer, root, settings)
        answered = answer(
            options.question,
            as_of=shared.as_of(options.as_of),
            world=replace(world, versions={**world.versions, **models}),
            agent=agent,
            writer=writer,
            planner=planner,
            profile=profile,
            after=after,
        )
    if options.html:
        from finground.core.artifact import whole_file
        from finground.service.page import page

        with whole_file(options.html) as temporary:
            temporary.write_text(page(answered))
    _show(answered, as_json=options.json)


def score(options: argparse.Namespace) -> None:
    """AnalyScore of a kept answer: every criterion and every mark with its evidence."""
    from finground.answer import judge
    from finground.core.coding import plain
    from finground.report.brief import Brief
    from finground.report.grounding import check
    from finground.roles import open_world

    kept = _kept(options.answer)
    root = Root(options.root)
    settings = shared.settings(root)
    with open_world(shared.live(root, settings), settings) as world:
        found = (kept.query, kept.plan, kept.request, kept.bundle, kept.findings)
        brief = Brief(*found, world.catalog, kept.profile)
        report = check(kept.report, brief)
        graded = judge(report, brief)
    if graded is None:
        raise InputError(
            f"{options.answer} holds a {kept.report.kind} answer; AnalyScore grades analyses only"
        )
    readings: list[object] = []
    if options.judge:
        from finground.analyscore.judge import judge_one
        from finground.roles import judge as role

        generator, name = role(options.judge, root, settings)
        judged = judge_one(generator, name, report, brief, seed=settings.seed)
        graded, readings = judged.score(0, graded), list(judged.readings)
    if options.json:
        kept_too = {"readings": plain(readings)} if readings else {}
        print(json.dumps({**plain(graded), "total": graded.total, **kept_too}, indent=2))
    else:
        print(_told(graded))


def serve(options: argparse.Namespace) -> None:
    """The same over HTTP, on loopback."""
    from finground.service.app import serve as listen

    root = Root(options.root)
    settings = shared.settings(root)
    listen(shared.live(root, settings), settings, port=options.port, clock=shared.now)


def _agent(
    options: argparse.Namespace, world: "World", root: Root, settings: "Settings",
    after: "Answer | None" = None,
) -> "Agent":  # fmt: skip
    from finground.roles import agent

    if after:
        if options.agent != "rules":
            raise InputError(f"--after is read by rules; leave --agent {options.agent} out")
        from finground.agent.follow import FollowUp

        return FollowUp(world.catalog, after.request)
    return agent(options.agent, world, root, settings, shared.as_of(options.as_of))


def _show(answered: "Answer", *, as_json: bool) -> None:
    from finground.core.coding import plain

    if as_json:
        print(json.dumps(plain(answered), indent=2, ensure_ascii=False))
        return
    print(answered.report.text)
    _warn(answered.reading)
    for claim in answered.report.ungrounded:
        print(f"finground: not borne out by data: {claim.text!r} ({claim.why})", file=sys.stderr)


def _warn(reading: Reading) -> None:
    """Say that a request is doubtful, and why."""
    if reading.doubtful:
        print(f"finground: the request is doubtful ({reading.sure:.2f}): {reading.why}", file=sys.stderr)


def _told(graded: "Score") -> str:
    """The score as text: eligibility, then the rubric."""
    from finground.analyscore.rubric import LEVELS

    lines = ["eligible" if graded.eligible else "not eligible"]
    lines += [
        f"  {'pass' if row.passed else 'FAIL'}  {row.name}: {'; '.join(row.evidence)}"
        for row in graded.criteria
    ]
    points = ", ".join(f"{line} {value}" for line, value in graded.points.items())
    lines.append(f"{graded.total} of 100 points ({points})")
    lines += [
        f"  {row.points:2} of {LEVELS[row.part][0].points}  {row.part} (by {row.by}): "
        f"{'; '.join(row.evidence)}"
        for row in graded.marks
    ]
    return "\n".join(lines)


def _kept(path: Path) -> "Answer":
    import msgspec

    from finground.core.artifact import read_text
    from finground.core.coding import decode
    from finground.records.report import Answer

    try:
        return decode(read_text(path), Answer)
    except msgspec.MsgspecError as error:
        raise InputError(
            f"{path} is not a kept answer ({error}); `finground ask --json` writes one"
        ) from error


def _after(path: Path) -> "Answer":
    """A kept answer whose request can be gone on from."""
    from finground.agent.ranking import MOST

    kept = _kept(path)
    rank, interval = kept.request.rank, kept.request.interval
    if rank and not 1 <= rank.n <= MOST:
        raise InputError(f"{path} ranks {rank.n} companies; a ranking holds 1 to {MOST}")
    if interval and interval.end < interval.start:
        raise InputError(
            f"{path} asks for dates that end ({interval.end}) before they start ({interval.start})"
        )
    return kept


def _profile(path: Path) -> dict[str, str]:
    from finground.core.artifact import read_json
    from finground.report.profile import mistakes

    found = read_json(path)
    wrong = mistakes(found) if isinstance(found, dict) else ["it is no object"]
    if wrong:
        right = '{"risk": "low", "horizon": "long"}'
        raise InputError(f"{path} is not an investor's profile: {'; '.join(wrong)}; write e.g. {right}")
    return {key: str(value) for key, value in found.items()}
