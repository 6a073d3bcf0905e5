"""Runs in MLflow: parameters, metrics, curves, ledger, artifacts. The only module that imports mlflow.

What a run tells is first kept in a folder of its own under the root, then sent, in batches: points of curves
on the way, everything at the end. A tracker that is down therefore hurts nothing (case O3): the folder stays
and the next run sends it. Sending twice changes nothing, so nothing is there twice. Cells of a sweep are
children of one parent, found by its sweep tag, so cells may run in any process and order, also at once:
processes of one machine take turns where a run is looked for and made. Where mlflow is not installed, or
params say `track: false`, a run notes nothing and everything else goes on.
"""

import fcntl
import hashlib
import importlib.util
import json
import logging
import os
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from finground.core.artifact import write_json
from finground.core.paths import Root

log = logging.getLogger(__name__)
EXPERIMENT = "finground"
NOT_IN_NAMES = re.compile(r"[^\w\-. :/]")  # what mlflow refuses in the name of a metric
LONGEST_PARAMETER = 6000  # mlflow cuts what is longer, silently; such values are kept whole as an artifact
BATCH = 1000  # points that mlflow takes at a time
KEY = "finground.run"  # the tag by which a run is found again
EVENTS, ABOUT, FILES = "events.jsonl", "run.json", "files"
EVERY = 30.0  # seconds between two sendings of points
PATIENCE = 50  # a sending that failed is tried again after so many times as long as it took


class Run(Protocol):
    """Where a stage leaves what it did."""

    def params(self, values: Mapping[str, Any]) -> None: ...
    def metrics(self, values: Mapping[str, float], step: int = 0) -> None: ...
    def curve(self, name: str, points: list[tuple[int, float]]) -> None: ...
    def point(self, step: int, loss: float) -> None:
        """A point of the curve `loss`, told while the stage works."""

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
    def point(self, step: int, loss: float) -> None: ...
    def record(self, name: str, value: Any) -> None: ...
    def file(self, path: Path, folder: str = "") -> None: ...
    def adapter(self, folder: Path, base_digest: str) -> None: ...


@dataclass(slots=True)
class Sender:
    """Sends kept runs to the sqlite database under the root, or to MLFLOW_TRACKING_URI.

    A run is found by its own tag, and a parameter, point or artifact sent again is the same one: so sending
    may fail anywhere and be done again.
    """

    root: Root
    trouble: str = ""  # what the last sending failed on
    _client: Any = None
    _ids: dict[Path, str] = field(default_factory=dict)
    _sent: dict[Path, int] = field(default_factory=dict)

    def send(self, folder: Path) -> bool:
        """Send what is new in a kept run; whether the tracker took it."""
        import sqlalchemy.exc
        from mlflow.exceptions import MlflowException

        try:
            self._send(folder)
        except (MlflowException, sqlalchemy.exc.SQLAlchemyError, OSError) as error:
            self.trouble = " ".join(str(error).split())[:200]
            return False
        return True

    def _send(self, folder: Path) -> None:
        about = json.loads((folder / ABOUT).read_text())
        if folder not in self._ids:
            address = _address(self.root)
            with _in_turn(address):
                self._client = self._client or _connect(address)
                self._ids[folder] = self._run_of(self._client, folder.name, about)
        client, run, events = self._client, self._ids[folder], _events(folder)
        sends: dict[str, Callable[[Any, str, Any], None]] = {
            "params": _params, "metrics": _metrics, "tags": _tags,
        }  # fmt: skip
        for kind, what in events[self._sent.get(folder, 0) :]:
            if kind in sends:
                sends[kind](client, run, what)
        self._sent[folder] = len(events)
        if (folder / FILES).is_dir():
            client.log_artifacts(run, str(folder / FILES))
        if status := _status(events, about):
            client.set_terminated(run, status)

    def _run_of(self, client: Any, key: str, about: Mapping[str, Any]) -> str:
        """The id of the run in MLflow, made at its first sending."""
        experiment = _experiment(client, self.root)
        found = client.search_runs([experiment], f"tags.`{KEY}` = '{key}'", max_results=1)
        if found:
            return str(found[0].info.run_id)
        tags = {**about["tags"], KEY: key}
        if about["sweep"]:
            tags["mlflow.parentRunId"] = _parent(client, experiment, about["sweep"])
        return str(client.create_run(experiment, start_time=about["began"], tags=tags).info.run_id)


@dataclass(slots=True)
class KeptRun:
    """One run, kept in `folder` until it is sent."""

    folder: Path
    sender: Sender
    waiting: list[tuple[str, float, int, int]] = field(default_factory=list)  # points not yet in the folder
    next_at: float = field(default_factory=lambda: time.monotonic() + EVERY)

    def params(self, values: Mapping[str, Any]) -> None:
        self._tell("params", dict(_flat(values)))

    def metrics(self, values: Mapping[str, float], step: int = 0) -> None:
        stamp = _now_ms()
        self._tell("metrics", [(key, float(value), stamp, step) for key, value in values.items()])

    def curve(self, name: str, points: list[tuple[int, float]]) -> None:
        stamp = _now_ms()
        self._tell("metrics", [(name, float(value), stamp, step) for step, value in points])

    def point(self, step: int, loss: float) -> None:
        self.waiting.append(("loss", loss, _now_ms(), step))
        if time.monotonic() >= self.next_at:
            self.flush()
            began = time.monotonic()
            sent = self.sender.send(self.folder)
            took = time.monotonic() - began
            self.next_at = time.monotonic() + (EVERY if sent else max(EVERY, PATIENCE * took))

    def record(self, name: str, value: Any) -> None:
        write_json(self.folder / FILES / f"{name}.json", value)

    def file(self, path: Path, folder: str = "") -> None:
        _keep(path, self.folder / FILES / folder / path.name)

    def adapter(self, folder: Path, base_digest: str) -> None:
        self._tell("tags", {"kind": "adapter", "base_digest": base_digest})
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                _keep(path, self.folder / FILES / "adapter" / path.relative_to(folder))

    def flush(self) -> None:
        """Put the points that wait into the folder."""
        if self.waiting:
            points, self.waiting = self.waiting, []
            self._tell("metrics", points)

    def end(self, status: str) -> None:
        """Nothing more comes."""
        self.flush()
        self._tell("status", status)

    def _tell(self, kind: str, what: Any) -> None:
        with (self.folder / EVENTS).open("a") as events:
            events.write(json.dumps([kind, what]) + "\n")


@contextmanager
def run(root: Root, name: str, *, track: bool, sweep: str | None = None) -> Iterator[Run]:
    """One stage as a run; with `sweep`, a child of the run that carries that sweep tag."""
    first = os.environ.get("RANK", "0") == "0"  # of several processes that train together, the first tells
    if not (track and first) or importlib.util.find_spec("mlflow") is None:
        yield Untracked()
        return
    sender = Sender(root)
    noted = KeptRun(_begun(root, name, sweep), sender)
    status = "FAILED"
    try:
        yield noted
        status = "FINISHED"
    finally:
        noted.end(status)
        _send_all(root, sender)


def _begun(root: Root, name: str, sweep: str | None) -> Path:
    """The folder of a new run."""
    tags = {"mlflow.runName": name, "stage": name.partition("@")[0]}
    if sweep:
        tags["sweep_cell"] = name
    folder = root.untold / f"{_now_ms()}-{uuid.uuid4().hex[:8]}"
    folder.mkdir(parents=True)
    about = {"tags": tags, "sweep": sweep, "began": _now_ms(), "process": os.getpid()}
    write_json(folder / ABOUT, about)
    return folder


def _send_all(root: Root, sender: Sender) -> None:
    """Send this run and what earlier ones could not send, oldest first; what was sent is removed."""
    with _in_turn(str(root.untold.resolve())):
        for folder in sorted(path.parent for path in root.untold.glob(f"*/{ABOUT}")):
            if not _status(_events(folder), json.loads((folder / ABOUT).read_text())):
                continue
            if not sender.send(folder):
                log.warning(
                    "the tracker does not answer (%s); %s is kept and sent with the next run",
                    sender.trouble,
                    folder,
                )
                return
            shutil.rmtree(folder)
        with suppress(OSError):  # it is gone, or another process has begun a run in it
            root.untold.rmdir()


def _events(folder: Path) -> list[tuple[str, Any]]:
    """What a run told, in its order; a last line that was cut off is no event."""
    path = folder / EVENTS
    lines = path.read_text().splitlines(keepends=True) if path.is_file() else []
    return [tuple(json.loads(line)) for line in lines if line.endswith("\n")]


def _status(events: Sequence[tuple[str, Any]], about: Mapping[str, Any]) -> str:
    """How a run ended; empty while its process works on it."""
    if events and events[-1][0] == "status":
        return str(events[-1][1])
    return "" if Path(f"/proc/{about['process']}").exists() else "KILLED"


def _keep(path: Path, place: Path) -> None:
    """A hard link, or a copy where that cannot be: what replaces the file later is another file."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    try:
        os.link(path, place)
    except OSError:
        shutil.copyfile(path, place)


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(value)


def _now_ms() -> int:
    return int(time.time() * 1000)


def _params(client: Any, run: str, values: Mapping[str, str]) -> None:
    from mlflow.entities import Param

    flat = dict(values)
    for key, text in values.items():
        if len(text) > LONGEST_PARAMETER:
            client.log_text(run, text, f"params/{key}.txt")
            flat[key] = f"see artifact params/{key}.txt ({len(text)} characters)"
    client.log_batch(run, params=[Param(key, text) for key, text in flat.items()])


def _metrics(client: Any, run: str, points: Sequence[tuple[str, float, int, int]]) -> None:
    from mlflow.entities import Metric

    for start in range(0, len(points), BATCH):
        batch = [Metric(NOT_IN_NAMES.sub("-", key), *rest) for key, *rest in points[start : start + BATCH]]
        client.log_batch(run, metrics=batch)


def _tags(client: Any, run: str, tags: Mapping[str, str]) -> None:
    for key, value in tags.items():
        client.set_tag(run, key, value)


@contextmanager
def _in_turn(what: str) -> Iterator[None]:
    """One process of this user at a time for the same tracker or folder; the lock falls with its process."""
    name = hashlib.sha256(what.encode()).hexdigest()[:16]
    with (Path(tempfile.gettempdir()) / f"finground-{os.getuid()}-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _address(root: Root) -> str:
    return os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{root.tracker.resolve()}"


def _connect(address: str) -> Any:
    for name, value in {
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "DO_NOT_TRACK": "true",
        "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
        "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
    }.items():
        os.environ.setdefault(name, value)
    from mlflow.tracking import MlflowClient

    return MlflowClient(address)


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
    for run in found:
        return str(run.info.run_id)
    made = client.create_run(experiment, tags={"mlflow.runName": sweep, "sweep": sweep})
    client.set_terminated(made.info.run_id, "FINISHED")
    return str(made.info.run_id)
