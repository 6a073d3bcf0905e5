"""The whole graph, stage after stage: `python flows/build.py [--root DIR]`.

Each task asks DVC for one stage, which DVC makes or finds up to date. A stage that fails ends the flow with
its last words, and the command with 1.
"""

from pathlib import Path
from typing import Any

from prefect import flow, task

from finground.core.paths import Root
from finground.graph import names
from finground.settings import load
from workspace import call, if_free, leave_counts, main


def lock_was_held(_task: Any, _run: Any, state: Any) -> bool:
    """Whether a stage failed only because another process held DVC's lock or a file: worth a second try."""
    said = str(state.message).lower()
    return "unable to acquire lock" in said or "is busy" in said


@task(task_run_name="{stage}", retries=2, retry_delay_seconds=10, retry_condition_fn=lock_was_held)
def make(root: str, stage: str) -> None:
    """One stage, brought up to date by DVC, and its counts."""
    call(root, "dvc", "repro", "--single-item", stage)
    leave_counts(root, stage)


def in_order(root: str, *wanted: str) -> list[str]:
    """Stages of this root in an order that can be run; with `wanted`, only those and their cells."""
    known = names(load(Root(Path(root)).params))
    return [name for name in known if not wanted or name.partition("@")[0] in wanted]


def make_all(root: str, *wanted: str) -> list[str]:
    """Make the stages one after another: DVC takes one repro at a time in a workspace."""
    stages = in_order(root, *wanted)
    for stage in stages:
        make(root, stage)
    return stages


@flow(name="build", description=__doc__)
def build(root: str = ".") -> Any:
    """Every stage."""
    return if_free(root, "build", lambda: make_all(root))


if __name__ == "__main__":
    main(build)
