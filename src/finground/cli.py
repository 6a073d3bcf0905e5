"""The door: `finground COMMAND`. Results go to stdout, progress and the log to stderr (floor 6).

Exit codes: 0 done, 1 a run failed, 2 the user's input is wrong (one sentence, no traceback). Rooms are
imported inside each command, so that `finground --help` starts in a blink. Only here and in the service is
the clock read.
"""

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finground.core.errors import FingroundError, InputError
from finground.core.paths import Root

if TYPE_CHECKING:
    from finground.answer import Agent, World, Writer
    from finground.records.report import Answer
    from finground.settings import Settings

Command = Callable[..., argparse.ArgumentParser]
DEMO_QUESTION = "How did the net income of {0} compare to {1} in the last quarter?"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its code."""
    _quiet()
    try:
        options = _parser().parse_args(arguments)
        options.does(options)
    except FingroundError as error:
        print(f"finground: {error}", file=sys.stderr)
        for candidate in getattr(error, "candidates", ())[:5]:
            print(f"  did you mean: {candidate}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        print("finground: stopped; what was finished is kept, the same command goes on", file=sys.stderr)
        sys.exit(1)


# projects and stages -----------------------------------------------------------------------------


def init(options: argparse.Namespace) -> None:
    """Make a project root."""
    from finground.project import create, refresh

    if options.refresh:
        refresh(Root(options.dir))
    else:
        create(options.dir, options.profile, raw=options.raw, full=options.full)
    print(options.dir)


def demo(options: argparse.Namespace) -> None:
    """Everything once, on invented companies."""
    from finground.project import demo as walk

    walk(options.dir, now=_now(), commit=_commit())
    world_root = Root(options.dir)
    settings = _settings(world_root)
    from finground.stages import open_world

    with open_world(world_root.live, settings) as world:
        first, second = _two_companies(world)
        question = DEMO_QUESTION.format(first, second)
        as_of = _as_of(str(settings.snapshot.as_of))
        answered = _answer(question, as_of, world, world_root, settings, "rules", "template")
    print(f"\nQ: {question}  (as of {settings.snapshot.as_of})\n\n{answered.report.text}\n")
    print(_where_next(options.dir, first, settings))


def run(options: argparse.Namespace) -> None:
    """Run stages, in the order given."""
    from finground.project import run_stages

    root = Root(options.root)
    results = run_stages(root, options.stages, now=_now(), commit=_commit(), version=options.version)
    if options.json:
        print(json.dumps(results, indent=2, sort_keys=True))


def plan(options: argparse.Namespace) -> None:
    """What DVC would run again, and why."""
    from finground.project import what_would_run

    reasons = what_would_run(Root(options.root))
    if options.json:
        print(json.dumps(reasons, indent=2))
    elif not reasons:
        print("nothing: every stage is up to date")
    for stage, why in reasons.items() if not options.json else ():
        print(f"{stage}: {'; '.join(why)}")


def ingest(options: argparse.Namespace) -> None:
    """Read raw files into the live store."""
    from finground.stages import run as run_stage

    outcome = run_stage(Root(options.root), "ingest", now=_now(), commit=_commit())
    print(json.dumps(outcome.ledger, indent=2, sort_keys=True))


def store(options: argparse.Namespace) -> None:
    """What the live store holds."""
    from finground.store.reader import Store

    with Store.open(_live(Root(options.root))) as opened:
        status = opened.status()
    print(json.dumps(status, indent=2, sort_keys=True, default=str))


def fetch(options: argparse.Namespace) -> None:
    """Bring raw files or a base model from the network."""
    root = Root(options.root)
    if options.source == "base":
        from finground.lm.base import fetch as fetch_base
        from finground.lm.base import fetched

        base = _settings(root).base
        fetch_base(base.name, base.revision, into := fetched(base, root.plain))
        print(into)
        return
    from finground.store.fetch import fetch as fetch_source

    into = root.folder / _settings(root).raw
    for path in fetch_source(options.source, into, names=options.names, now=_now()):
        print(path)


def table(options: argparse.Namespace) -> None:
    """The papers' tables, ours beside theirs."""
    root = Root(options.root)
    if not root.table.is_file():
        raise InputError(f"{root.table} is not there; `finground run table --root {root.folder}` writes it")
    text = root.table.read_text()
    if options.copy:
        from finground.core.artifact import whole_file

        with whole_file(options.copy) as temporary:
            temporary.write_text(text)
    print(text, end="")


def schema(options: argparse.Namespace) -> None:
    """The JSON Schema of every record."""
    from finground.records.schema import schemas

    found = schemas()
    if options.record and options.record not in found:
        raise InputError(
            f"{options.record!r} is not a record; there are: {', '.join(k for k in found if k != '$defs')}"
        )
    chosen = {**found[options.record], "$defs": found["$defs"]} if options.record else found
    print(json.dumps(chosen, indent=2))


# questions ---------------------------------------------------------------------------------------


def request(options: argparse.Namespace) -> None:
    """A question as a request, in one of the written forms."""
    from finground.catalog.dialect import write
    from finground.core.coding import plain
    from finground.stages import open_world

    root = Root(options.root)
    settings = _settings(root)
    with open_world(_live(root), settings) as world:
        agent = _agent(options.agent, world, root, settings)
        asked = agent.request(options.question, _as_of(options.as_of))
        text = write(asked, options.form, world.catalog)
    print(json.dumps({"text": text, "request": plain(asked)}, indent=2) if options.json else text)


def lookup(options: argparse.Namespace) -> None:
    """A written request, served from the store."""
    from finground.catalog.dialect import read
    from finground.core.coding import plain
    from finground.report.linearize import linearize
    from finground.stages import open_world
    from finground.store.lookup import lookup as serve_request

    root = Root(options.root)
    settings, as_of = _settings(root), _as_of(options.as_of)
    with open_world(_live(root), settings) as world:
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
    from finground.stages import open_world

    root = Root(options.root)
    settings = _settings(root)
    profile = _profile(options.profile) if options.profile else None
    with open_world(_live(root), settings) as world:
        agent = _agent(options.agent, world, root, settings, after=options.after)
        writer = _writer(options.writer, root, settings)
        from finground.answer import answer

        answered = answer(
            options.question,
            as_of=_as_of(options.as_of),
            world=world,
            agent=agent,
            writer=writer,
            profile=profile,
        )
    if options.html:
        from finground.core.artifact import whole_file
        from finground.service.page import page

        with whole_file(options.html) as temporary:
            temporary.write_text(page(answered))
    _show(answered, as_json=options.json)


def score(options: argparse.Namespace) -> None:
    """AnalyScore of a kept answer, with its evidence."""
    from finground.answer import judge
    from finground.core.coding import plain
    from finground.report.brief import Brief
    from finground.stages import open_world

    kept = _kept(options.answer)
    root = Root(options.root)
    with open_world(_live(root), _settings(root)) as world:
        brief = Brief(kept.query, kept.plan, kept.request, kept.bundle, kept.findings, world.catalog, None)
        judged = judge(kept.report, brief)
    if judged is None:
        raise InputError(
            f"{options.answer} holds a {kept.report.kind} answer; AnalyScore grades analyses only"
        )
    if options.json:
        print(json.dumps(plain(judged), indent=2))
        return
    print("eligible" if judged.eligible else "not eligible")
    for criterion in judged.criteria:
        print(
            f"  {'pass' if criterion.passed else 'FAIL'}  {criterion.name}: {'; '.join(criterion.evidence)}"
        )


def serve(options: argparse.Namespace) -> None:
    """The same over HTTP, on loopback."""
    from finground.service.app import serve as listen

    root = Root(options.root)
    listen(_live(root), _settings(root), port=options.port, clock=_now)


# what commands share -----------------------------------------------------------------------------


def _answer(
    question: str, as_of: datetime, world: "World", root: Root, settings: "Settings", agent: str, writer: str
) -> "Answer":
    from finground.answer import answer

    return answer(
        question, as_of=as_of, world=world, agent=_agent(agent, world, root, settings),
        writer=_writer(writer, root, settings),
    )  # fmt: skip


def _agent(name: str, world: "World", root: Root, settings: "Settings", after: Path | None = None) -> "Agent":
    from finground.agent.rules import RulesAgent

    if after:
        from finground.agent.follow import FollowUp

        return FollowUp(world.catalog, _kept(after).request)
    if name == "rules":
        return RulesAgent(world.catalog)
    from finground.agent.grammar import compact
    from finground.agent.hybrid import HybridAgent
    from finground.agent.tuned import TunedAgent
    from finground.lm.generate import Generator

    kind, form = settings.agent.bases[-1], settings.agent.form
    generator = Generator.open(root.base(kind), _there(root.agent(kind), f"finground run agent@{kind}"))
    if name == "hybrid":
        return HybridAgent(generator, world.catalog, form, compact)
    return TunedAgent(generator, world.catalog, form, compact(world.known) if form == "compact" else None)


def _writer(name: str, root: Root, settings: "Settings") -> "Writer":
    if name == "template":
        from finground.report.template import TemplateWriter

        return TemplateWriter()
    if name == "openai":
        from finground.report.llm import EndpointWriter

        if settings.endpoint is None:
            raise InputError(f"{root.params} has no `endpoint` section; give one with `url` and `model`")
        return EndpointWriter(settings.endpoint)
    from finground.lm.generate import Generator
    from finground.report.tuned import TunedWriter

    generator = Generator.open(root.base("domain"), _there(root.writer, "finground run writer"))
    return TunedWriter(generator, settings.bench.new_tokens)


def _show(answered: "Answer", *, as_json: bool) -> None:
    from finground.core.coding import plain

    if as_json:
        print(json.dumps(plain(answered), indent=2, ensure_ascii=False))
        return
    print(answered.report.text)
    for claim in answered.report.ungrounded:
        print(f"finground: not borne out by data: {claim.text!r} ({claim.why})", file=sys.stderr)


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


def _profile(path: Path) -> dict[str, str]:
    from finground.core.artifact import read_json

    found = read_json(path)
    if not isinstance(found, dict) or set(found) - {"risk", "horizon"}:
        raise InputError(f'{path} is not an investor\'s profile; write {{"risk": "low", "horizon": "long"}}')
    return {key: str(value) for key, value in found.items()}


def _two_companies(world: "World") -> tuple[str, str]:
    names = [company.name for company in world.catalog.companies.all[:2]]
    return names[0], names[1]


def _where_next(folder: Path, company: str, settings: "Settings") -> str:
    day = settings.snapshot.as_of
    tracker = f"sqlite:///{(folder / 'mlflow.db').resolve()}"
    lines = [
        f"Made in {folder}: raw files, store, corpus, pairs, models, results "
        "(all invented; see data/raw/SYNTHETIC).",
        f"  tables   {folder}/results/table.md",
        "Try next:",
        f'  1. finground ask "Please analyze {company}" --as-of {day} --root {folder}',
        f"  2. mlflow ui --backend-store-uri {tracker}        (the runs)",
        "  3. prefect server start    and, elsewhere,    "
        f"python flows/build.py --root {folder}        (the same as a flow)",
    ]
    return "\n".join(lines)


def _settings(root: Root) -> "Settings":
    from finground.settings import load

    return load(root.params)


def _live(root: Root) -> Path:
    return _there(root.live, f"finground run ingest --root {root.folder}")


def _there(path: Path, command: str) -> Path:
    if not path.exists():
        raise InputError(f"{path} is not there; `{command}` makes it")
    return path


def _now() -> datetime:
    return datetime.now(UTC)


def _as_of(text: str | None) -> datetime:
    from finground.catalog.dates import as_of_of

    return as_of_of(text) if text else _now()


def _commit() -> str:
    """The commit of this code, `-dirty` if it was changed since; the version where there is no checkout."""
    import subprocess

    from finground import __version__

    here = Path(__file__).parent
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"],
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stdout.strip() if told.returncode == 0 else f"v{__version__}"


def _quiet() -> None:
    """No telemetry from anything we call, nothing fetched from a hub, and our own log on stderr."""
    from finground.core.log import to_stderr

    for name, value in {
        "DO_NOT_TRACK": "1",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "TOKENIZERS_PARALLELISM": "true",
        "DVC_NO_ANALYTICS": "1",
    }.items():
        os.environ.setdefault(name, value)
    to_stderr(logging.INFO)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="finground", description="Knowledge-grounded financial language models: build, evaluate, ask."
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    command = partial(_command, commands)
    _project_commands(command)
    _question_commands(command)
    _other_commands(command)
    return parser


def _command(commands: Any, does: Any, help: str, *, root: bool = True) -> argparse.ArgumentParser:
    """A parser of one command among `commands`, named and described as the function that does it."""
    made: argparse.ArgumentParser = commands.add_parser(does.__name__, help=help, description=does.__doc__)
    made.set_defaults(does=does)
    if root:
        made.add_argument(
            "--root", type=Path, default=Path(), metavar="DIR", help="project root (default: here)"
        )
    return made


def _project_commands(command: Command) -> None:
    made = command(init, "a fresh project root", root=False)
    made.add_argument("dir", type=Path)
    made.add_argument("--profile", choices=["demo", "small", "paper"], default="demo")
    made.add_argument("--raw", type=Path, help="folder of raw files")
    made.add_argument("--full", action="store_true", help="larger counts (days, not minutes)")
    made.add_argument("--refresh", action="store_true", help="rewrite dvc.yaml of a root that is there")

    made = command(demo, "everything once, on invented companies", root=False)
    made.add_argument("dir", type=Path, nargs="?", default=Path("runs/demo"))

    made = command(run, "run stages: what DVC calls")
    made.add_argument("stages", nargs="+", metavar="STAGE", help="names, cells (agent@plain), or `all`")
    made.add_argument("--version", type=int, help=argparse.SUPPRESS)
    made.add_argument("--json", action="store_true")

    made = command(plan, "what would rerun, and why")
    made.add_argument("--json", action="store_true")


def _question_commands(command: Command) -> None:
    made = command(request, "a question as a structured request")
    made.add_argument("question")
    made.add_argument("--form", choices=["sdr", "required", "compact"], default="sdr")
    _asking(made)

    made = command(lookup, "a written request, served from the store")
    made.add_argument("request")
    made.add_argument("--form", choices=["sdr", "required", "compact"], default="sdr")
    made.add_argument("--as-of", metavar="T")
    made.add_argument("--json", action="store_true")

    made = command(ask, "a question answered")
    made.add_argument("question")
    made.add_argument("--writer", choices=["template", "tuned", "openai"], default="template")
    made.add_argument("--profile", type=Path, metavar="FILE", help="investor's risk and horizon (JSON)")
    made.add_argument("--after", type=Path, metavar="ANSWER.json", help="a follow-up to a kept answer")
    made.add_argument("--html", type=Path, metavar="FILE", help="also write a page")
    _asking(made)

    made = command(score, "AnalyScore of a kept answer")
    made.add_argument("answer", type=Path, metavar="ANSWER.json")
    made.add_argument("--json", action="store_true")


def _other_commands(command: Command) -> None:
    command(ingest, "raw files into the live store")
    made = command(store, "what the live store holds")
    made.add_argument("what", choices=["status"], nargs="?", default="status")
    made = command(fetch, "raw files or a base from the network")
    made.add_argument("source", choices=["base", "catalog", "edgar", "prices", "news"])
    made.add_argument("names", nargs="*", help="tickers, or addresses of feeds")

    made = command(table, "the papers' tables, ours beside theirs")
    made.add_argument("--copy", type=Path, metavar="FILE")
    made = command(schema, "JSON Schema of every record", root=False)
    made.add_argument("record", nargs="?")
    made = command(serve, "HTTP on loopback")
    made.add_argument("--port", type=int, default=8321)


def _asking(made: argparse.ArgumentParser) -> None:
    made.add_argument("--as-of", metavar="T", help="a date (its end, UTC) or an instant; default: now")
    made.add_argument("--agent", choices=["rules", "tuned", "hybrid"], default="rules")
    made.add_argument("--json", action="store_true")


if __name__ == "__main__":
    main()
