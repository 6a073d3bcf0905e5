"""The commands of newcomers and of CI are the same ones, and call nobody's home."""

import os
from pathlib import Path

import pytest

TARGETS = ("setup", "demo", "test", "test-all", "check", "real", "real-full")


@pytest.fixture(scope="module")
def makefile(repository: Path) -> str:
    return (repository / "Makefile").read_text()


@pytest.mark.parametrize("target", TARGETS)
def test_there_is_a_target(makefile: str, target: str):
    assert f"\n{target}: " in makefile


def test_ci_calls_the_same_targets_in_its_own_environment(repository: Path):
    script = repository / ".ci" / "run"
    assert os.access(script, os.X_OK)
    text = script.read_text()
    assert [f"step {target}" in text for target in ("check", "test-all", "demo")] == [True] * 3
    assert 'VENV="$fresh/venv"' in text


@pytest.mark.parametrize(
    "switch",
    [
        "DO_NOT_TRACK",
        "MLFLOW_DISABLE_TELEMETRY",
        "PREFECT_SERVER_ANALYTICS_ENABLED",
        "HF_HUB_OFFLINE",
        "DVC_NO_ANALYTICS",
    ],
)
def test_telemetry_is_off(makefile: str, switch: str):
    assert f"export {switch} := " in makefile


def test_dvc_neither_reports_nor_looks_for_updates(repository: Path):
    text = (repository / ".dvc" / "config").read_text()
    assert "analytics = false" in text
    assert "check_update = false" in text
