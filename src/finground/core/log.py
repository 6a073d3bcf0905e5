"""The log and the progress bar, both on stderr; results alone go to stdout."""

import logging
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


def to_stderr(level: int = logging.INFO) -> None:
    """Send our log to stderr, and nobody else's below a warning."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    ours = logging.getLogger("finground")
    ours.handlers[:] = [handler]
    ours.setLevel(level)
    ours.propagate = False


def progress(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items, with a bar on stderr where stderr is a terminal; shown only once two seconds have passed."""
    from tqdm import tqdm

    yield from tqdm(items, desc=what, total=total, delay=2, leave=False, disable=not sys.stderr.isatty())


@contextmanager
def timed(log: logging.Logger, what: str) -> Iterator[None]:
    """One line when `what` ends, with its seconds."""
    began = time.perf_counter()
    yield
    log.info("%s: %.1f s", what, time.perf_counter() - began)
