"""The corpus over many workers or machines: `python flows/corpus.py [--root DIR] [--scheduler ADDRESS]`.

The same steps as `finground run corpus`, each a Prefect task that Dask runs: on two processes of this
machine, or on the cluster whose scheduler is named. Steps are kept beside the corpus, so that
`finground run corpus` finds them done; docs/corpus.md says what the machines must share.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from prefect import flow, get_run_logger, task, unmapped
from prefect.cache_policies import NO_CACHE
from prefect_dask import DaskTaskRunner

from finground.core.paths import Root
from finground.corpus.build import build
from finground.corpus.work import Workplace
from finground.lm.base import tokenizer
from finground.settings import load
from workspace import if_free, main


@task(cache_policy=NO_CACHE, persist_result=False, task_run_name="{does.__name__}")
def step(does: Callable[[Any], Any], what: Any) -> Any:
    """One step over one shard, wherever a worker is."""
    return does(what)


def each(does: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterable[Any]:
    """All tasks on the flow's workers; results in their order."""
    return [done.result() for done in step.map(unmapped(does), list(tasks))]


@flow(name="corpus-steps")
def steps(root: str) -> dict[str, Any]:
    """Build the corpus of a root with whatever task runner this flow has."""
    place = Root(Path(root))
    settings = load(place.params)
    at = Workplace(place.corpus_work, each)
    raw = place.folder / settings.raw
    return build(
        raw, place.corpus, settings.corpus, tokenizer=tokenizer(place.plain), seed=settings.seed, at=at
    )


@flow(name="corpus", description=__doc__)
def corpus(root: str = ".", scheduler: str = "", workers: int = 2) -> Any:
    """Two processes here, or the cluster behind a scheduler's address."""
    here = {"n_workers": int(workers), "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    runner = DaskTaskRunner(address=scheduler) if scheduler else DaskTaskRunner(cluster_kwargs=here)

    def spread() -> None:
        ledger = steps.with_options(task_runner=runner)(root)
        get_run_logger().info("corpus: %s", ledger["documents"])

    return if_free(root, "corpus", spread)


if __name__ == "__main__":
    main(corpus)
