"""One graph: stages.py, dvc.yaml, params.yaml and the profiles say the same."""

import subprocess
import sys
from pathlib import Path

import pytest

from finground.core.paths import Root
from finground.graph import dvc_yaml, names
from finground.settings import Settings, load
from finground.stages import STAGES

PROFILES = ("demo", "small", "paper")


@pytest.fixture
def settings(repository: Path) -> Settings:
    return load(repository / "params.yaml")


def test_the_root_is_a_project_of_the_demo_profile(repository: Path):
    assert (repository / "params.yaml").read_text() == (repository / "profiles" / "demo.yaml").read_text()


def test_dvc_yaml_is_what_the_table_of_stages_writes(repository: Path, settings: Settings):
    assert (repository / "dvc.yaml").read_text() == dvc_yaml(settings), "run `finground init . --refresh`"


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_loads_and_names_itself(repository: Path, profile: str):
    assert load(repository / "profiles" / f"{profile}.yaml").profile == profile


@pytest.mark.parametrize("profile", PROFILES)
def test_every_parameter_that_a_stage_names_is_in_the_file(repository: Path, profile: str):
    """DVC reads the file, not our defaults."""
    import yaml

    values = yaml.safe_load((repository / "profiles" / f"{profile}.yaml").read_text())
    wanted = {key for stage in STAGES for key in stage.params if stage.name != "sample" or profile == "demo"}
    assert {key for key in wanted if not _has(values, key)} == set()


@pytest.mark.parametrize("profile", PROFILES)
def test_no_parameter_is_a_yaml_date(repository: Path, profile: str):
    """DVC refuses them; a date is written in quotes."""
    import yaml

    assert not _dates(yaml.safe_load((repository / "profiles" / f"{profile}.yaml").read_text()))


def test_dvc_takes_the_graph_and_finds_the_same_stages(repository: Path, settings: Settings):
    told = subprocess.run(
        [sys.executable, "-m", "dvc", "stage", "list", "--name-only"],
        cwd=repository, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert sorted(told.stdout.split()) == sorted(names(settings))


def test_the_order_of_the_table_can_be_run(settings: Settings):
    """Whatever a stage reads was written by one before it, or is the raw folder."""
    root, written = Root(Path()), [settings.raw]
    for stage in STAGES:
        for path in stage.reads(root):
            assert str(path) == "${raw}" or any(_within(str(path), str(w)) for w in written), (
                stage.name,
                path,
            )
        cell = "-".join(f"${{item.{key}}}" for key in stage.matrix)
        written += [
            *map(Path, stage.writes(root)),
            root.metrics(f"{stage.name}@{cell}" if cell else stage.name),
        ]


def test_what_stages_make_is_ignored_by_git_so_that_dvc_adds_nothing_to_a_clone(repository: Path):
    root = Root(Path())
    made = [
        str(path).replace("${item.", "").replace("}", "") for stage in STAGES for path in stage.writes(root)
    ]
    told = subprocess.run(
        ["git", "check-ignore", *made], cwd=repository, capture_output=True, text=True, check=False
    )
    assert sorted(told.stdout.split()) == sorted(made)


def test_every_stage_says_what_it_does_and_has_a_version():
    for stage in STAGES:
        assert stage.does.__doc__, stage.name
        assert stage.version >= 1
    assert len({stage.name for stage in STAGES}) == len(STAGES)


def test_no_two_stages_write_the_same_place():
    places = [str(path) for stage in STAGES for path in stage.writes(Root(Path()))]
    assert len(set(places)) == len(places)


def _has(values: object, dotted: str) -> bool:
    for key in dotted.split("."):
        if not isinstance(values, dict) or key not in values:
            return False
        values = values[key]
    return True


def _dates(value: object) -> bool:
    import datetime

    if isinstance(value, dict):
        return any(_dates(part) for part in value.values())
    return isinstance(value, datetime.date)


def _within(path: str, written: str) -> bool:
    """Whether one is the other, holds it, or is a cell of it."""
    head, wanted = written.partition("${")[0], path.partition("${")[0]
    return wanted.startswith(head) or head.startswith(wanted)
