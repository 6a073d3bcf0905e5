"""What every flow shares: a project root, commands run in it, one flow at a time, counts left as artifacts.

Flows order, retry and schedule; what a stage computes is finground's, whether it must run is DVC's to know.
"""

import argparse
import fcntl
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prefect import Flow, get_client, get_run_logger
from prefect.artifacts import create_table_artifact
from prefect.client.schemas.filters import (
    FlowFilter,
    FlowFilterName,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import StateType
from prefect.runtime import flow_run
from prefect.settings import (
    PREFECT_API_URL,
    PREFECT_HOME,
    PREFECT_SERVER_ANALYTICS_ENABLED,
    PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS,
    temporary_settings,
)
from prefect.states import Completed, Crashed

from finground.core.artifact import read_json
from finground.core.errors import FingroundError
from finground.core.paths import Root

SKIPPED = "Skipped"
LAST_WORDS = 15  # lines of a failed command that go into its error
QUIET = {
    "DO_NOT_TRACK": "true", "DVC_NO_ANALYTICS": "1", "HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
}  # fmt: skip


class CommandFailed(FingroundError):
    """A command ended badly; the message holds its last words."""


class AlreadyRunning(FingroundError):
    """Another flow works in this root."""


def call(
    root: str, *words: str, environment: Mapping[str, str] | None = None, held: Sequence[int] = ()
) -> str:
    """Run `python -m WORDS` in the root, showing what it says as it says it; returns its standard output.

    Args:
        held: open files that the command inherits, such as a lock that it is to hold while it runs.

    Raises:
        CommandFailed: with the last words, if it does not end with 0.
    """
    command = [sys.executable, "-m", *words]
    tools = str(Path(sys.executable).parent)
    path = os.pathsep.join([tools, os.environ.get("PATH", "")])
    variables = {**os.environ, **QUIET, "PATH": path, **(environment or {})}
    said: deque[str] = deque(maxlen=LAST_WORDS)
    with subprocess.Popen(
        command,
        cwd=root,
        env=variables,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=tuple(held),
    ) as running:
        everything = []
        for line in running.stdout or ():
            print(line, end="", file=sys.stderr, flush=True)
            said.append(line)
            everything.append(line)
    if running.returncode:
        raise CommandFailed(
            f"{' '.join(words)} ended with {running.returncode} in {root}:\n{''.join(said).strip()}"
        )
    return "".join(everything)


def leave_counts(root: str, stage: str) -> None:
    """The stage's counts and scores, as a table on its task."""
    counts = read_json(Root(Path(root)).metrics(stage))
    rows = [{"what": key, "value": value} for key, value in sorted(counts.items())]
    key = "counts-" + "".join(sign if sign.isalnum() else "-" for sign in stage.lower())
    create_table_artifact(
        rows or [{"what": "nothing counted", "value": 0}], key=key, description=f"{stage} in {root}"
    )


@contextmanager
def alone(root: str, work: str) -> Iterator[None]:
    """Hold the root for this kind of work; the lock falls with the process, also under `kill -9`.

    Runs of this flow that the server still calls running are marked crashed: whoever held the lock is gone.

    Raises:
        AlreadyRunning: if another process holds it.
    """
    folder = Path(root) / ".prefect"
    folder.mkdir(exist_ok=True)
    with (folder / f"{work}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise AlreadyRunning(f"another {work} runs in {root}; this one is skipped") from error
        mark_crashed(root)
        yield


def mark_crashed(root: str) -> int:
    """Mark runs of this flow in this root whose process was killed; returns how many."""
    wanted = FlowRunFilter(state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.RUNNING])))
    here = Path(root).resolve()
    named = FlowFilter(name=FlowFilterName(any_=[str(flow_run.flow_name)]))
    with get_client(sync_client=True) as client:
        stale = [
            run
            for run in client.read_flow_runs(flow_filter=named, flow_run_filter=wanted)
            if str(run.id) != flow_run.id and Path(run.parameters.get("root", ".")).resolve() == here
        ]
        for run in stale:
            get_run_logger().warning("run %s was killed; marked crashed", run.name)
            client.set_flow_run_state(run.id, Crashed(message="its process was killed"), force=True)
    return len(stale)


def if_free(root: str, work: str, does: Callable[[], Any]) -> Any:
    """Do it if no other process does this work here; otherwise the run ends as Skipped and says so."""
    try:
        with alone(root, work):
            return does()
    except AlreadyRunning as skipped:
        get_run_logger().warning("%s", skipped)
        return Completed(name=SKIPPED, message=str(skipped))


def main(flow: "Flow[..., Any]") -> None:
    """Run a flow from the command line: `--root DIR`, then whatever else it takes as `--name value`.

    Exit codes: 0 done, 1 a stage failed, 2 wrong input, 75 skipped because another run is at it.
    """
    options = argparse.ArgumentParser(description=flow.description)
    options.add_argument("--root", default=".", help="the project root (default: here)")
    for name, about in flow.parameters.properties.items():
        if name != "root":
            options.add_argument(f"--{name}", default=about.get("default"))
    given = vars(options.parse_args())
    root = str(Path(given.pop("root")).resolve())
    if not Root(Path(root)).params.is_file():
        print(
            f"{root} is not a project root (it has no params.yaml); `finground init {root}` makes one",
            file=sys.stderr,
        )
        sys.exit(2)
    with at_home(root):
        ended = flow(root, **given, return_state=True)
        failure = None if ended.is_completed() else ended.result(raise_on_failure=False)
    if isinstance(failure, FingroundError):
        print(failure, file=sys.stderr)
        sys.exit(failure.exit_code)
    if failure is not None:
        raise failure
    sys.exit(75 if ended.name == SKIPPED else 0)


@contextmanager
def at_home(root: str) -> Iterator[None]:
    """Prefect's database lies under the root, or with the server that PREFECT_API_URL names."""
    quiet: dict[Any, Any] = {
        PREFECT_SERVER_ANALYTICS_ENABLED: False,
        PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS: 120,
    }
    if not PREFECT_API_URL.value() and "PREFECT_HOME" not in os.environ:
        quiet[PREFECT_HOME] = Path(root) / ".prefect"
    with temporary_settings(quiet):
        yield
