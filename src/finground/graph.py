"""The graph of stages: their names and cells, one run of one of them, and dvc.yaml (floor 5, over stages).

`finground run`, DVC and Prefect all call `run`. DVC owns the hashes, so nothing here asks what has changed.
"""

import hashlib
import logging
import re
from collections.abc import Mapping
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any

from finground.core import tracking
from finground.core.artifact import MANIFEST, manifest, write_json
from finground.core.errors import InputError
from finground.core.log import timed
from finground.core.paths import Root
from finground.settings import Settings, load
from finground.stages import STAGES, Outcome, Stage, Work

log = logging.getLogger(__name__)


def names(settings: Settings) -> tuple[str, ...]:
    """Every stage and cell of these settings, in an order that can be run."""
    found: list[str] = []
    for stage in rows(settings):
        values = [_value(settings, key) for key in stage.matrix.values()]
        cells = ["-".join(str(value) for value in cell) for cell in product(*values)] if values else [""]
        found += [f"{stage.name}@{cell}" if cell else stage.name for cell in cells]
    return tuple(found)


def rows(settings: Settings) -> tuple[Stage, ...]:
    """The rows of the table that these settings use."""
    unused = {"sample"} if settings.sample is None else set()
    unused |= {
        stage.name for stage in STAGES if any(not _value(settings, key) for key in stage.matrix.values())
    }
    return tuple(stage for stage in STAGES if stage.name not in unused)


def dependencies(settings: Settings) -> dict[str, list[str]]:
    """For every stage and cell, the stages and cells whose outputs it reads."""
    root = Root(Path())
    found: dict[str, list[str]] = {}
    places: dict[str, str] = {}
    for name in names(settings):
        stage, cell = find(settings, name)
        values = dict(zip(stage.matrix, cell.split("-"), strict=False))
        read = [
            _filled(text, values) for path in stage.reads(root) for text in _cells(str(path), stage, settings)
        ]
        read = [str(settings.raw) if text == "${raw}" else text for text in read]
        found[name] = [places[text] for text in read if text in places]
        places |= {str(path): name for path in (*written(stage, root, cell), root.metrics(name))}
    return found


def find(settings: Settings, name: str) -> tuple[Stage, str]:
    """The stage of that name, and its cell.

    Raises:
        InputError: listing the names there are.
    """
    if name not in (known := names(settings)):
        raise InputError(f"{name!r} is not a stage of this project; there are: {', '.join(known)}")
    bare, _, cell = name.partition("@")
    return next(stage for stage in STAGES if stage.name == bare), cell


def run(root: Root, name: str, *, now: datetime, commit: str, version: int | None = None) -> Outcome:
    """Run one stage, or one cell of a stage, and note it in MLflow.

    Args:
        version: what dvc.yaml says; refused if it is not this code's.

    Raises:
        InputError: if there is no such stage, or dvc.yaml is of another version.
    """
    settings = load(root.params)
    stage, cell = find(settings, name)
    if version is not None and version != stage.version:
        raise InputError(
            f"{root.dvc} asks for version {version} of stage {stage.name}, this finground writes version "
            f"{stage.version}; `finground init {root.folder} --refresh` rewrites dvc.yaml"
        )
    sweep = _sweep(root, settings) if stage.name == "ablate" else None
    with timed(log, name), tracking.run(root, name, track=settings.track, sweep=sweep) as noted:
        noted.params({"stage": name, "version": stage.version, "commit": commit, **_chosen(settings, stage)})
        outcome = stage.does(Work(root, settings, cell, now, commit, noted.point))
        write_json(root.metrics(name), outcome.metrics)
        note(noted, outcome, written(stage, root, cell))
    return outcome


def written(stage: Stage, root: Root, cell: str) -> list[Path]:
    """What the stage, or this cell of it, writes."""
    values = dict(zip(stage.matrix, cell.split("-"), strict=False))
    return [Path(_filled(str(path), values)) for path in stage.writes(root)]


def note(noted: tracking.Run, outcome: Outcome, paths: list[Path]) -> None:
    """Leave what a stage did in the tracker: of a folder, its manifest and its pictures."""
    noted.metrics({**outcome.metrics, **{f"seconds.{key}": value for key, value in outcome.seconds.items()}})
    for key, points in outcome.curves.items():
        noted.curve(key, points)
    if outcome.hardware:
        noted.params({"hardware": outcome.hardware})
    if outcome.ledger:
        noted.record("ledger", outcome.ledger)
    if outcome.adapter:
        noted.adapter(*outcome.adapter)
    for path in paths:
        if path.is_file():
            noted.file(path)
        for inside in (*path.glob(MANIFEST), *path.glob("*.png")):
            noted.file(inside, path.name)


def dvc_yaml(settings: Settings) -> str:
    """dvc.yaml, written from the table."""
    import yaml

    root = Root(Path())
    described = {stage.name: _dvc_stage(stage, root, settings) for stage in rows(settings)}
    plots = [
        {
            str(root.plots / "ablation.csv"): {
                "x": "fraction",
                "y": "loss",
                "title": "Writer: held-out loss by fraction",
            }
        },
        {str(root.curve("pretrain")): {"x": "step", "y": "loss", "title": "Domain pretraining"}},
    ]
    head = (
        "# Written from src/finground/stages.py (`finground init --refresh`); "
        "a contract test holds them equal.\n"
    )
    return head + str(yaml.safe_dump({"stages": described, "plots": plots}, sort_keys=False, width=110))


def _dvc_stage(stage: Stage, root: Root, settings: Settings) -> dict[str, Any]:
    item = "-".join(f"${{item.{key}}}" for key in stage.matrix)
    name = f"{stage.name}@{item}" if item else stage.name
    outs: list[Any] = [
        str(path) if stage.cached else {str(path): {"cache": False}} for path in stage.writes(root)
    ]
    row: dict[str, Any] = (
        {"matrix": {key: f"${{{value}}}" for key, value in stage.matrix.items()}} if item else {}
    )
    row["cmd"] = f"finground run {name} --version {stage.version}"
    reads = [str(path) for path in stage.reads(root) if _given(str(path), settings)]
    if deps := [text for path in reads for text in _cells(path, stage, settings)]:
        row["deps"] = deps
    written = [key for key in stage.params if key.partition(".")[0] in settings.model_fields_set]
    if written:  # DVC knows no defaults: what params.yaml leaves out it cannot watch
        row["params"] = written
    row["outs"] = outs
    row["metrics"] = [{str(root.metrics(name)): {"cache": False}}]
    return row


def _given(path: str, settings: Settings) -> bool:
    """Whether a path is there to be read: one that is a setting, `${…}`, may be left empty."""
    named = re.fullmatch(r"\$\{([a-z_.]+)\}", path)
    return named is None or _value(settings, named[1]) is not None


def _cells(path: str, stage: Stage, settings: Settings) -> list[str]:
    """A path with the cells of other stages spelled out; a stage's own cells are DVC's to fill in."""
    keys = {
        key: value for other in STAGES for key, value in other.matrix.items() if f"${{item.{key}}}" in path
    }
    if not keys or stage.matrix:
        return [path]
    cells = product(*(_value(settings, key) for key in keys.values()))
    return [_filled(path, dict(zip(keys, map(str, cell), strict=True))) for cell in cells]


def _filled(path: str, values: Mapping[str, str]) -> str:
    for key, value in values.items():
        path = path.replace(f"${{item.{key}}}", value)
    return path


def _value(settings: Settings, dotted: str) -> Any:
    value: Any = settings
    for key in dotted.split("."):
        value = getattr(value, key)
    return value


def _chosen(settings: Settings, stage: Stage) -> dict[str, Any]:
    """The settings this stage depends on, as plain values."""
    from pydantic import BaseModel

    values = {key: _value(settings, key) for key in stage.params}
    return {
        key: value.model_dump(mode="json") if isinstance(value, BaseModel) else value
        for key, value in values.items()
    }


def _sweep(root: Root, settings: Settings) -> str:
    """The tag that the cells of one sweep share: the same pairs, base and settings."""
    about = [manifest(root.stocksis), manifest(root.domain), _chosen(settings, find(settings, "writer")[0])]
    return "ablate-" + hashlib.sha256(repr(about).encode()).hexdigest()[:12]
