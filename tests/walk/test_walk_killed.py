"""`kill -9` in a stage, then the same command: it completes, with the bytes of a run never killed."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from small_root import copy, digests, leftovers

from finground.core.paths import Root

pytestmark = pytest.mark.slow
# `finground run …`, with a clock that stands, so that two stores can be compared row by row; given a pattern,
# it is killed when the first name that matches, written whole, is about to be put in its place
COMMAND = """
import fnmatch, os, signal, sys
from small_root import NOW
from finground import cli
from finground.commands import shared

alone, pattern = os.getpid(), sys.argv.pop(1)

def killed(event, names):
    if event == "os.rename" and os.getpid() == alone and fnmatch.fnmatch(os.path.basename(names[0]), pattern):
        os.kill(alone, signal.SIGKILL)

if pattern:
    sys.addaudithook(killed)
shared.now = lambda: NOW
cli.main(["run", *sys.argv[1:]])
"""
WRITES = {
    "ingest": ("data/ingest.json", "data/store"),
    "corpus": ("data/corpus",),
    "pretrain": ("models/domain", "results/curves"),
    "stocksis": ("data/stocksis",),
}
MOMENTS = (0.5, 0.8, 0.95)  # of the time that an undisturbed run takes


def start(stage: str, root: Root, killed_at: str = "") -> subprocess.Popen[bytes]:
    here = Path(__file__).parents[1]
    paths = os.pathsep.join([str(here.parent / "src"), str(here)])
    command = [sys.executable, "-c", COMMAND, killed_at, stage, "--root", str(root.folder)]
    return subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def complete(stage: str, root: Root) -> float:
    """Run to the end; its seconds."""
    began = time.perf_counter()
    _, err = (process := start(stage, root)).communicate()
    assert process.returncode == 0, err.decode()
    return time.perf_counter() - began


def kill_after(stage: str, root: Root, seconds: float) -> None:
    with start(stage, root) as process:
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()


def kill_at(name: str, stage: str, root: Root) -> None:
    """Kill when what was written under this temporary name (a pattern) is about to get its own."""
    _, err = (process := start(stage, root, name)).communicate()
    assert process.returncode == -signal.SIGKILL, f"{stage} wrote no {name}: {err.decode()}"
    assert leftovers(root), "nothing was being written"


def made(stage: str, root: Root) -> dict[str, str]:
    """What the stage wrote: files by their bytes, the live store by its dump."""
    from finground.store.reader import Store
    from finground.store.snapshot import dump_digest

    if stage != "ingest":
        return digests(*(root.folder / place for place in WRITES[stage]))
    with Store.open(root.live) as store:
        return {**digests(root.ingested), "live.db": dump_digest(store)}


@pytest.fixture
def fresh(walked: Root, tmp_path: Path) -> Callable[[str, str], Root]:
    """Copies of the root in which the stage has not run."""
    from shutil import rmtree

    def before(stage: str, name: str) -> Root:
        root = copy(walked, tmp_path / name)
        for place in (root.folder / written for written in WRITES[stage]):
            rmtree(place) if place.is_dir() else place.unlink()
        return root

    return before


@pytest.mark.parametrize("stage", WRITES)
def test_a_killed_stage_completes_and_nothing_is_lost(stage: str, fresh: Callable[[str, str], Root]):
    undisturbed, killed = fresh(stage, "undisturbed"), fresh(stage, "killed")
    seconds = complete(stage, undisturbed)
    for moment in MOMENTS:
        kill_after(stage, killed, moment * seconds)
    kill_at(".tmp-*", stage, killed)
    complete(stage, killed)
    assert made(stage, killed) == made(stage, undisturbed)
    assert killed.metrics(stage).read_bytes() == undisturbed.metrics(stage).read_bytes()
    assert leftovers(killed) == []


@pytest.mark.parametrize("stage", ["corpus", "pretrain", "stocksis"])
def test_a_run_killed_while_writing_leaves_what_was_there_before(stage: str, walked: Root, tmp_path: Path):
    root = copy(walked, tmp_path / "root")
    before = made(stage, root)
    kill_at(".tmp-*", stage, root)
    assert {name: digest for name, digest in made(stage, root).items() if "/.tmp-" not in name} == before


@pytest.mark.parametrize("stage", ["pretrain", "agent@plain", "writer"])
def test_a_training_killed_after_a_checkpoint_goes_on_from_it(stage: str, walked: Root, tmp_path: Path):
    """Dropout on, a checkpoint after each step: the bytes are those of a run never killed."""
    key = stage.partition("@")[0]
    place = {"pretrain": "models/domain", "agent@plain": "models/agent-plain", "writer": "models/writer"}[
        stage
    ]
    values = yaml.safe_load(walked.params.read_text())[key]
    changed = {key: {**values, "max_steps": 6, "epochs": 9, "save_every": 1}}
    if key != "agent":
        changed[key]["dropout"] = 0.1
    roots = []
    for name in ("undisturbed", "killed"):
        roots.append(copy(walked, tmp_path / name, **changed))
        shutil.rmtree(roots[-1].folder / place)
    undisturbed, killed = roots
    complete(stage, undisturbed)
    checkpoints = killed.training(stage) / "checkpoints"
    kill_at(".tmp-step-*2", stage, killed)
    assert [path.name for path in checkpoints.glob("step-*")] == ["step-00000001"]
    _, err = (process := start(stage, killed)).communicate()
    assert process.returncode == 0 and b"goes on after step" in err, err.decode()
    assert digests(killed.folder / place) == digests(undisturbed.folder / place)
    assert killed.metrics(stage).read_bytes() == undisturbed.metrics(stage).read_bytes()
    assert not checkpoints.exists() and leftovers(killed) == []
