"""The corpus by two Dask workers under Prefect has the bytes of the local run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_root import copy, digests, make, params, run

pytest.importorskip("prefect_dask", reason="the extra `cluster` is not installed")
pytestmark = pytest.mark.slow


def test_two_worker_processes_give_the_bytes_of_the_local_run(repository: Path, tmp_path: Path):
    values = params(track=False)
    values["corpus"] = {**values["corpus"], "shard": 50}
    here = make(tmp_path / "here", values)
    run(here, "sample", "base", "corpus")
    there = copy(here, tmp_path / "there")
    for place in (there.corpus, there.corpus_work):
        subprocess.run(["rm", "-r", place], check=True)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PREFECT_")}
    flow = subprocess.run(
        [sys.executable, repository / "flows" / "corpus.py", "--root", there.folder, "--workers", "2"],
        env={**kept, "PYTHONPATH": str(repository / "src"), "HOME": str(tmp_path)},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert flow.returncode == 0, flow.stderr
    assert len(list((there.corpus_work / "read").glob("*/manifest.json"))) > 4
    assert digests(there.corpus) == digests(here.corpus)
    assert "Task run 'read_group'" in flow.stderr + flow.stdout
