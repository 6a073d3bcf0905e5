"""A demo root with every count cut hard, and what tests do with one: copied, run, compared."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from finground.core.artifact import digest
from finground.core.paths import Root

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
COMMIT = "c0ffee"
DAY = "2025-06-30"  # snapshot.as_of of the demo profile
COUNTS: dict[str, dict[str, Any]] = {
    "sample": {"news": 60, "stories": 120},
    "base": {"name": "tiny", "dtype": "float32", "tiny_steps": 2},
    "corpus": {"block": 64, "holdout_documents": 4},
    "pretrain": {"max_steps": 2, "max_tokens": 64, "batch": 2},
    "context": {"pairs": 40, "test_pairs": 16},
    "agent": {"max_steps": 2, "batch": 2},
    "stocksis": {"pairs": 4},
    "writer": {"max_steps": 1, "batch": 1, "max_tokens": 2048},
    "bench": {"questions": 2, "reports": 1, "paper_questions": 2, "new_tokens": 24},
    "learning": {"fractions": [0.5]},
    "ablate": {"fractions": [0.5, 1.0], "seeds": [1], "reports": 1},
}


def params(profile: str = "demo", **changed: Any) -> dict[str, Any]:
    """The values of a profile with small counts; `changed` takes the place of top-level keys."""
    from finground.project import profile_text

    values = yaml.safe_load(profile_text(profile))
    small = {
        key: {**values[key], **counts} if key in values else None
        for key, counts in COUNTS.items()
        if key != "sample" or key in values
    }
    return {**values, **small, **changed}


def make(folder: Path, values: dict[str, Any]) -> Root:
    """A root that has its params and nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "params.yaml").write_text(yaml.safe_dump(values))
    return Root(folder)


def run(root: Root, *stages: str) -> dict[str, dict[str, float]]:
    """Stages in this process, with a clock that stands."""
    from finground.project import run_stages

    return run_stages(root, stages, now=NOW, commit=COMMIT)


def copy(root: Root, to: Path, **changed: Any) -> Root:
    """The same root elsewhere, untracked; raw files are linked, not copied.

    A store's write-ahead files come and go with those who read it in other workers, and hold nothing then.
    """
    left = shutil.ignore_patterns("mlflow.db*", "mlartifacts", "raw", "*.db-shm", "*.db-wal")
    shutil.copytree(root.folder, to, ignore=left, dirs_exist_ok=True)
    (to / "data" / "raw").symlink_to(root.sample.resolve(), target_is_directory=True)
    values = yaml.safe_load(root.params.read_text())
    return make(to, {**values, "track": False, **changed})


def digests(*places: Path) -> dict[str, str]:
    """sha256 of every file of these files and folders, by name below them."""
    found = {}
    for place in places:
        files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
        found |= {f"{place.name}/{path.relative_to(place)}": digest(path) for path in files}
    return found


def leftovers(root: Root) -> list[Path]:
    """What a killed run leaves; the raw folder is not looked into."""
    return [path for path in root.folder.rglob(".tmp-*") if root.sample not in path.parents]


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """The error, without the log lines before it."""
        return next((line for line in self.err.splitlines() if line.startswith("finground: ")), "")


def main(words: Sequence[object]) -> int:
    """The command in this process; its exit code."""
    from finground.cli import main as finground

    try:
        finground([str(word) for word in words])
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0
