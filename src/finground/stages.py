"""The first walk: from raw files to tables, one function a stage (floor 5).

    raw ─ingest→ live store ─snapshot→ facts, news ─context→ pairs ─agent→ adapters ─┐
    raw ─base→ plain base ─corpus→ shards ─pretrain→ domain adapter ────┘            ├─bench, ablate,
    snapshot ─stocksis→ background/report pairs ─writer→ adapter ────────────────────┘ learning→ table

STAGES is the one table of name → function, reads, writes, version; `graph.py` runs its rows and writes
`dvc.yaml` from them, and a contract test holds the two equal. A stage's version stands
for its code: it is raised when outputs change, and DVC then makes the stage again.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finground.core.artifact import write_json, write_rows, write_table
from finground.core.errors import InputError
from finground.core.paths import Root
from finground.settings import Settings

if TYPE_CHECKING:
    from finground.answer import World


@dataclass(frozen=True, slots=True)
class Work:
    """What a stage is given.

    `cell` is the part behind the `@`; `now` the clock, for what is recorded, never for as_of.
    """

    root: Root
    settings: Settings
    cell: str
    now: datetime
    commit: str
    note: Callable[[int, float], None] | None = None  # told each training step and its loss


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a stage says of itself: numbers for DVC and MLflow, ledger, curves, an adapter if it made one."""

    metrics: dict[str, float]
    ledger: dict[str, Any] = field(default_factory=dict)
    curves: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)  # to MLflow only: they differ from run to run
    adapter: tuple[Path, str] | None = None  # folder, digest of its base
    hardware: str = ""  # on which a model was trained


@dataclass(frozen=True, slots=True)
class Stage:
    """A row of the table. `matrix` names the settings whose values make the cells of `name@cell`."""

    name: str
    does: Callable[[Work], Outcome]
    reads: Callable[[Root], tuple[Path | str, ...]]
    writes: Callable[[Root], tuple[Path | str, ...]]
    params: tuple[str, ...]
    version: int = 1
    matrix: Mapping[str, str] = field(default_factory=dict)
    cached: bool = True


# the stages, in the order of the walk ------------------------------------------------------------


def sample(work: Work) -> Outcome:
    """Invent companies, their filings, prices and news, in the real sources' own formats (demo profile)."""
    from finground.sample.world import make

    if work.settings.sample is None:
        raise InputError("params.yaml has no `sample` section; the sample stage belongs to the demo profile")
    counts = make(work.root.sample, work.settings.sample, work.settings.seed)
    return Outcome(_numbers(counts), counts)


def ingest(work: Work) -> Outcome:
    """Read the raw files into the live store; what was read before is not read again."""
    from finground.catalog.metrics import Metrics
    from finground.encoder.embed import Embedder
    from finground.store.ingest import ingest as read_into
    from finground.store.place import open_store

    raw, settings = _raw(work), work.settings
    with open_store(settings.store.url or work.root.live, settings, create=True) as store:
        read = read_into(store, raw, now=work.now, metrics=Metrics.load(), embed=Embedder().embed)
        rows = store.status()["rows"]
    write_json(work.root.ingested, {"files": read.hashes, "rows": rows, "skipped": read.skipped})
    return Outcome(_numbers(rows), {"rows": rows, "skipped": read.skipped})


def snapshot(work: Work) -> Outcome:
    """Freeze what the live store knew at `snapshot.as_of`."""
    from finground.store.place import open_store
    from finground.store.snapshot import snapshot as freeze

    settings = work.settings
    with open_store(settings.store.url or work.root.live, settings) as store:
        counts = freeze(store, work.root.snapshot, as_of=_as_of(work.settings))
    return Outcome(_numbers(counts), counts)


def base(work: Work) -> Outcome:
    """Make the plain base ready: converted, linked, or (tiny) trained on what no evaluation set holds."""
    from finground.corpus.build import locally, texts
    from finground.lm.base import prepare

    settings = work.settings

    def training_texts() -> Iterator[str]:
        raw = _raw(work)
        with locally(work.root.corpus_work, raw, settings.corpus) as at:
            yield from texts(raw, settings.corpus, settings.seed, at)

    made = prepare(settings.base, work.root.plain, texts=training_texts, seed=settings.seed)
    return Outcome(_numbers(made), made)


def corpus(work: Work) -> Outcome:
    """Clean, deduplicate and tokenise the raw texts into fixed blocks and two held-out sets."""
    from finground.corpus.build import build, locally
    from finground.lm.base import tokenizer

    settings, raw = work.settings, _raw(work)
    coder = tokenizer(work.root.plain)
    with locally(work.root.corpus_work, raw, settings.corpus) as at:
        ledger = build(raw, work.root.corpus, settings.corpus, tokenizer=coder, seed=settings.seed, at=at)
    return Outcome(_numbers({key: ledger[key] for key in ("block", "documents", "tokens")}), ledger)


def pretrain(work: Work) -> Outcome:
    """Adapt the base to the domain by QLoRA; perplexity on held-out documents, plain against adapted."""
    from finground.lm.device import check_four_bit

    root, settings = work.root, work.settings
    if settings.pretrain.quant == "nf4":
        check_four_bit()
    from datasets import Dataset

    from finground.corpus.tokens import open_blocks
    from finground.lm.pretrain import adapt

    blocks, by_date = open_blocks(root.corpus), Dataset.from_file(str(root.corpus / "by-date.arrow"))
    trained = adapt(
        root.plain,
        blocks,
        settings.pretrain,
        quant=settings.pretrain.quant,
        dtype=settings.base.dtype,
        out=root.domain,
        seed=settings.seed,
        documents=by_date,
        keep=root.training("pretrain"),
        note=work.note,
    )
    metrics = _perplexities(work, root.base("domain"), "")
    if settings.pretrain.control:
        metrics |= _control(work, blocks)
    write_table(root.curve("pretrain"), ("step", "loss"), trained.curve)
    adapter = root.domain / ("merged" if settings.pretrain.method == "full" else "adapter")
    return _trained(trained, adapter, metrics)


def context(work: Work) -> Outcome:
    """Make pairs of question and request from templates, and test parts that training never sees."""
    from finground.context.build import build

    with _world(work) as world:
        as_of = _as_of(work.settings)
        counts = build(
            world.catalog, work.root.context, work.settings.context, as_of=as_of, seed=work.settings.seed,
            root=work.root.folder, companies=[company.id for company in world.known(as_of).companies.all],
        )  # fmt: skip
    return Outcome(_numbers(counts), counts)


def agent(work: Work) -> Outcome:
    """Tune the base of this cell (plain or domain) into the agent, by a soft prompt or by LoRA."""
    from finground.bench.learning import train_agent

    out = work.root.agent(work.cell)
    with _world(work) as world:
        trained, loss = train_agent(world, work.root, work.settings, work.cell, out=out, note=work.note)
    evaluation = {"loss": loss.mean, "rows": loss.rows, "rejected": loss.rejected}
    return _trained(trained, out, _numbers({"evaluation": evaluation}))


def stocksis(work: Work) -> Outcome:
    """Make background/report pairs over companies and dates, split by company and by time."""
    from finground.stocksis.build import build

    root, settings = work.root, work.settings
    counts = build(root, settings, as_of=_as_of(settings))
    return Outcome(_numbers(counts), counts)


def writer(work: Work) -> Outcome:
    """LoRA on all Stocksis pairs: the analyst's report from what the tools found."""
    from finground.bench.ablate import train_writer

    trained, held_out = train_writer(
        work.root, work.settings, fraction=1.0, seed=work.settings.seed, out=work.root.writer, note=work.note
    )
    losses = {f"{part}.loss": loss.mean for part, loss in held_out.items()}
    return _trained(trained, work.root.writer, losses)


def bench(work: Work) -> Outcome:
    """Score agents on every test part, and writers on reports about companies and dates held out."""
    from finground.bench.agents import score_agents
    from finground.bench.reports import score_writers

    with _world(work) as world:
        scored, seconds = score_agents(world, work.root, work.settings, work.commit)
        scored += score_writers(world, work.root, work.settings, work.commit)
    write_rows(work.root.replies("bench"), scored.replies)
    write_rows(work.root.comparisons, scored.compared)
    write_rows(work.root.scores, scored.rows)
    whole = [row for row in scored.rows if "/" not in row.part]
    metrics = {f"{row.system}.{row.part}.{row.task}.{row.metric}": row.value for row in whole}
    return Outcome(metrics, seconds=seconds)


def ablate(work: Work) -> Outcome:
    """One cell of the ablation: a writer on a nested, seeded fraction of the pairs, and its scores."""
    from finground.bench.ablate import cell
    from finground.bench.cell import Trial

    fraction, _, seed = work.cell.partition("-")
    trial = Trial(f"writer@{fraction}", "ablation", int(seed), work.commit)
    with _world(work) as world:
        scored, trained = cell(world, work.root, work.settings, float(fraction), trial, work.note)
    write_rows(work.root.replies(f"ablate@{work.cell}"), scored.replies)
    write_rows(work.root.ablation(work.cell), scored.rows)
    metrics = {f"{row.part}.{row.metric}": row.value for row in scored.rows}
    return Outcome(metrics, trained.ledger, seconds=trained.cost())


def learning(work: Work) -> Outcome:
    """One point of the agent's learning curve: trained on a nested fraction of its pairs, and scored."""
    from finground.bench.cell import Trial
    from finground.bench.learning import cell

    trial = Trial(f"agent@{work.cell}", "learning", work.settings.seed, work.commit)
    with _world(work) as world:
        scored, trained = cell(world, work.root, work.settings, float(work.cell), trial, work.note)
    write_rows(work.root.replies(f"learning@{work.cell}"), scored.replies)
    write_rows(work.root.learning(work.cell), scored.rows)
    metrics = {f"{row.part}.{row.metric}": row.value for row in scored.rows if "/" not in row.part}
    return Outcome(metrics, trained.ledger, seconds=trained.cost())


def table(work: Work) -> Outcome:
    """The papers' tables, ours beside theirs, and the plots."""
    from finground.bench.table import write

    return Outcome(write(work.root, work.settings))


# what several of them do --------------------------------------------------------------------------


def _raw(work: Work) -> Path:
    raw = work.root.folder / work.settings.raw
    if not raw.is_dir():
        raise InputError(
            f"{raw}, named as `raw` in {work.root.params}, is not a folder; give the folder of raw files"
        )
    return raw


def _as_of(settings: Settings) -> datetime:
    from finground.catalog.dates import end_of

    return end_of(settings.snapshot.as_of)


@contextmanager
def _world(work: Work) -> "Iterator[World]":
    """The frozen store and its catalogue: experiments never read the live one."""
    from finground.roles import open_world

    with open_world(work.root.frozen, work.settings) as world:
        yield world


def _perplexities(work: Work, adapted: Path, prefix: str) -> dict[str, float]:
    """Plain against adapted on the documents held out by date and by source, with paired intervals."""
    from datasets import Dataset

    from finground.bench.statistics import paired_perplexity
    from finground.lm.pretrain import perplexity

    found: dict[str, float] = {}
    for part in ("by-date", "by-source"):
        documents = Dataset.from_file(str(work.root.corpus / f"{part}.arrow"))
        if len(documents):
            plain, ours = (
                perplexity(base, documents, dtype=work.settings.base.dtype)
                for base in (work.root.plain, adapted)
            )
            paired = paired_perplexity(plain, ours, seed=work.settings.seed)
            found |= {f"{prefix}{part}.{key}": value for key, value in paired.items()}
    return found


def _control(work: Work, blocks: Any) -> dict[str, float]:
    """Plain LoRA in the base's own number type beside QLoRA: same rows, settings and seed; not kept."""
    from tempfile import TemporaryDirectory

    from finground.lm.pretrain import adapt

    settings, place = work.settings, work.root.training("pretrain-control")
    place.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=place) as folder:
        trained = adapt(
            work.root.plain, blocks, settings.pretrain, quant="none", dtype=settings.base.dtype,
            out=Path(folder) / "domain", seed=settings.seed, keep=place,
        )  # fmt: skip
        found = _perplexities(work, Path(folder) / "domain" / "merged", "control.")
    return {**found, "control.last_loss": trained.curve[-1][1]}


def _trained(trained: Any, folder: Path, metrics: Mapping[str, float]) -> Outcome:
    counts = {"steps": trained.steps, "four_bit_modules": trained.four_bit_modules}
    return Outcome(
        {**counts, **_numbers(trained.ledger), **trained.extra, **metrics},
        trained.ledger,
        {"validation.loss": trained.validation} if trained.validation else {},
        trained.cost(),
        (folder, trained.base_digest),
        trained.hardware,
    )


def _numbers(values: Mapping[str, Any], prefix: str = "") -> dict[str, float]:
    """The numbers of a nested mapping, by dotted name."""
    found: dict[str, float] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            found |= _numbers(value, f"{prefix}{key}.")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found[f"{prefix}{key}"] = value
    return found


# the table ---------------------------------------------------------------------------------------

CELL = "${item.fraction}-${item.seed}"
SHARE = "${item.share}"
STAGES: tuple[Stage, ...] = (
    Stage("sample", sample, lambda _: (), lambda r: (r.sample,), ("sample", "seed")),
    Stage("base", base, lambda _: ("${raw}",), lambda r: (r.plain,), ("base", "corpus", "seed"), version=3),
    Stage(
        "ingest", ingest, lambda _: ("${raw}",), lambda r: (r.ingested,), ("raw",), version=2, cached=False
    ),
    Stage("snapshot", snapshot, lambda r: (r.ingested,), lambda r: (r.snapshot,), ("snapshot",), version=2),
    Stage(
        "corpus", corpus, lambda r: ("${raw}", r.plain), lambda r: (r.corpus,), ("corpus", "seed"), version=3
    ),
    Stage(
        "pretrain",
        pretrain,
        lambda r: (r.plain, r.corpus),
        lambda r: (r.domain, r.curve("pretrain")),
        ("pretrain", "base", "seed"),
        2,
    ),
    Stage(
        "context",
        context,
        lambda r: (r.snapshot, "${context.authors}"),
        lambda r: (r.context,),
        ("context", "snapshot", "seed"),
        version=2,
    ),
    Stage(
        "agent",
        agent,
        lambda r: (r.snapshot, r.context, r.folder / "models" / "${item.base}"),
        lambda r: (r.agent("${item.base}"),),
        ("agent", "bench.questions", "seed"),
        2,
        matrix={"base": "agent.bases"},
    ),
    Stage(
        "stocksis",
        stocksis,
        lambda r: (r.snapshot, "${stocksis.experts}"),
        lambda r: (r.stocksis,),
        ("stocksis", "news", "snapshot", "seed"),
        version=3,
    ),
    Stage(
        "writer",
        writer,
        lambda r: (r.stocksis, r.domain),
        lambda r: (r.writer,),
        ("writer", "base", "seed"),
        2,
    ),
    Stage(
        "bench",
        bench,
        lambda r: (
            *(r.snapshot, r.context, r.stocksis, r.plain, r.domain),
            *(r.agent("${item.base}"), r.writer),
        ),
        lambda r: (r.scores, r.comparisons, r.replies("bench")),
        ("bench", "agent", "news", "seed", "stocksis.test_companies"),
        version=7,
    ),
    Stage(
        "ablate",
        ablate,
        lambda r: (r.snapshot, r.stocksis, r.domain),
        lambda r: (r.ablation(CELL), r.replies(f"ablate@{CELL}")),
        ("ablate.reports", "bench.new_tokens", "writer", "base", "news"),
        version=3,
        matrix={"fraction": "ablate.fractions", "seed": "ablate.seeds"},
    ),
    Stage(
        "learning",
        learning,
        lambda r: (r.snapshot, r.context, r.domain, r.plain),
        lambda r: (r.learning(SHARE), r.replies(f"learning@{SHARE}")),
        ("agent", "base", "bench.questions", "bench.batch", "seed"),
        version=2,
        matrix={"share": "learning.fractions"},
    ),
    Stage(
        "table",
        table,
        lambda r: (
            *(r.scores, r.comparisons, r.replies("bench"), r.ablation(CELL), r.corpus, r.domain),
            *(r.metrics("pretrain"), r.metrics("agent@${item.base}"), r.learning(SHARE)),
        ),
        lambda r: (r.table, r.plots),
        (
            "profile",
            "raw",
            *("seed", "snapshot", "base", "pretrain", "context", "stocksis", "bench", "ablate", "learning"),
        ),
        version=5,
    ),
)
