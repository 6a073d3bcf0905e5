"""Steps that are done once: each is a folder, written whole, that knows what it was made from.

A step whose folder stands, has the same key and the bytes it was written with is not done again; a damaged
one is named and made again, alone. Whoever runs the steps (one process, a pool, a cluster) changes nothing
in what they write.
"""

import fcntl
import hashlib
import json
import logging
import multiprocessing
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from finground.core.artifact import MANIFEST, digest, whole_folder
from finground.core.coding import encode
from finground.core.errors import FingroundError, InputError

T = TypeVar("T")
R = TypeVar("R")
log = logging.getLogger(__name__)


class Each(Protocol):
    """Whoever runs one function over many tasks, and gives the results in the order of the tasks."""

    def __call__(self, does: Callable[[T], R], tasks: Sequence[T]) -> Iterable[R]:
        """Run them; where and how many at a time is its own affair."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where steps are kept between runs, and who runs them."""

    folder: Path
    each: Each

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the folder, and clear away what a killed run had begun.

        Raises:
            InputError: if another run works in it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise InputError(f"another run works in {self.folder}; wait for its end") from error
            for begun in self.folder.glob("*/.tmp-*"):
                shutil.rmtree(begun) if begun.is_dir() else begun.unlink()
            yield

    def steps(self, kind: str, names: Iterable[str]) -> list[Path]:
        """The folders of one kind of step; those of an earlier run that are no longer wanted go."""
        wanted = [self.folder / kind / name for name in names]
        for there in (self.folder / kind).glob("*"):
            if there.is_dir() and there not in wanted:
                shutil.rmtree(there)
        return wanted


def key_of(*parts: Any) -> str:
    """What a step is known by: a digest of all it depends on."""
    return hashlib.sha256(b"\n".join(encode(part) for part in parts)).hexdigest()


def written(folders: Iterable[Path]) -> list[str]:
    """What steps before wrote, for the key of one that reads it."""
    return [digest(folder / MANIFEST) for folder in folders]


def made(folder: Path, key: str, make: Callable[[Path], Any]) -> Any:
    """What `make` says of the folder it filled; nothing is made where the folder stands as it was made."""
    if (about := standing(folder, key)) is not None:
        return about["made"]
    about = {"key": key}
    with whole_folder(folder, about) as out:
        about["made"] = make(out)
    return about["made"]


def standing(folder: Path, key: str) -> dict[str, Any] | None:
    """The manifest of a step that need not be done, or None; a damaged one is named in the log."""
    if not (folder / MANIFEST).is_file():
        return None
    try:
        about: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
        if about["key"] != key:
            return None
        spoilt = [name for name, sum in about["files"].items() if not _same(folder / name, sum)]
    except (ValueError, KeyError, TypeError):
        spoilt = [MANIFEST]
    if not spoilt:
        return about
    log.warning("%s is damaged (%s is not what was written); it alone is made again", folder, spoilt[0])
    return None


@contextmanager
def local(workers: int | None = None) -> Iterator[Each]:
    """Tasks on this machine's cores, or one after another in this process.

    The workers end with this process, also when it is killed.
    """
    count = workers or len(os.sched_getaffinity(0))
    if count == 1:
        yield _here
        return
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=spawned, initializer=_end_with_parent) as pool:

        def each(does: Callable[[T], R], tasks: Sequence[T]) -> Iterator[R]:
            try:
                yield from pool.map(does, tasks)
            except BrokenProcessPool as error:
                raise FingroundError(
                    "a worker process was killed (out of memory?); run again: what is done is not done again"
                ) from error

        yield each


def _here(does: Callable[[T], R], tasks: Sequence[T]) -> Iterable[R]:
    return map(does, tasks)


def write_array(path: Path, values: NDArray[Any]) -> None:
    """An array's bytes and nothing else."""
    with path.open("wb") as out:
        out.write(np.ascontiguousarray(values).data if values.size else b"")


def open_array(path: Path, kind: Any, width: int = 0) -> NDArray[Any]:
    """The array of a file, memory-mapped; [n], or [n, width]."""
    shape = (-1, width) if width else (-1,)
    if not path.stat().st_size:
        return np.zeros(0, kind).reshape(shape)
    return np.memmap(path, kind, mode="r").view(np.ndarray).reshape(shape)


def _same(path: Path, sum: str) -> bool:
    return path.is_file() and digest(path) == sum


def _end_with_parent() -> None:
    """A killed run must not leave workers behind, which would wait for tasks for ever."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
