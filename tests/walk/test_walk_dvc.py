"""DVC runs the whole graph of a root made by `finground init`; a second run does nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_root import Said, main, params

from finground.core.paths import Root
from finground.graph import names
from finground.settings import load

pytestmark = pytest.mark.slow


def dvc(root: Root, *words: str) -> Said:
    """A command of DVC, which finds `finground` beside this Python."""
    binaries = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    told = subprocess.run(
        [sys.executable, "-m", "dvc", *words], cwd=root.folder, env={**os.environ, "PATH": binaries},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return Said(told.returncode, told.stdout, told.stderr)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Root, Said]:
    """A root made by the command, its counts cut, and what `dvc repro` said."""
    import yaml

    root = Root(tmp_path_factory.mktemp("dvc") / "root")
    assert main(["init", root.folder]) == 0
    root.params.write_text(yaml.safe_dump(params(track=False)))
    assert main(["init", root.folder, "--refresh"]) == 0
    return root, dvc(root, "repro")


def test_the_whole_graph_runs(built: tuple[Root, Said]):
    root, said = built
    assert said.code == 0, said.err
    assert [name for name in names(load(root.params)) if f"'{name}'" not in said.out] == []
    assert root.table.is_file()


def test_a_second_run_does_nothing(built: tuple[Root, Said]):
    root, _ = built
    again = dvc(root, "repro")
    assert again.code == 0
    assert "Running stage" not in again.out
    assert "up to date" in again.out + again.err


def test_finground_plan_says_that_nothing_would_run(built: tuple[Root, Said], capsys):
    assert main(["plan", "--root", built[0].folder]) == 0
    assert capsys.readouterr().out.strip() == "nothing: every stage is up to date"


def test_metrics_are_shown(built: tuple[Root, Said]):
    root, _ = built
    shown = dvc(root, "metrics", "show", "--json")
    assert shown.code == 0, shown.err
    files = next(iter(json.loads(shown.out).values()))["data"]
    assert len(files) == len(names(load(root.params)))


def test_a_changed_parameter_reruns_what_depends_on_it_and_nothing_else(built: tuple[Root, Said]):
    root, _ = built
    text = root.params.read_text()
    root.params.write_text(text.replace("new_tokens: 24", "new_tokens: 25"))
    assert main(["plan", "--root", root.folder]) == 0
    would = dvc(root, "status", "--json")
    root.params.write_text(text)
    assert set(json.loads(would.out)) == {"bench", "ablate@0.5-1", "ablate@1.0-1", "table"}


def test_the_outer_repository_sees_nothing_to_commit_but_the_project(built: tuple[Root, Said]):
    root, _ = built
    told = subprocess.run(
        ["git", "status", "--short", "--untracked-files=all"],
        cwd=root.folder, capture_output=True, text=True, check=True,
    )  # fmt: skip
    paths = {line[3:] for line in told.stdout.splitlines()}
    allowed = {"params.yaml", "dvc.yaml", "dvc.lock", ".gitignore", ".dvcignore", "data/ingest.json"}
    assert {p for p in paths if p not in allowed and not p.startswith((".dvc/", "results/metrics/"))} == set()
