"""Every stage leaves what the table of stages says it writes, and its numbers."""

import json
from pathlib import Path

import pytest

from finground.core.artifact import digest, manifest, read_json, read_rows
from finground.core.paths import Root
from finground.graph import find, names
from finground.records.score import Comparison, ScoreRow
from finground.settings import Settings, load
from finground.stages import Stage


def settings_of(root: Root) -> Settings:
    return load(root.params)


def places(stage: Stage, cell: str, root: Root) -> list[Path]:
    """What the stage writes for this cell."""
    written = []
    for path in stage.writes(root):
        text = str(path)
        for key, value in zip(stage.matrix, cell.split("-"), strict=False):
            text = text.replace(f"${{item.{key}}}", value)
        written.append(Path(text))
    return written


def test_every_stage_leaves_what_the_table_says_it_writes(walked: Root):
    for name in names(settings_of(walked)):
        stage, cell = find(settings_of(walked), name)
        assert [path for path in places(stage, cell, walked) if not path.exists()] == [], name


def test_every_folder_is_whole_by_its_manifest(walked: Root):
    folders = [
        path
        for name in names(settings_of(walked))
        for path in places(*find(settings_of(walked), name), walked)
        if path.is_dir()
    ]
    assert len(folders) >= 9
    for folder in folders:
        files = manifest(folder)["files"]
        assert {name: digest(folder / name) for name in files} == files, folder


def test_every_stage_leaves_its_numbers_as_a_small_json(walked: Root):
    for name in names(settings_of(walked)):
        metrics = json.loads(walked.metrics(name).read_text())
        assert metrics, name
        assert {type(value) for value in metrics.values()} <= {int, float}, name


def test_nothing_half_written_is_left(walked: Root):
    assert [path.name for path in walked.folder.rglob(".tmp-*")] == []


def test_every_artifact_lies_under_the_root(walked: Root):
    assert {path.name for path in walked.folder.iterdir()} == {
        "data", "models", "results", "params.yaml", "mlflow.db", "mlartifacts",
    }  # fmt: skip


def test_the_domain_adapter_was_trained_in_four_bits(walked: Root):
    assert read_json(walked.metrics("pretrain"))["four_bit_modules"] == 14  # 2 layers of 7 linear modules


def test_perplexity_is_of_documents_held_out_by_date_and_by_source(walked: Root):
    metrics = read_json(walked.metrics("pretrain"))
    for part in ("by-date", "by-source"):
        assert metrics[f"{part}.documents"] == 4
        assert metrics[f"{part}.ratio"] == pytest.approx(
            metrics[f"{part}.adapted"] / metrics[f"{part}.plain"]
        )


def test_every_system_is_scored_on_every_part(walked: Root):
    rows = list(read_rows(walked.scores, ScoreRow))
    systems = {(row.task, row.system) for row in rows}
    assert systems == {
        ("request", "rules"), ("request", "agent-plain"), ("request", "agent-domain"),
        ("request", "hybrid-domain"),
        ("report", "template"), ("report", "base"), ("report", "writer"), ("report", "base-few-shot"),
        *(("analyscore", name) for name in ("template", "base", "base-few-shot", "writer")),
    }  # fmt: skip
    parts = {row.part for row in rows if "/" not in row.part}
    assert parts == {
        "test-seen", "test-new-template", "test-new-company", "test-new-metric", "test-natural",
        "new-time", "new-company", "paper-questions",
    }  # fmt: skip


def test_agents_are_compared_with_the_rules_and_one_base_with_the_other(walked: Root):
    found = {
        (row.first, row.second)
        for row in read_rows(walked.comparisons, Comparison)
        if row.metric == "exact_match" and row.part == "test-seen"
    }
    assert found == {
        ("agent-plain", "rules"), ("agent-domain", "rules"), ("hybrid-domain", "rules"),
        ("agent-domain", "agent-plain"),
    }  # fmt: skip


def test_running_a_stage_by_its_bare_name_runs_all_its_cells(walked: Root, tmp_path: Path):
    from small_root import copy, run

    assert list(run(copy(walked, tmp_path / "root"), "agent")) == ["agent@plain", "agent@domain"]


def test_plain_lora_is_reported_beside_qlora_when_asked(walked: Root, tmp_path: Path):
    from small_root import copy, params, run

    settings = {**params()["pretrain"], "control": True}
    numbers = run(copy(walked, tmp_path / "root", pretrain=settings), "pretrain")["pretrain"]
    parts = [name.removeprefix("control.") for name in numbers if name.startswith("control.by-")]
    assert parts and all(numbers[f"control.{name}"] == numbers[name] for name in parts if "plain" in name)
    assert numbers["control.last_loss"] > 0 and numbers["four_bit_modules"] > 0


def test_an_agent_may_be_trained_by_lora_and_is_asked_like_any(walked: Root, tmp_path: Path, finground):
    from small_root import DAY, copy, params, run

    settings = {**params()["agent"], "method": "lora", "bases": ["domain"]}
    root = copy(walked, tmp_path / "root", agent=settings)
    assert list(run(root, "agent")) == ["agent@domain"]
    for agent in ("tuned", "hybrid"):
        said = finground(
            "request", "How did energy companies do in 2024?", "--agent", agent, "--as-of", DAY, "--json",
            "--root", root.folder,
        )  # fmt: skip
        assert said.code == 0, said.sentence
        assert {"text", "request", "sure", "doubts"} <= json.loads(said.out).keys()


def test_run_says_its_numbers_as_json(walked: Root, tmp_path: Path, finground):
    from small_root import copy

    said = finground("run", "context", "--json", "--root", copy(walked, tmp_path / "root").folder)
    assert said.code == 0
    assert json.loads(said.out)["context"]["pairs.train"] == 32


def test_a_stage_that_is_not_there_is_answered_with_those_that_are(walked: Root, finground):
    said = finground("run", "pretrian", "--root", walked.folder)
    assert said.code == 2
    assert "'pretrian' is not a stage of this project; there are: sample, base, ingest" in said.sentence


def test_a_dvc_yaml_of_another_version_is_refused(walked: Root, finground):
    said = finground("run", "context", "--version", "99", "--root", walked.folder)
    assert said.code == 2
    assert "asks for version 99 of stage context" in said.sentence
    assert "--refresh" in said.sentence


def test_a_root_of_the_same_raw_files_is_left_as_it_is(finground, tmp_path: Path):
    """What `make real` does each time."""
    for name in ("raw", "other"):
        (tmp_path / name).mkdir()
    root, asked = tmp_path / "a root", ("--profile", "small", "--raw")
    assert finground("init", root, *asked, tmp_path / "raw").code == 0
    with (root / "params.yaml").open("a") as params:
        params.write("# mine\n")
    assert finground("init", root, *asked, tmp_path / "raw").code == 0
    assert (root / "params.yaml").read_text().endswith("# mine\n")
    said = finground("init", root, *asked, tmp_path / "other")
    assert said.code == 2 and "already is a project root" in said.sentence


def test_a_root_is_not_made_over_another(walked: Root, finground):
    said = finground("init", walked.folder)
    assert said.code == 2
    assert "already is a project root" in said.sentence
