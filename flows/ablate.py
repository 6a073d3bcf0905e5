"""The ablation's cells on several workers, then the tables: `python flows/ablate.py [--workers N]`.

DVC takes one repro at a time in a workspace, so each worker has a git worktree of the root with the root's
cache (`.ablate/worker-1`, …). What a worker makes lies in that cache, known by what it was made from; the
root then takes up each cell, one after another, without running it again. So a killed flow loses no cell
that was finished.
"""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import Any

from prefect import flow, get_run_logger, task
from prefect.cache_policies import NO_CACHE
from prefect.futures import wait

from build import in_order, make
from finground.core.paths import Root
from finground.project import what_would_run
from workspace import CommandFailed, call, if_free, leave_counts, main

FOLDER = ".ablate"
VERSIONED = (
    "params.yaml",
    "dvc.yaml",
    "dvc.lock",
    ".dvc/config",
    ".dvc/.gitignore",
    ".dvcignore",
    ".gitignore",
)
NOBODY = {
    "GIT_AUTHOR_NAME": "finground", "GIT_AUTHOR_EMAIL": "finground@localhost",
    "GIT_COMMITTER_NAME": "finground", "GIT_COMMITTER_EMAIL": "finground@localhost",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Worker:
    """A worktree and its lock, which every process that works in it holds open."""

    folder: Path
    lock: int


@flow(name="ablate", description=__doc__)
def ablate(root: str = ".", workers: int = 2) -> Any:
    """Every cell of fraction × seed; those that are up to date cost nothing."""
    return if_free(root, "build", lambda: sweep(root, workers))


def sweep(root: str, workers: int) -> list[str]:
    """Make the cells in parallel, take them up in the root, then draw the tables."""
    wanted = what_would_run(Root(Path(root)))
    cells = [cell for cell in in_order(root, "ablate") if cell in wanted]
    with ExitStack() as stack:
        free: Queue[Worker] = Queue()
        for number in range(min(workers, len(cells))):
            free.put(stack.enter_context(worker(Path(root), number + 1)))
        named = [make_apart.with_options(task_run_name=f"{cell} apart") for cell in cells]
        made = [apart.submit(root, cell, free) for apart, cell in zip(named, cells, strict=True)]
        wait(made)  # a cell that fails does not stop the others
    done = [cell for running, cell in zip(made, cells, strict=True) if running.state.is_completed()]
    if done:
        take_up(root, done)
    for running in made:
        running.result()
    make(root, "table")
    return [*cells, "table"]


@task
def take_up(root: str, cells: list[str]) -> None:
    """Cells that workers made, out of the cache into the root and its lock."""
    call(root, "dvc", "repro", "--single-item", *cells)
    for cell in cells:
        leave_counts(root, cell)


@task(cache_policy=NO_CACHE)
def make_apart(root: str, cell: str, free: "Queue[Worker]") -> None:
    """One cell in whichever worktree is free."""
    at = free.get()
    try:
        tracker = os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{Root(Path(root)).tracker.resolve()}"
        more = {"MLFLOW_TRACKING_URI": tracker}
        call(str(at.folder), "dvc", "repro", "--single-item", cell, environment=more, held=(at.lock,))
    finally:
        free.put(at)


@contextmanager
def worker(root: Path, number: int) -> Iterator[Worker]:
    """A fresh worktree of the root as it is now, with what the cells read.

    Waits while a process of a flow that was killed still works in the old one: its cell is not lost either.
    """
    folder = root / FOLDER / f"worker-{number}"
    folder.parent.mkdir(exist_ok=True)
    (folder.parent / ".gitignore").write_text("*\n")
    with (folder.parent / f"worker-{number}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            get_run_logger().warning("a cell of a killed flow still runs in %s; waiting for it", folder)
            fcntl.flock(lock, fcntl.LOCK_EX)
        clear(root, folder)
        git(root, "worktree", "add", "--quiet", "--detach", str(folder), committed(root))
        furnish(root, folder)
        try:
            yield Worker(folder, lock.fileno())
        finally:
            clear(root, folder)


def clear(root: Path, folder: Path) -> None:
    """Take a worktree away, if there is one; runs that the tracker was not told of yet go to the root."""
    for run in Root(folder).untold.glob("*"):
        place = Root(root).untold / run.name
        place.parent.mkdir(exist_ok=True)
        run.rename(place)
    shutil.rmtree(folder, ignore_errors=True)
    git(root, "worktree", "prune")


def committed(root: Path) -> str:
    """The root's settings and graph as a commit of no branch; index and branches stay as they are."""
    index = {**NOBODY, "GIT_INDEX_FILE": str(root.resolve() / FOLDER / "index")}
    there = [name for name in VERSIONED if (root / name).is_file()]
    git(root, "read-tree", "--empty", **index)
    git(root, "add", "--force", *there, **index)
    return git(root, "commit-tree", git(root, "write-tree", **index), "-m", "the sweep as it runs", **index)


def furnish(root: Path, folder: Path) -> None:
    """The root's cache, and what the cells read.

    Hard links will do where nobody writes. Readers of a database lock the file behind the link: two workers
    on one file would leave journals behind, by which DVC takes the snapshot for another.
    """
    place, there = Root(root), Root(folder)
    call(str(folder), "dvc", "config", "--local", "cache.dir", str((root / ".dvc" / "cache").resolve()))
    for read, to, how in (
        (place.snapshot, there.snapshot, shutil.copy2),
        (place.stocksis, there.stocksis, os.link),
        (place.domain, there.domain, os.link),
    ):
        if read.is_dir():
            shutil.copytree(read, to, copy_function=how)
    if place.results.is_dir():
        shutil.copytree(place.results, there.results, dirs_exist_ok=True)


def git(root: Path, *words: str, **environment: str) -> str:
    """A git command's answer."""
    done = subprocess.run(
        ["git", "-C", str(root), *words],
        env={**os.environ, **environment},
        text=True,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise CommandFailed(f"git {words[0]} failed in {root}: {done.stderr.strip()}")
    return done.stdout.strip()


if __name__ == "__main__":
    main(ablate)
