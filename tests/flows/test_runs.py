"""Whole flows with Prefect's own temporary server and a real DVC; only the stages' commands are made up."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from finground.core.paths import Root

pytestmark = pytest.mark.slow
ORDER = [
    "sample", "base", "ingest", "snapshot", "corpus", "pretrain", "context", "agent", "stocksis", "writer",
    "bench", "ablate", "learning", "table",
]  # fmt: skip


def flow(repository: Path, root: Path, name: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Run a flow as a user would, with a home of its own."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PREFECT_")}
    environment = {**kept, "PYTHONPATH": str(repository / "src"), "HOME": str(root / ".prefect-home")}
    command = [sys.executable, str(repository / "flows" / f"{name}.py"), "--root", str(root), *more]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)


def in_database(root: Path, question: str) -> list[tuple[str, ...]]:
    with sqlite3.connect(root / ".prefect" / "prefect.db") as database:
        return database.execute(question).fetchall()


def test_a_build_makes_every_stage_once_and_leaves_counts(repository: Path, root: Path):
    first = flow(repository, root, "build")
    assert first.returncode == 0, first.stderr
    assert (root / "journal").read_text().split() == ORDER
    keys = {key for (key,) in in_database(root, "select key from artifact")}
    assert keys >= {"counts-sample", "counts-agent-plain", "counts-ablate-0-5-1", "counts-table"}

    (root / "broken").write_text("writer")
    params = (root / "params.yaml").read_text()
    (root / "params.yaml").write_text(params.replace("max_steps: 12", "max_steps: 13"))
    second = flow(repository, root, "build")
    assert second.returncode == 1
    assert "writer: no such file as you would need" in second.stderr.splitlines()[-1] + second.stderr
    assert (root / "journal").read_text().split() == ORDER, "what was up to date ran again"


def test_a_run_that_was_killed_is_marked_crashed_by_the_next(repository: Path, root: Path):
    assert flow(repository, root, "benchmark").returncode == 1  # nothing was built yet
    with sqlite3.connect(root / ".prefect" / "prefect.db") as database:
        database.execute(
            "update flow_run set state_type = 'RUNNING', state_name = 'Running', name = 'killed'"
        )
        database.execute("update flow_run_state set type = 'RUNNING', name = 'Running' where type = 'FAILED'")
    flow(repository, root, "benchmark")
    states = dict(in_database(root, "select name, state_type from flow_run"))
    assert states["killed"] == "CRASHED"


def test_a_challenger_that_is_not_kept_makes_way_for_the_models_before_it(flows: Path, root: Path):
    from retrain import bring_back, keep
    from workspace import call

    place, kept = Root(root), root / "models" / "kept"
    call(str(root), "dvc", "repro", "--quiet")
    keep(place, kept)
    (root / "made.py").write_text(
        (root / "made.py").read_text().replace("write_text(name)", "write_text('other')")
    )
    call(str(root), "dvc", "repro", "--quiet", "--force", "--single-item", "pretrain")
    assert (place.domain / "made").read_text() == "other"
    bring_back(place, kept)
    assert (place.domain / "made").read_text() == "pretrain"
