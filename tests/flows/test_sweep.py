"""Eight cells on two workers: a result for each and a valid lock, though the flow was killed (case O2)."""

import os
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
import yaml

from finground.core.paths import Root

pytestmark = pytest.mark.slow
# a cell notes that it ran; while a file `gate` is there, all but the first to come wait for it to go
CELL = """
import sys, pathlib, time
root, cell, *outs = sys.argv[1:]
root = pathlib.Path(root)
with open(root / "journal", "a") as journal:
    journal.write(cell + "\\n")
while (root / "gate").exists() and (root / "journal").read_text().split()[0] != cell:
    time.sleep(0.05)
for out in outs:
    pathlib.Path(out).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(out).write_text('{"n": 1}')
"""
FRACTIONS, SEEDS = (0.2, 0.5, 0.8, 1.0), (1, 2)
CELLS = {f"ablate@{fraction}-{seed}" for fraction in FRACTIONS for seed in SEEDS}
LONGEST = 300  # seconds that anything here may take


@pytest.fixture
def swept(root: Path) -> Path:
    """The tiny root with eight cells, and all that they read made and in DVC's hands."""
    from finground.graph import dvc_yaml
    from finground.settings import check

    params = yaml.safe_load((root / "params.yaml").read_text())
    params["ablate"] = {"fractions": list(FRACTIONS), "seeds": list(SEEDS), "reports": 1}
    (root / "params.yaml").write_text(yaml.safe_dump(params))
    (root / "cell.py").write_text(CELL)
    before = yaml.safe_load((root / "dvc.yaml").read_text())["stages"]
    stages = yaml.safe_load(dvc_yaml(check(params, where="test")))["stages"]
    cell, table = stages["ablate"], stages["table"]
    outs = [out if isinstance(out, str) else next(iter(out)) for out in cell["outs"] + cell["metrics"]]
    name = "ablate@${item.fraction}-${item.seed}"
    cell["cmd"] = f"{sys.executable} {root / 'cell.py'} {root} {name} {' '.join(outs)}"
    table["cmd"] = before["table"]["cmd"]
    table["deps"] = [dep for dep in table["deps"] if "agent-domain" not in dep]
    graph = {"stages": {**before, "ablate": cell, "table": table}}
    (root / "dvc.yaml").write_text(yaml.safe_dump(graph, sort_keys=False))
    for stage in before:
        if stage not in ("ablate", "table"):
            target = "agent@plain" if stage == "agent" else stage
            dvc(root, "repro", "--quiet", "--single-item", target)
    (root / "journal").unlink()
    return root


def dvc(root: Path, *words: str) -> str:
    command = [sys.executable, "-m", "dvc", *words]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


def start(repository: Path, root: Path) -> subprocess.Popen[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PREFECT_")}
    environment = {**kept, "PYTHONPATH": str(repository / "src"), "HOME": str(root / ".prefect-home")}
    command = [sys.executable, str(repository / "flows" / "ablate.py"), "--root", str(root), "--workers", "2"]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def finish(repository: Path, root: Path) -> None:
    running = start(repository, root)
    _, said = running.communicate(timeout=2 * LONGEST)
    assert running.returncode == 0, said


def journal(root: Path) -> list[str]:
    return (root / "journal").read_text().split() if (root / "journal").exists() else []


def wait_for(what, *, seconds: float = LONGEST) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not come to pass"
        time.sleep(0.05)


def whole(root: Path) -> None:
    """Every cell's result, a lock that holds them all and that DVC finds nothing to add to."""
    assert {f"ablate@{path.stem}" for path in (root / "results" / "ablate").glob("*.jsonl")} == CELLS
    locked = yaml.safe_load((root / "dvc.lock").read_text())["stages"]
    assert set(locked) >= CELLS | {"table"}
    assert dvc(root, "status", "table", *sorted(CELLS)).strip() == "Data and pipelines are up to date."


def test_a_worker_that_reads_beside_another_leaves_the_snapshot_as_it_was(flows: Path, root: Path):
    """SQLite keeps its journal where another reader holds the file: by that DVC would run the cell again."""
    from ablate import furnish

    database = Root(root).snapshot / "store.sqlite"
    database.parent.mkdir(parents=True)
    with closing(sqlite3.connect(database)) as made:
        made.execute("pragma journal_mode = wal")
        made.execute("create table facts (value)")
    files = {path.name for path in database.parent.iterdir()}
    workers = [root / ".ablate" / f"worker-{number}" for number in (1, 2)]
    for worker in workers:
        worker.mkdir(parents=True)
        subprocess.run(["git", "init", "--quiet", worker], check=True)
        dvc(worker, "init", "--quiet")
        furnish(root, worker)
    with ExitStack() as open_still:
        for worker in workers:
            reader = open_still.enter_context(
                closing(sqlite3.connect(Root(worker).snapshot / "store.sqlite"))
            )
            reader.execute("begin")
            reader.execute("select * from facts").fetchall()
    assert [{path.name for path in Root(worker).snapshot.iterdir()} for worker in workers] == [files] * 2


def test_eight_cells_on_two_workers_killed_once_all_come_to_be(repository: Path, swept: Path):
    (swept / "gate").touch()
    with start(repository, swept) as flow:
        wait_for(lambda: len(journal(swept)) >= 3)  # the first is through, two are at it
        flow.kill()
    first = journal(swept)[0]
    (swept / "gate").unlink()  # the two orphans come to their end
    finish(repository, swept)
    ran = [name for name in journal(swept) if name.startswith("ablate")]
    assert first in ran and sorted(ran) == sorted(CELLS), "a finished cell ran again"
    whole(swept)
    assert not list((swept / ".ablate").glob("worker-*/")), "worktrees are left behind"
