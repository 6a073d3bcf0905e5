"""The tracker keeps what it is given whole, and nothing depends on it."""

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
