"""Floors: an import goes down only, and what is heavy or foreign stays in its room."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from source import PACKAGE

HEAVY = ("torch", "transformers", "pandas", "mlflow", "prefect", "dvc", "datasets", "starlette", "numpy")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}


def test_every_contract_of_the_floors_is_kept(repository: Path):
    """In a process of its own: the linter sets up logging anew, which closes stderr where absl is loaded."""
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    told = subprocess.run(
        [sys.executable, "-c", code],
        cwd=repository,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout


def test_every_room_stands_on_a_floor(repository: Path):
    contracts = tomllib.loads((repository / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    named = {room.strip().removeprefix("finground.") for layer in layers for room in layer.split("|")}
    there = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or any(path.rglob("*.py"))}
    assert there - {"__init__", "__main__"} == named


def test_the_door_opens_without_anything_heavy():
    code = "import sys, finground.cli; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert not set(HEAVY) & set(loaded)


def test_every_room_is_a_package():
    """Without __init__.py the floors are not seen, nor is the room in a wheel."""
    rooms = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [
        str(room.relative_to(PACKAGE)) for room in sorted(rooms) if not (room / "__init__.py").is_file()
    ] == []


def test_every_file_of_data_is_in_a_wheel(repository: Path):
    """The mapping of the papers' questions, templates, published tables, …"""
    patterns = tomllib.loads((repository / "pyproject.toml").read_text())["tool"]["setuptools"][
        "package-data"
    ]
    data = [path for path in PACKAGE.rglob("*.*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    left = [path.name for path in data if not any(path.match(pattern) for pattern in patterns["*"])]
    assert data and left == []
