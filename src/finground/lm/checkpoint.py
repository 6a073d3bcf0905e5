"""Checkpoints: where a run stands, complete or absent, verified before anything is loaded (law 7).

A checkpoint is a folder `step-…` of safetensors and JSON with a manifest of hashes, written last. The two
newest are kept. One that is damaged is refused by name and the one before it is used (case T2); one of
another run, by settings, data, base or code, is never continued (T3).
"""

import hashlib
import json
import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from finground.core.artifact import MANIFEST, digest, whole_folder
from finground.core.errors import InputError
from finground.lm.device import first_process

log = logging.getLogger(__name__)
KEPT = 2
STATE, TENSORS = "state.json", "tensors.safetensors"
LIBRARIES = ("accelerate", "bitsandbytes", "peft", "torch", "transformers")
CODE = ("adapter.py", "collate.py", "loop.py", "loss.py")  # what decides the numbers of a run
NEUTRAL = ("save_every",)  # settings that change no number


def key(
    settings: Mapping[str, Any], *, data: str, base: str, seed: int, how: Mapping[str, Any]
) -> dict[str, Any]:
    """What a run is: two runs of the same key are the same run.

    Args:
        data: digest of the examples; `base` of the base model.
        how: method, quantisation, number type and what else the caller decides.
    """
    source = hashlib.sha256(b"".join((Path(__file__).parent / name).read_bytes() for name in CODE))
    return {
        "settings": {name: value for name, value in settings.items() if name not in NEUTRAL},
        "data": data, "base": base, "seed": seed, "how": dict(how), "code": source.hexdigest(),
        "libraries": {name: version(name) for name in LIBRARIES},
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The checkpoints of one run, in a folder of their own."""

    folder: Path
    key: Mapping[str, Any]

    def save(self, step: int, tensors: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        """Write the checkpoint of a step, then remove all but the newest two; the first process does it."""
        from safetensors.torch import save_file

        if not first_process():
            return
        with whole_folder(self.folder / f"step-{step:08d}") as temporary:
            save_file(dict(tensors), temporary / TENSORS)
            (temporary / STATE).write_text(json.dumps({"key": self.key, "step": step, **state}))
            for name in (TENSORS, STATE):
                _to_disk(temporary / name)
        for old in list(self._newest_first())[KEPT:]:
            shutil.rmtree(old)

    def load(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Tensors and state of the newest whole checkpoint; None where there is none.

        Raises:
            InputError: if it is of another run, naming what differs.
        """
        from safetensors.torch import load_file

        for folder in self._newest_first():
            if damage := self.damage(folder):
                log.warning("%s is refused (%s); the one before it is used, if any", folder, damage)
                continue
            state: dict[str, Any] = json.loads((folder / STATE).read_text())
            self._same_run(folder, state["key"])
            return load_file(folder / TENSORS), state
        return None

    def clear(self) -> None:
        """Remove them all: the run is over and its adapter is written."""
        if first_process():
            shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def damage(folder: Path) -> str:
        """What is wrong with a checkpoint; empty if it is whole."""
        try:
            files = json.loads((folder / MANIFEST).read_text())["files"]
            expected = {name: files[name] for name in (STATE, TENSORS)}
        except (ValueError, KeyError, TypeError):
            return f"its {MANIFEST} cannot be read"
        for name, sha256 in expected.items():
            if not (folder / name).is_file():
                return f"{name} is missing"
            if digest(folder / name) != sha256:
                return f"{name} has other bytes than its manifest says"
        return ""

    def _newest_first(self) -> Iterator[Path]:
        """Those with a manifest; what has none was never a checkpoint."""
        found = [path for path in self.folder.glob("step-*") if (path / MANIFEST).is_file()]
        yield from sorted(found, key=lambda path: path.name, reverse=True)

    def _same_run(self, folder: Path, theirs: Mapping[str, Any]) -> None:
        ours = json.loads(json.dumps(self.key))
        differing = [
            f"{name} is {_short(there)} there and {_short(here)} here"
            for name, there, here in _differences(theirs, ours)
        ]
        if differing:
            raise InputError(
                f"{folder} is of another run: {'; '.join(differing)}; set it back, "
                f"or remove {self.folder} to train from the start"
            )


def _differences(theirs: Any, ours: Any, name: str = "") -> Iterator[tuple[str, Any, Any]]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for part in sorted(theirs.keys() | ours.keys()):
            yield from _differences(theirs.get(part), ours.get(part), f"{name}.{part}" if name else part)
    elif theirs != ours:
        yield name, theirs, ours


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:12]}…"


def _to_disk(path: Path) -> None:
    with path.open("rb") as written:
        os.fsync(written.fileno())
