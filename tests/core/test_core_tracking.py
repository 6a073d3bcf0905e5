"""The tracker keeps what it is given whole, and nothing depends on it."""

import socket
import subprocess
import sys
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from finground.core import tracking
from finground.core.errors import FingroundError
from finground.core.paths import Root


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Root:
    return Root(tmp_path_factory.mktemp("tracked"))


@pytest.fixture(autouse=True)
def own_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


def found(root: Root, name: str) -> tuple[Any, list[Any]]:
    from mlflow.tracking import MlflowClient

    client = MlflowClient(f"sqlite:///{root.tracker}")
    experiment = client.get_experiment_by_name("finground").experiment_id
    return client, [run for run in client.search_runs([experiment]) if run.info.run_name == name]


def test_a_parameter_of_7000_characters_is_kept_whole(root: Root, tmp_path: Path):
    text = "".join(chr(ord("a") + number % 26) for number in range(7000))
    with tracking.run(root, "long", track=True) as noted:
        noted.params({"prompt": {"text": text}, "seed": 7})
    client, (run,) = found(root, "long")
    assert run.data.params["seed"] == "7"
    assert run.data.params["prompt.text"] == "see artifact params/prompt.text.txt (7000 characters)"
    kept = client.download_artifacts(run.info.run_id, "params/prompt.text.txt", str(tmp_path))
    assert Path(kept).read_text() == text


def test_a_run_that_failed_is_marked_failed_and_the_error_flies(root: Root):
    with pytest.raises(FingroundError, match="no"), tracking.run(root, "broken", track=True):
        raise FingroundError("no")
    _, (run,) = found(root, "broken")
    assert run.info.status == "FAILED"


def test_cells_of_a_sweep_share_a_parent_whoever_comes_first(root: Root):
    for name in ("ablate@0.5-1", "ablate@1.0-1"):
        with tracking.run(root, name, track=True, sweep="ablate-abc"):
            pass
    with tracking.run(root, "ablate@0.5-2", track=True, sweep="ablate-other"):
        pass
    parents = [
        found(root, name)[1][0].data.tags["mlflow.parentRunId"]
        for name in ("ablate@0.5-1", "ablate@1.0-1", "ablate@0.5-2")
    ]
    assert parents[0] == parents[1] != parents[2]


def at_once(root: Path, name: str, sweeps: int, barrier: Any) -> None:
    """A process that tells of a cell of each sweep at the same moment as the others."""
    for sweep in range(sweeps):
        barrier.wait(60)  # a process that died breaks it
        with tracking.run(Root(root), f"ablate@{name}", track=True, sweep=f"ablate-{sweep}"):
            pass


def test_cells_that_begin_at_once_in_two_processes_have_one_parent(tmp_path: Path):
    """Also where neither database nor experiment is there yet."""
    spawn, sweeps = get_context("spawn"), 8
    barrier = spawn.Barrier(2)
    cells = [spawn.Process(target=at_once, args=(tmp_path, name, sweeps, barrier)) for name in ("a", "b")]
    for cell in cells:
        cell.start()
    for cell in cells:
        cell.join()
    root = Root(tmp_path)
    parents = Counter(run.info.run_name for name in range(sweeps) for run in found(root, f"ablate-{name}")[1])
    assert [cell.exitcode for cell in cells] == [0, 0] and not root.untold.exists()
    assert parents == dict.fromkeys((f"ablate-{name}" for name in range(sweeps)), 1)
    assert len(found(root, "ablate@a")[1]) == len(found(root, "ablate@b")[1]) == sweeps


def test_a_curve_of_more_points_than_a_batch_takes_is_whole(root: Root):
    with tracking.run(root, "curve", track=True) as noted:
        noted.curve("loss", [(step, 1 / (step + 1)) for step in range(1001)])
    client, (run,) = found(root, "curve")
    points = client.get_metric_history(run.info.run_id, "loss")
    assert [point.step for point in points] == list(range(1001))


def test_where_tracking_is_off_nothing_is_written_and_everything_goes_on(tmp_path: Path):
    with tracking.run(Root(tmp_path), "quiet", track=False) as noted:
        noted.params({"a": 1})
        noted.metrics({"b": 2})
        noted.curve("loss", [(0, 1.0)])
        noted.record("ledger", {"in": 1})
        noted.file(tmp_path / "nowhere")
        noted.adapter(tmp_path, "digest")
    assert list(tmp_path.iterdir()) == []


def points(root: Root, name: str) -> list[tuple[int, float]]:
    client, runs = found(root, name)
    return [
        (point.step, point.value)
        for run in runs
        for point in client.get_metric_history(run.info.run_id, "loss")
    ]


@pytest.fixture
def down(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A tracker that nobody answers at, until it is called."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", address)
    return lambda: monkeypatch.delenv("MLFLOW_TRACKING_URI")


def trained(root: Root, name: str, folder: Path, steps: int = 5) -> None:
    """What a stage tells while it trains and when it ends."""
    with tracking.run(root, name, track=True) as noted:
        noted.params({"lr": 0.1})
        for step in range(steps):
            noted.point(step, 1 / (step + 1))
        noted.record("ledger", {"in": 3})
        noted.adapter(folder, "digest")


def test_a_tracker_that_is_down_hurts_nothing_and_has_every_point_afterwards_once(
    tmp_path: Path, down: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    root, adapter = Root(tmp_path / "root"), tmp_path / "adapter"
    adapter.mkdir()
    (adapter / "weights").write_text("first")
    monkeypatch.setattr(tracking, "EVERY", 0.0)
    monkeypatch.setattr(tracking, "PATIENCE", 0.0)
    with caplog.at_level("WARNING", "finground"):
        trained(root, "down", adapter)
    assert "the tracker does not answer" in caplog.text and len(list(root.untold.iterdir())) == 1
    (adapter / "weights").unlink()
    (adapter / "weights").write_text("second")
    down()
    trained(root, "up", adapter)
    assert not root.untold.exists()
    expected = [(step, 1 / (step + 1)) for step in range(5)]
    assert points(root, "down") == points(root, "up") == expected
    client, (run,) = found(root, "down")
    assert (run.info.status, run.data.params["lr"], run.data.tags["base_digest"]) == (
        "FINISHED",
        "0.1",
        "digest",
    )
    kept = client.download_artifacts(run.info.run_id, "adapter/weights", str(tmp_path))
    assert Path(kept).read_text() == "first"


def test_what_was_sent_in_part_is_sent_again_and_is_there_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = Root(tmp_path)
    monkeypatch.setattr(tracking, "EVERY", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(tracking.Sender, "send", interrupted(tracking.Sender.send))
        with tracking.run(root, "half", track=True) as noted:
            for step in range(8):
                noted.point(step, float(step))
    assert len(list(root.untold.iterdir())) == 1
    with tracking.run(root, "next", track=True):
        pass
    assert points(root, "half") == [(step, float(step)) for step in range(8)] and not root.untold.exists()


def interrupted(send: Any) -> Any:
    """A connection that breaks after each sending, once everything is there."""
    from mlflow.exceptions import MlflowException

    def broken(self: Any, folder: Path) -> bool:
        assert send(self, folder)
        self.trouble = str(MlflowException("connection reset"))
        self._sent.clear()
        self._ids.clear()
        return False

    return broken


def test_a_run_whose_process_died_is_told_as_killed(tmp_path: Path):
    root = Root(tmp_path)
    code = (
        "import os, sys; from pathlib import Path; from finground.core import tracking; "
        "from finground.core.paths import Root\n"
        f"with tracking.run(Root(Path({str(tmp_path)!r})), 'died', track=True) as noted:\n"
        "    noted.metrics({'x': 1.0}); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    with tracking.run(root, "next", track=True):
        pass
    _, (run,) = found(root, "died")
    assert (run.info.status, run.data.metrics["x"]) == ("KILLED", 1.0) and not root.untold.exists()


def test_of_several_processes_the_first_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RANK", "1")
    with tracking.run(Root(tmp_path), "second", track=True) as noted:
        noted.metrics({"x": 1.0})
    assert list(tmp_path.iterdir()) == []
