"""Who takes part in an answer, opened by name: the world of a store, agents and writers of a project root
(floor 3, over answer).

A role that needs a model says which stage makes it, when it is not there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from finground import __version__
from finground.agent.plan import plan
from finground.answer import Agent, Planner, World, Writer
from finground.catalog.aliases import with_shipped
from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies
from finground.catalog.metrics import Metrics
from finground.core.artifact import MANIFEST, digest
from finground.core.errors import InputError
from finground.core.paths import Root
from finground.encoder.embed import Embedder
from finground.settings import Settings
from finground.store.place import open_store

if TYPE_CHECKING:
    from finground.agent.hybrid import HybridAgent
    from finground.agent.tuned import TunedAgent
    from finground.lm.generate import Generator
    from finground.report.tuned import Generates, TunedWriter


@contextmanager
def open_world(store: Path | str, settings: Settings, encoder: Embedder | None = None) -> Iterator[World]:
    """A store with the catalogue of what is in it, ready to answer from; the encoder may be open already."""
    with open_store(store, settings) as opened:
        catalog = Catalog(Companies(with_shipped(opened.companies())), Metrics.load())
        news = settings.news
        versions = {
            "finground": __version__,
            "store": store.name if isinstance(store, Path) else "postgresql",
            "last_ingest": opened.last_ingest() or "frozen",
        }
        yield World(opened, catalog, (encoder or Embedder()).embed, news.k, news.threshold, versions)


def agent(name: str, world: World, root: Root, settings: Settings, as_of: datetime) -> Agent:
    """The agent of that name: rules, tuned or hybrid, the latter two on the last of `agent.bases`.

    Raises:
        InputError: if it needs a model that has not been trained.
    """
    from finground.agent.rules import RulesAgent

    if name == "rules":
        return RulesAgent(world.catalog)
    kind = settings.agent.bases[-1]
    if name == "tuned":
        return tuned_agent(kind, world, root, settings, as_of)
    return hybrid_agent(tuned_agent(kind, world, root, settings, as_of))


def tuned_agent(
    kind: str, world: World, root: Root, settings: Settings, as_of: datetime, adapter: Path | None = None
) -> "TunedAgent":
    """The agent on the base of that kind, with the adapter that stage `agent` made or another.

    Its grammar names only companies that have data at `as_of`.
    """
    from finground.agent.grammar import grammar
    from finground.agent.tuned import TunedAgent

    form = settings.agent.form
    generator = _generator(root, settings, kind, adapter or _agent_folder(root, kind), world.catalog)
    return TunedAgent(generator, world.catalog, form, grammar(form, world.known(as_of), world.catalog))


def hybrid_agent(tuned: "TunedAgent") -> "HybridAgent":
    """The rules, and that agent where they doubt."""
    from finground.agent.hybrid import HybridAgent

    return HybridAgent(tuned.generator, tuned.catalog, tuned.form)


def planner(name: str, root: Root, settings: Settings) -> Planner:
    """The planner of that name: rules, or model, the domain base as it is.

    Raises:
        InputError: if the base has not been made.
    """
    if name == "rules":
        return plan
    from finground.agent.planner import ModelPlanner

    there(root.base("domain"), "finground run pretrain")
    return ModelPlanner(_generator(root, settings, "domain", None), f"model:{settings.base.name}")


def writer(name: str, root: Root, settings: Settings) -> Writer:
    """The writer of that name: template, tuned, or openai, an endpoint.

    Raises:
        InputError: if it needs a model that has not been trained, or an endpoint that params do not name.
    """
    if name == "template":
        from finground.report.template import TemplateWriter

        return TemplateWriter()
    if name == "tuned":
        return tuned_writer(there(root.writer, "finground run writer"), root, settings)
    from finground.report.llm import EndpointWriter

    if settings.endpoint is None:
        raise InputError(f"{root.params} has no `endpoint` section; give one with `url` and `model`")
    return EndpointWriter(settings.endpoint)


def tuned_writer(adapter: Path | None, root: Root, settings: Settings) -> "TunedWriter":
    """A writer on the domain base, with an adapter or as it is."""
    from finground.report.tuned import TunedWriter

    bench = settings.bench
    return TunedWriter(_generator(root, settings, "domain", adapter), bench.new_tokens, bench.batch)


def judge(name: str, root: Root, settings: Settings) -> "tuple[Generates, str]":
    """Who judges reports, and its name: `openai`, the endpoint of params, or `local`, the plain base.

    Raises:
        InputError: if there is no base, or params name no endpoint.
    """
    if name == "local":
        there(root.plain, "finground run base")
        from finground.analyscore.judge import OneLetter

        return OneLetter(_generator(root, settings, "plain", None)), f"local:{settings.base.name}"
    from finground.analyscore.endpoint import EndpointGenerator

    if settings.endpoint is None:
        raise InputError(f"{root.params} has no `endpoint` section; give one with `url` and `model`")
    endpoint = EndpointGenerator(settings.endpoint)
    return endpoint, endpoint.name


def models(agent: str, planner: str, writer: str, root: Root, settings: Settings) -> dict[str, str]:
    """Who answered: of a model the digest of its manifest, that of an adapter with its base included."""
    folders = {
        "agent": root.agent(settings.agent.bases[-1]), "planner": root.base("domain"), "writer": root.writer,
    }  # fmt: skip
    used = {"agent": agent, "planner": planner, "writer": writer}
    return {
        role: f"{name} {digest(folders[role] / MANIFEST)}" if name in ("tuned", "hybrid", "model") else name
        for role, name in used.items()
    }


def there(path: Path, command: str) -> Path:
    """The path, if something lies there.

    Raises:
        InputError: naming the command that makes it.
    """
    if not path.exists():
        raise InputError(f"{path} is not there; `{command}` makes it")
    return path


def _agent_folder(root: Root, kind: str) -> Path:
    return there(root.agent(kind), f"finground run agent@{kind}")


def belongs(catalog: Catalog) -> dict[str, str]:
    """What an agent's adapter belongs to beside its base: the metrics, whose related ones it leaves out.

    Companies come and go with the store, and its grammar names those that are there.
    """
    return {"metrics": Catalog(Companies(()), catalog.metrics).digest}


def _generator(
    root: Root, settings: Settings, kind: str, adapter: Path | None, catalog: Catalog | None = None
) -> "Generator":
    from finground.lm.generate import Generator

    expected = belongs(catalog) if catalog else None
    return Generator.open(root.base(kind), adapter, dtype=settings.base.dtype, belongs=expected)
