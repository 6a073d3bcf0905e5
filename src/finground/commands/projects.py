"""Commands over a project root: made, run, ingested into, looked at."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from finground.commands import shared
from finground.core.errors import InputError
from finground.core.paths import Root

if TYPE_CHECKING:
    from finground.settings import Settings
    from finground.store.reader import Store

DEMO_QUESTION = "How did the net income of {0} compare to {1} in the last quarter?"


def init(options: argparse.Namespace) -> None:
    """Make a project root."""
    from finground.project import create, refresh

    if options.refresh:
        refresh(Root(options.dir))
    else:
        create(options.dir, options.profile, raw=options.raw, full=options.full)
    print(options.dir)


def demo(options: argparse.Namespace) -> None:
    """Everything once, on invented companies; then one question is asked."""
    from finground.answer import answer
    from finground.project import demo as walk
    from finground.roles import agent, open_world, writer

    root = walk(options.dir, now=shared.now(), commit=shared.commit())
    settings = shared.settings(root)
    as_of = shared.as_of(f"{settings.snapshot.as_of}")
    with open_world(root.live, settings) as world:
        first, second = (company.name for company in world.catalog.companies.all[:2])
        question = DEMO_QUESTION.format(first, second)
        answered = answer(
            question,
            as_of=as_of,
            world=world,
            agent=agent("rules", world, root, settings, as_of),
            writer=writer("template", root, settings),
        )
    print(f"\nQ: {question}  (as of {settings.snapshot.as_of})\n\n{answered.report.text}\n")
    print(_where_next(options.dir, first, settings))


def run(options: argparse.Namespace) -> None:
    """Run stages, in the order given."""
    from finground.project import run_stages

    root = Root(options.root)
    results = run_stages(
        root, options.stages, now=shared.now(), commit=shared.commit(), version=options.version
    )
    if options.json:
        print(json.dumps(results, indent=2, sort_keys=True))
    elif "corpus" in results:
        from finground.core.artifact import read_json
        from finground.corpus.ledger import text

        print(text(read_json(root.corpus / "ledger.json")))


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
    from finground.graph import run as run_stage

    outcome = run_stage(Root(options.root), "ingest", now=shared.now(), commit=shared.commit())
    print(json.dumps(outcome.ledger, indent=2, sort_keys=True))


def store(options: argparse.Namespace) -> None:
    """What the live store holds and how far it lags; a store of an older version brought to this one; or k
    and t of news tuned.
    """
    root = Root(options.root)
    settings = shared.settings(root)
    place = shared.live(root, settings)
    if options.what == "migrate":
        from finground.store.migrate import migrate

        before, after = migrate(place)
        print(f"{place}: schema version {before}, now {after}")
        return
    from finground.store.missing import missing
    from finground.store.place import open_store

    with open_store(place, settings) as opened:
        if options.what == "tune":
            _tune(opened, root, options.pairs)
            return
        status = opened.status(shared.now())
    status["missing"] = missing(root.folder / settings.raw)
    print(json.dumps(status, indent=2, sort_keys=True, default=str))


def _tune(opened: "Store", root: Root, file: Path | None) -> None:
    """Precision and recall of news over t: a picture and a table under results/, the best on stdout."""
    from finground.core.artifact import whole_file
    from finground.encoder.embed import Embedder
    from finground.store import tune

    pairs = tune.read_pairs(file) if file else tune.weak_pairs(opened)
    points, at_k = tune.measure(opened, pairs, Embedder().embed)
    lines = [f"{p.threshold},{p.precision:.4f},{p.recall:.4f},{p.f1:.4f}\n" for p in points]
    with whole_file(root.results / "news.csv") as temporary:
        temporary.write_text("threshold,precision,recall,f1\n" + "".join(lines))
    tune.draw(points, root.results / "news.png")
    best = max(points, key=lambda point: point.f1)
    print(f"{len(pairs)} questions, {sum(map(len, pairs.values()))} pairs; {root.results / 'news.png'}")
    print(f"t {best.threshold}: precision {best.precision:.3f}, recall {best.recall:.3f}, F1 {best.f1:.3f}")
    print("; ".join(f"k {k}: recall {share:.3f}" for k, share in at_k.items()))


def fetch(options: argparse.Namespace) -> None:
    """Bring raw files or a base model from the network."""
    root = Root(options.root)
    if options.source == "base":
        from finground.lm.base import fetch as fetch_base
        from finground.lm.base import fetched

        base = shared.settings(root).base
        fetch_base(base.name, base.revision, into := fetched(base, root.plain))
        print(into)
        return
    from finground.store.fetch import fetch as fetch_source

    into = root.folder / shared.settings(root).raw
    found = fetch_source(
        options.source, into, names=options.names, now=shared.now(), allow_missing=options.allow_missing
    )
    for path in found:
        print(path)


def stocksis(options: argparse.Namespace) -> None:
    """Moments written out for annotators, or their reports checked as the stage would check them."""
    from finground.catalog.dates import end_of
    from finground.records.document import Dropped
    from finground.roles import open_world
    from finground.stocksis.experts import export, read_experts
    from finground.stocksis.pair import asked
    from finground.stocksis.split import PARTS, split

    root = Root(options.root)
    settings = shared.settings(root)
    with open_world(shared.frozen(root), settings) as world:
        parted = split(
            world.store, as_of=end_of(settings.snapshot.as_of),
            test_companies=settings.stocksis.test_companies, seed=settings.seed,
        )  # fmt: skip
        if options.what == "export":
            chosen = [
                asked(moment, settings.seed) for part in PARTS for moment in parted.of(part)[: options.count]
            ]
            print(f"{export(world, chosen, options.file)} moments in {options.file}; fill the column report")
            return
        one_horizon = settings.stocksis.one_horizon
        made = read_experts(world, options.file, parted, one_horizon=one_horizon)
    rejected = [one for one in made if isinstance(one, Dropped)]
    print(f"{len(made) - len(rejected)} of {len(made)} reports are fit to be labels")
    for one in rejected:
        print(f"  {one.id}: {one.reason}")


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
