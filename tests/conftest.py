"""What every test stands on: few threads, no telemetry, no network, and real data only where it is."""

import fcntl
import logging
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from small_root import Said, main, make, params, run

from finground.core.paths import Root

REPOSITORY = Path(__file__).parents[1]
REAL_DATA = REPOSITORY.parent / "shared" / "data"

os.environ.update(
    OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false", DO_NOT_TRACK="true", DVC_NO_ANALYTICS="1",
    HF_DATASETS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1", HF_HUB_OFFLINE="1",
    MLFLOW_DISABLE_TELEMETRY="true", PREFECT_SERVER_ANALYTICS_ENABLED="false",
)  # fmt: skip


hypothesis.settings.register_profile("no clock", deadline=None)  # shared machines stall at times
hypothesis.settings.load_profile("no clock")


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real files beside the checkout, read where it lies."""
    if not REAL_DATA.is_dir():
        pytest.skip("../shared/data is not there")
    return REAL_DATA


@pytest.fixture(scope="session")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """A small demo root with every stage run and tracked; read it, and copy it before changing anything.

    Workers of one session share it: who comes second waits until it is whole.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, whole = shared / "walked", shared / "walked.whole"
    with (shared / "walked.lock").open("w") as lock, pytest.MonkeyPatch.context() as patch:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.exists():
            patch.delenv("MLFLOW_TRACKING_URI", raising=False)
            run(make(folder, params()), "all")
            whole.touch()
    return Root(folder)


@pytest.fixture
def finground(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., Said]]:
    """`finground WORDS…` in this process: code, stdout, stderr."""

    def call(*words: object) -> Said:
        capsys.readouterr()
        code = main(words)
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    ours = logging.getLogger("finground")
    before = ours.handlers[:], ours.level, ours.propagate
    yield call
    ours.handlers[:], ours.level, ours.propagate = before


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests marked `realdata` skip where there is none."""
    for item in items:
        if item.get_closest_marker("realdata") and not REAL_DATA.is_dir():
            item.add_marker(pytest.mark.skip(reason="../shared/data is not there"))


@pytest.fixture(scope="session", autouse=True)
def no_network() -> Iterator[None]:
    """Whatever tries to leave this machine fails by name (law 10)."""
    patch = pytest.MonkeyPatch()
    for name in ("connect", "connect_ex"):
        patch.setattr(socket.socket, name, _on_loopback(getattr(socket.socket, name)))
    yield
    patch.undo()


def _on_loopback(connect: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family != socket.AF_UNIX and str(address[0]) not in ("127.0.0.1", "::1", "localhost"):
            raise RuntimeError(f"a test tried to reach {address[0]}; tests use no network")
        return connect(self, address)

    return guarded
