"""Read what is new, build, keep the better: `python flows/retrain.py [--root DIR] [--metric …]`.

The challenger takes the place of the kept run only if it is better by more than chance on one named score
(two-sided p ≤ .05 from the two standard errors). Kept are dvc.lock and the scores, under models/kept; the
models are in DVC's cache, and `dvc checkout` brings them back. prefect.yaml runs it weekly.
"""

import math
import shutil
from pathlib import Path
from typing import Any

from prefect import flow, get_run_logger, task
from prefect.artifacts import create_markdown_artifact

from build import make_all
from finground.core.artifact import read_rows, whole_folder
from finground.core.errors import InputError
from finground.core.paths import Root
from finground.records.score import ScoreRow
from ingest import read_new
from workspace import call, if_free, main

METRIC = "agent-domain/request/test-natural/exact_match"
IMITATED = "template-writer"  # whose labels are our own system's
CERTAIN = 1.96  # standard errors of the difference


def row_of(scores: Path, metric: str) -> ScoreRow:
    """The row `system/task/part/metric` of a file of scores.

    Raises:
        InputError: if there is no such row, or its labels came from a system that is scored.
    """
    rows = {f"{row.system}/{row.task}/{row.part}/{row.metric}": row for row in read_rows(scores, ScoreRow)}
    if metric not in rows:
        raise InputError(f"{scores} has no score {metric!r}; there are: {', '.join(sorted(rows))}")
    if rows[metric].labels == IMITATED:
        raise InputError(f"{metric} imitates the {IMITATED}; no run is better by it: name another score")
    return rows[metric]


def verdict(kept: ScoreRow, challenger: ScoreRow) -> tuple[bool, str]:
    """Whether the challenger is better by more than chance, and the sentence that says so."""
    gain = challenger.value - kept.value
    said = f"{challenger.value:.4f} (n {challenger.n}) against {kept.value:.4f} (n {kept.n})"
    if challenger.task_version != kept.task_version:
        return (
            False,
            f"not comparable: task versions {challenger.task_version} and {kept.task_version}; {said}",
        )
    if challenger.stderr is None or kept.stderr is None:
        return False, f"not promoted: no standard error; {said}"
    error = math.hypot(challenger.stderr, kept.stderr)
    if gain > 0 and gain >= CERTAIN * error:
        return True, f"promoted: {said}, {gain:+.4f} ± {error:.4f}"
    return False, f"not promoted: {said}, {gain:+.4f} ± {error:.4f} is not more than chance"


@task
def keep_the_better(root: str, metric: str) -> bool:
    """Keep the challenger if it is better or the first; otherwise bring the kept run back."""
    place = Root(Path(root))
    kept = place.folder / "models" / "kept"
    challenger = row_of(place.scores, metric)
    if kept.is_dir():
        better, why = verdict(row_of(kept / place.scores.name, metric), challenger)
    else:
        better, why = True, f"kept as the first: {challenger.value:.4f} (n {challenger.n})"
    if better:
        keep(place, kept)
    else:
        bring_back(place, kept)
    get_run_logger().info("%s: %s", metric, why)
    create_markdown_artifact(f"`{metric}`: {why}", key="retrain", description=f"retrain in {root}")
    return better


def keep(place: Root, kept: Path) -> None:
    """Note the state of this run: DVC's lock, scores and counts."""
    with whole_folder(kept) as folder:
        shutil.copy2(place.folder / "dvc.lock", folder)
        shutil.copy2(place.scores, folder)
        shutil.copytree(place.results / "metrics", folder / "metrics")


def bring_back(place: Root, kept: Path) -> None:
    """Put the kept run's lock, counts and models in place again."""
    shutil.copy2(kept / "dvc.lock", place.folder)
    shutil.copytree(kept / "metrics", place.results / "metrics", dirs_exist_ok=True)
    call(str(place.folder), "dvc", "checkout", "--force")


@flow(name="retrain", description=__doc__)
def retrain(root: str = ".", metric: str = METRIC) -> Any:
    """A challenger, and which of the two stays."""
    return if_free(root, "build", lambda: challenge(root, metric))


def challenge(root: str, metric: str) -> bool:
    """Read, build, judge."""
    if_free(root, "ingest", lambda: read_new(root))
    make_all(root)
    return keep_the_better(root, metric)


if __name__ == "__main__":
    main(retrain)
