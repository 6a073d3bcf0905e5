"""Runs in MLflow: parameters, metrics, ledger, artifacts of each stage. The only module that imports mlflow.

A run is written to the sqlite database under the root (or to MLFLOW_TRACKING_URI), by absolute URI. Cells of
a sweep are children of one parent, found by its sweep tag, so cells may run in any process and order. Where
mlflow is not installed, or params say `track: false`, a run notes nothing and everything else goes on.
"""

import importlib.util
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from finground.core.paths import Root

EXPERIMENT = "finground"
NOT_IN_NAMES = re.compile(r"[^\w\-. :/]")  # what mlflow refuses in the name of a metric
LONGEST_PARAMETER = 6000  # mlflow cuts what is longer, silently; such values are kept whole as an artifact


class Run(Protocol):
    """Where a stage leaves what it did."""

    def params(self, values: Mapping[str, Any]) -> None: ...
    def metrics(self, values: Mapping[str, float], step: int = 0) -> None: ...
    def curve(self, name: str, points: list[tuple[int, float]]) -> None: ...
    def record(self, name: str, value: Any) -> None:
        """A small JSON (a ledger, a table) kept as an artifact."""

    def file(self, path: Path, folder: str = "") -> None: ...
    def adapter(self, folder: Path, base_digest: str) -> None:
        """An adapter folder, with the hash of the base it belongs to."""


class Untracked:
    """A run that nobody watches."""

    def params(self, values: Mapping[str, Any]) -> None: ...
    def metrics(self, values: Mapping[str, float], step: int = 0) -> None: ...
    def curve(self, name: str, points: list[tuple[int, float]]) -> None: ...
    def record(self, name: str, value: Any) -> None: ...
    def file(self, path: Path, folder: str = "") -> None: ...
    def adapter(self, folder: Path, base_digest: str) -> None: ...


@dataclass(frozen=True, slots=True)
class MlflowRun:
    """One run in MLflow; `client` batches what it is given."""

    client: Any
    id: str

    def params(self, values: Mapping[str, Any]) -> None:
        from mlflow.entities import Param

        flat = dict(_flat(values))
        long = {key: text for key, text in flat.items() if len(text) > LONGEST_PARAMETER}
        for key, text in long.items():
            self.client.log_text(self.id, text, f"params/{key}.txt")
            flat[key] = f"see artifact params/{key}.txt ({len(text)} characters)"
        self.client.log_batch(self.id, params=[Param(key, text) for key, text in flat.items()])

    def metrics(self, values: Mapping[str, float], step: int = 0) -> None:
        from mlflow.entities import Metric

        stamp = _now_ms()
        named = {NOT_IN_NAMES.sub("-", key): float(value) for key, value in values.items()}
        self.client.log_batch(
            self.id, metrics=[Metric(key, value, stamp, step) for key, value in named.items()]
        )

    def curve(self, name: str, points: list[tuple[int, float]]) -> None:
        from mlflow.entities import Metric

        stamp = _now_ms()
        for start in range(0, len(points), 1000):
            batch = [Metric(name, float(value), stamp, step) for step, value in points[start : start + 1000]]
            self.client.log_batch(self.id, metrics=batch)

    def record(self, name: str, value: Any) -> None:
        self.client.log_dict(self.id, value, f"{name}.json")

    def file(self, path: Path, folder: str = "") -> None:
        self.client.log_artifact(self.id, str(path), folder or None)

    def adapter(self, folder: Path, base_digest: str) -> None:
        self.client.set_tag(self.id, "kind", "adapter")
        self.client.set_tag(self.id, "base_digest", base_digest)
        self.client.log_artifacts(self.id, str(folder), "adapter")


@contextmanager
def run(root: Root, name: str, *, track: bool, sweep: str | None = None) -> Iterator[Run]:
    """One stage as a run; with `sweep`, a child of the run that carries that sweep tag."""
    if not track or importlib.util.find_spec("mlflow") is None:
        yield Untracked()
        return
    client = _client(root)
    experiment = _experiment(client, root)
    tags = {"mlflow.runName": name, "stage": name.partition("@")[0]}
    if sweep:
        tags["mlflow.parentRunId"] = _parent(client, experiment, sweep)
        tags["sweep_cell"] = name
    started = client.create_run(experiment, tags=tags)
    status = "FAILED"
    try:
        yield MlflowRun(client, started.info.run_id)
        status = "FINISHED"
    finally:
        client.set_terminated(started.info.run_id, status)


def _client(root: Root) -> Any:
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("DO_NOT_TRACK", "true")
    from mlflow.tracking import MlflowClient

    return MlflowClient(os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{root.tracker.resolve()}")


def _experiment(client: Any, root: Root) -> str:
    found = client.get_experiment_by_name(EXPERIMENT)
    if found is not None:
        return str(found.experiment_id)
    local = None if os.environ.get("MLFLOW_TRACKING_URI") else root.tracked.resolve().as_uri()
    return str(client.create_experiment(EXPERIMENT, artifact_location=local))


def _parent(client: Any, experiment: str, sweep: str) -> str:
    """The sweep's parent run; made by whichever cell comes first."""
    found = client.search_runs(
        [experiment], f"tags.sweep = '{sweep}'", max_results=1, order_by=["start_time ASC"]
    )
    if found:
        return str(found[0].info.run_id)
    made = client.create_run(experiment, tags={"mlflow.runName": sweep, "sweep": sweep})
    client.set_terminated(made.info.run_id, "FINISHED")
    return str(made.info.run_id)


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(value)


def _now_ms() -> int:
    import time

    return int(time.time() * 1000)
