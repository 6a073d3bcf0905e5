"""One run a stage in MLflow: parameters, numbers, ledger, artifacts; ablation cells beneath one parent."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from small_root import COMMIT

from finground.core.artifact import manifest, read_json
from finground.core.paths import Root
from finground.graph import find, names
from finground.settings import load


@pytest.fixture(scope="module")
def client(walked: Root) -> Any:
    from mlflow.tracking import MlflowClient

    return MlflowClient(f"sqlite:///{walked.tracker}")


@pytest.fixture(scope="module")
def runs(client: Any) -> list[Any]:
    return list(client.search_runs([client.get_experiment_by_name("finground").experiment_id]))


@pytest.fixture(scope="module")
def by_name(runs: list[Any]) -> dict[str, Any]:
    return {run.info.run_name: run for run in runs}


def artifact(client: Any, run: Any, name: str, to: Path) -> Path:
    return Path(client.download_artifacts(run.info.run_id, name, str(to)))


def test_every_stage_and_cell_is_one_finished_run(walked: Root, runs: list[Any]):
    counted = Counter(run.info.run_name for run in runs if "sweep" not in run.data.tags)
    assert counted == Counter(names(load(walked.params)))
    assert {run.info.status for run in runs} == {"FINISHED"}


def test_a_run_holds_the_parameters_its_stage_depends_on(walked: Root, by_name: dict[str, Any]):
    held = by_name["pretrain"].data.params
    assert (held["stage"], held["version"], held["commit"]) == ("pretrain", "2", COMMIT)
    assert (held["pretrain.max_steps"], held["pretrain.quant"], held["seed"]) == ("2", "nf4", "7")


def test_a_run_holds_the_numbers_of_its_stage(walked: Root, by_name: dict[str, Any]):
    for name, run in by_name.items():
        if "sweep" not in run.data.tags:
            noted = {key: value for key, value in run.data.metrics.items() if not key.startswith("seconds.")}
            numbers = read_json(walked.metrics(name))
            assert noted.keys() >= {key for key in numbers if "(" not in key}, name
    assert by_name["stocksis"].data.metrics["train"] == 4


def test_the_ledger_is_an_artifact_of_the_run(
    walked: Root, client: Any, by_name: dict[str, Any], tmp_path: Path
):
    noted = json.loads(artifact(client, by_name["corpus"], "ledger.json", tmp_path).read_text())
    assert noted == read_json(walked.corpus / "ledger.json")
    for name in ("pretrain", "agent@plain", "agent@domain", "writer", "ablate@0.5-1"):
        assert "ledger.json" in [item.path for item in client.list_artifacts(by_name[name].info.run_id)], name


def test_ablation_cells_are_children_of_one_parent(by_name: dict[str, Any], runs: list[Any]):
    (parent,) = [run for run in runs if "sweep" in run.data.tags]
    cells = [run for run in runs if run.info.run_name.startswith("ablate@")]
    assert {run.info.run_name for run in cells} == {"ablate@0.5-1", "ablate@1.0-1"}
    assert {run.data.tags["mlflow.parentRunId"] for run in cells} == {parent.info.run_id}
    others = [run for run in runs if run not in cells]
    assert not [run for run in others if "mlflow.parentRunId" in run.data.tags]


@pytest.mark.parametrize("name", ["pretrain", "agent@plain", "agent@domain", "writer"])
def test_adapters_carry_the_digest_of_their_base(
    name: str, walked: Root, client: Any, by_name: dict[str, Any]
):
    run = by_name[name]
    stage, cell = find(load(walked.params), name)
    folders = {"pretrain": walked.domain / "adapter", "agent": walked.agent(cell), "writer": walked.writer}
    assert run.data.tags["kind"] == "adapter"
    assert run.data.tags["base_digest"] == manifest(folders[stage.name])["base_digest"]
    files = [item.path for item in client.list_artifacts(run.info.run_id, "adapter")]
    assert "adapter/adapter_model.safetensors" in files


def test_agent_on_plain_and_on_domain_have_different_bases(by_name: dict[str, Any]):
    bases = [by_name[f"agent@{kind}"].data.tags["base_digest"] for kind in ("plain", "domain")]
    assert bases[0] != bases[1]
    assert by_name["writer"].data.tags["base_digest"] == bases[1]


def test_the_loss_by_step_is_a_curve(client: Any, by_name: dict[str, Any]):
    points = client.get_metric_history(by_name["pretrain"].info.run_id, "loss")
    assert [point.step for point in points] == [0, 1]


def test_a_training_says_on_what_it_ran_and_what_it_implies(by_name: dict[str, Any]):
    for name in ("pretrain", "agent@plain", "writer"):
        assert by_name[name].data.params["hardware"].startswith("cpu, ")
        told = by_name[name].data.metrics
        speed = told["seconds.tokens_per_second"]
        assert told["seconds.device_hours_per_billion_tokens"] == pytest.approx(1e9 / speed / 3600)


def test_nothing_waits_to_be_told(walked: Root):
    assert not walked.untold.exists()
