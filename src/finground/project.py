"""Project roots: made, refreshed, run whole, and the demo (floor 6 beneath the CLI).

A root is a git and DVC repository of its own, so it may lie inside a folder that an outer git ignores.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from finground.core.artifact import whole_file
from finground.core.errors import FingroundError, InputError
from finground.core.paths import Root
from finground.settings import Settings, check, load

IGNORED = """\
/data/
/models/
/results/bench.jsonl
/results/comparisons.jsonl
/results/ablate/
/results/learning/
/results/table.md
/results/plots/
/results/curves/
/results/replies/
/mlflow.db*
/mlartifacts/
/.tracking/
/.prefect/
.tmp-*
"""
# what `--full` puts in the place of a profile's counts; days on two cores, and resumable stage by stage
FULL: dict[str, dict[str, Any]] = {
    "corpus": {"max_documents": None, "holdout_documents": 200},
    "pretrain": {"max_steps": None, "epochs": 1},
    "context": {"pairs": 50_000, "test_pairs": 10_000},
    "agent": {"max_steps": None, "epochs": 1},
    "stocksis": {"pairs": 1_000},
    "bench": {"questions": 300, "reports": 50, "paper_questions": 100},
    "ablate": {"seeds": [1, 2, 3], "reports": 10},
    "learning": {"fractions": [0.2, 0.5]},
}


def create(folder: Path, profile: str, *, raw: Path | None = None, full: bool = False) -> Root:
    """Make a root with the params of a profile; one that reads the same raw files under it is left as it is.

    Raises:
        InputError: if the folder holds another project, or `raw` is not a folder.
    """
    import yaml

    from finground.graph import dvc_yaml

    root = Root(folder)
    if root.params.exists():
        there = load(root.params)
        if raw is not None and there.profile == profile and (folder / there.raw).resolve() == raw.resolve():
            return root
        raise InputError(
            f"{folder} already is a project root (profile {there.profile}, raw files in {there.raw}); "
            "give another folder, or remove it"
        )
    if raw is not None and not raw.is_dir():
        raise InputError(f"{raw} is not a folder; give the folder that holds the raw files")
    if raw is not None and profile == "demo":
        raise InputError("the demo invents its own raw files; give --raw with --profile small or paper")
    if full and profile != "small":
        raise InputError(f"--full enlarges the small profile; {profile} has its own sizes")
    text = profile_text(profile)
    if raw is not None:
        text = re.sub(r"(?m)^raw: \S+", f"raw: {json.dumps(os.path.relpath(raw, folder))}", text, count=1)
    if full:
        values = yaml.safe_load(text)
        text = yaml.safe_dump({key: _fuller(key, value) for key, value in values.items()}, sort_keys=False)
    settings = check(yaml.safe_load(text), where=f"profile {profile}")
    folder.mkdir(parents=True, exist_ok=True)
    _put(folder / ".gitignore", IGNORED)
    _version_control(folder)
    _put(root.dvc, dvc_yaml(settings))
    _put(root.params, text)
    return root


def refresh(root: Root) -> None:
    """Write dvc.yaml from the table of stages."""
    from finground.graph import dvc_yaml

    _put(root.dvc, dvc_yaml(load(root.params)))


def profile_text(name: str) -> str:
    """The params file of a profile of the checkout.

    Raises:
        InputError: if finground runs from elsewhere.
    """
    path = Path(__file__).parents[2] / "profiles" / f"{name}.yaml"
    if not path.is_file():
        raise InputError(
            f"{path} is not there; profiles lie in a checkout: install finground with `make setup`"
        )
    return path.read_text()


def run_stages(
    root: Root, wanted: Sequence[str], *, now: datetime, commit: str, version: int | None = None
) -> dict[str, dict[str, float]]:
    """Run stages in the order given, counts by stage; `all` is every one, a bare matrix name its cells."""
    from finground.graph import find, names, run

    settings = load(root.params)
    known = names(settings)
    chosen: list[str] = []
    for name in wanted:
        cells = [other for other in known if other.startswith(f"{name}@")]
        chosen += known if name == "all" else cells or [name]
    for name in chosen:
        find(settings, name)
    if int(os.environ.get("WORLD_SIZE", "1")) > 1 and len(chosen) > 1:
        raise InputError(
            f"{len(chosen)} stages were asked under `accelerate launch`; processes train one stage or cell "
            f"together and part: give one of {', '.join(chosen)}"
        )
    return {name: run(root, name, now=now, commit=commit, version=version).metrics for name in chosen}


def what_would_run(root: Root) -> dict[str, list[str]]:
    """Stages that DVC would run again, with its reasons.

    Raises:
        FingroundError: if DVC cannot tell.
    """
    settings = load(root.params)
    told = subprocess.run(
        [sys.executable, "-m", "dvc", "status", "--json"],
        cwd=root.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if told.returncode:
        raise FingroundError(f"dvc status failed in {root.folder}: {_last_line(told.stderr)}")
    changed = {
        stage: [_reason(change) for change in changes] for stage, changes in json.loads(told.stdout).items()
    }
    return with_followers(settings, changed)


def with_followers(settings: Settings, changed: dict[str, list[str]]) -> dict[str, list[str]]:
    """The changed stages, and those that read what they write, in the order of the walk."""
    from finground.graph import dependencies, names

    told: dict[str, list[str]] = {}
    needs = dependencies(settings)
    for name in names(settings):
        followed = [
            f"reads what {other} will write again" for other in dict.fromkeys(needs[name]) if other in told
        ]
        if reasons := changed.get(name, []) + followed:
            told[name] = reasons
    return told


def demo(folder: Path, *, now: datetime, commit: str) -> Root:
    """A root of invented companies, every stage run, DVC told of the results; an old root is run again."""
    root = Root(folder)
    if not root.params.exists():
        create(folder, "demo")
    if load(root.params).sample is None:
        raise InputError(f"{folder} is a project of another profile; give a new folder for the demo")
    run_stages(root, ["all"], now=now, commit=commit)
    _dvc(folder, "commit", "--force", "--quiet")
    return root


def _fuller(key: str, value: Any) -> Any:
    return {**value, **FULL[key]} if key in FULL else value


def _put(path: Path, text: str) -> None:
    with whole_file(path) as temporary:
        temporary.write_text(text)


def _version_control(folder: Path) -> None:
    """git and DVC, each of the root's own."""
    if shutil.which("git") is None:
        raise FingroundError("git is not installed; a project root is a git repository: install git")
    if not (folder / ".git").exists():
        subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    if not (folder / ".dvc").exists():
        _dvc(folder, "init", "--quiet")
        for option in ("core.analytics", "core.check_update"):
            _dvc(folder, "config", "--quiet", option, "false")


def _dvc(folder: Path, *words: str) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "dvc", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    if told.returncode:
        raise FingroundError(f"dvc {' '.join(words)} failed in {folder}: {_last_line(told.stderr)}")


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it said nothing"])[-1]


def _reason(change: Any) -> str:
    if isinstance(change, str):
        return change
    return "; ".join(
        f"{kind}: {', '.join(f'{k} {v}' for k, v in what.items())}" for kind, what in change.items()
    )
