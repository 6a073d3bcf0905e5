"""Flows order and judge; these laws need no server."""

import fcntl
import subprocess
from pathlib import Path

import pytest

from finground.core.artifact import write_rows
from finground.core.errors import InputError
from finground.records.score import ScoreRow


def score(value: float, stderr: float | None = 0.02, *, version: int = 1, labels: str = "") -> ScoreRow:
    return ScoreRow(
        "agent-domain",
        "request",
        version,
        "test-natural",
        "exact_match",
        value,
        stderr,
        100,
        0,
        0,
        7,
        "abc",
        labels,
    )


def test_stages_come_in_the_order_of_the_table(flows: Path, repository: Path):
    from build import in_order

    order = in_order(str(repository))
    assert order[0] == "sample"
    assert order[-1] == "table"
    assert order.index("pretrain") < order.index("agent@domain") < order.index("bench")


def test_the_ablation_is_its_cells_and_the_table(flows: Path, repository: Path):
    from build import in_order

    assert in_order(str(repository), "ablate", "table") == [
        f"ablate@{fraction}-{seed}" for fraction in (0.2, 0.5, 0.8, 1.0) for seed in (1, 2, 3)
    ] + ["table"]


def test_runs_that_the_tracker_was_not_told_of_outlive_the_worktree_they_were_made_in(
    flows: Path, tmp_path: Path
):
    from ablate import clear

    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    worktree = tmp_path / ".ablate" / "worker-1"
    (worktree / ".tracking" / "1-a").mkdir(parents=True)
    (worktree / ".tracking" / "1-a" / "run.json").write_text("{}")
    clear(tmp_path, worktree)
    assert not worktree.exists()
    assert (tmp_path / ".tracking" / "1-a" / "run.json").read_text() == "{}"
    clear(tmp_path, worktree)  # nothing is there, and nothing happens


@pytest.mark.parametrize(
    ("kept", "challenger", "better"),
    [
        (score(0.50), score(0.56), True),  # 0.06 against 1.96 × 0.0283 = 0.0554
        (score(0.50), score(0.55), False),
        (score(0.50), score(0.40), False),
        (score(0.50, None), score(0.99), False),
        (score(0.50), score(0.99, version=2), False),
        (score(0.50, 0.0), score(0.50, 0.0), False),
    ],
)
def test_a_challenger_is_promoted_only_if_it_is_better_by_more_than_chance(
    flows: Path, kept: ScoreRow, challenger: ScoreRow, better: bool
):
    from retrain import verdict

    promoted, said = verdict(kept, challenger)
    assert promoted is better
    assert said.startswith("promoted" if better else "not ")


def test_a_score_that_is_not_there_is_named_with_those_that_are(flows: Path, tmp_path: Path):
    from retrain import row_of

    write_rows(tmp_path / "bench.jsonl", [score(0.5)])
    with pytest.raises(
        InputError, match="has no score 'x'; there are: agent-domain/request/test-natural/exact_match"
    ):
        row_of(tmp_path / "bench.jsonl", "x")


def test_nobody_is_better_at_imitating_the_system_that_made_the_labels(flows: Path, tmp_path: Path):
    from retrain import METRIC, row_of

    write_rows(tmp_path / "bench.jsonl", [score(0.5, labels="template-writer")])
    with pytest.raises(InputError, match="imitates the template-writer"):
        row_of(tmp_path / "bench.jsonl", METRIC)


def test_a_failed_command_leaves_its_last_words(flows: Path, tmp_path: Path):
    from workspace import CommandFailed, call

    with pytest.raises(CommandFailed, match=r"(?s)ended with 1.*No module named"):
        call(str(tmp_path), "no_such_module")


def test_two_builds_of_one_root_do_not_run_at_once(flows: Path, tmp_path: Path):
    from workspace import AlreadyRunning, alone

    (tmp_path / ".prefect").mkdir()
    with (tmp_path / ".prefect" / "build.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(AlreadyRunning, match="another build runs in"), alone(str(tmp_path), "build"):
            pass


def test_the_deployments_name_flows_that_are_there(flows: Path, repository: Path):
    import importlib

    import yaml

    deployments = yaml.safe_load((repository / "prefect.yaml").read_text())["deployments"]
    assert {d["entrypoint"] for d in deployments} == {"flows/ingest.py:ingest", "flows/retrain.py:retrain"}
    for deployment in deployments:
        path, _, name = deployment["entrypoint"].partition(":")
        assert getattr(importlib.import_module(Path(path).stem), name).name == name
        assert deployment["schedules"][0]["cron"]
