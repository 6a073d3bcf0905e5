"""A run stopped anywhere and started again is the run never stopped (cases T1, T2, T3)."""

import json
import logging
import shutil
import time

import pytest
import torch
from datasets import Dataset
from made_models import KINDS
from safetensors.torch import load_file

from finground.core.artifact import manifest
from finground.core.errors import InputError
from finground.lm import checkpoint, loop, tune
from finground.lm.checkpoint import Checkpoints
from finground.settings import Lora, PromptTuning, StopEarly

ROWS = Dataset.from_dict(
    {
        "prompt": [f"profit of bank {i}" for i in range(40)],
        "target": [" rose" * (1 + i % 5) for i in range(40)],
    }
)
EDITED = ROWS.map(lambda row, i: {"target": " fell"} if i == 3 else row, with_indices=True)
LORA = Lora(lr=1e-2, rank=4, epochs=3, batch=2, dropout=0.3, save_every=10)  # 3 epochs of 20 steps
SOFT = PromptTuning(lr=0.1, virtual_tokens=4, epochs=3, batch=2, save_every=10)


class Killed(BaseException):
    """What stops a run as hard as a test can without ending itself."""


def at(step):
    def note(number, loss):
        if number == step:
            raise Killed

    return note


def tuned(method, folder, place, *, note=None, rows=ROWS, **changed):
    """Everything of one run lies in `place`."""
    known = {"out": place / "adapter", "seed": 7, "keep": place / "run", "note": note}
    if method == "soft":
        return tune.prompt_tune(folder, rows, SOFT.model_copy(update=changed), **known)
    quant = "nf4" if method == "qlora" else "none"
    settings = LORA.model_copy(update=changed)
    return tune.lora_tune(folder, rows, settings, quant=quant, dtype="float32", **known)


def stopped(method, folder, place, step, **changed):
    with pytest.raises(Killed):
        tuned(method, folder, place, note=at(step), **changed)


@pytest.mark.parametrize(
    ("kind", "method", "batch", "step"),
    [("llama", "lora", 2, 55)] + [(kind, method, 8, 13) for kind in KINDS for method in ("qlora", "soft")],
)
def test_killed_in_the_third_epoch_under_dropout_it_ends_as_if_never_killed(
    models, tmp_path, kind, method, batch, step
):
    more = {"batch": batch, "save_every": 4}
    undisturbed = tuned(method, models[kind], tmp_path / "a", **more)
    stopped(method, models[kind], tmp_path / "b", step, **more)
    assert not (tmp_path / "b" / "adapter").exists()
    told = []
    resumed = tuned(method, models[kind], tmp_path / "b", note=lambda *point: told.append(point), **more)
    assert resumed.curve == undisturbed.curve == told and len(told) == 3 * 40 // batch
    assert resumed.ledger == undisturbed.ledger
    ours, theirs = (load_file(tmp_path / name / "adapter" / "adapter_model.safetensors") for name in "ba")
    assert ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)
    assert manifest(tmp_path / "b" / "adapter") == manifest(tmp_path / "a" / "adapter")
    assert not (tmp_path / "b" / "run" / "checkpoints").exists()


def test_the_rows_of_each_step_after_a_resumption_are_those_of_the_whole_run(models, tmp_path, monkeypatch):
    seen = []
    step = loop._Run._step
    monkeypatch.setattr(
        loop._Run, "_step", lambda run, rows: seen.append((run.step, rows)) or step(run, rows)
    )
    tuned("lora", models["llama"], tmp_path / "a")
    whole = seen[:]
    seen.clear()
    stopped("lora", models["llama"], tmp_path / "b", 37)
    assert seen == whole[:38]
    seen.clear()
    tuned("lora", models["llama"], tmp_path / "b")
    assert seen == whole[30:]  # the last checkpoint was after step 29, in the middle of the second epoch


def test_accumulation_is_resumed_too(models, tmp_path):
    more = {"accumulate": 3, "save_every": 1, "batch": 3}  # 3 epochs of 5 steps
    undisturbed = tuned("lora", models["llama"], tmp_path / "a", **more)
    for step in (2, 9, 10, 13):
        stopped("lora", models["llama"], tmp_path / "b", step, **more)
    assert tuned("lora", models["llama"], tmp_path / "b", **more).curve == undisturbed.curve


def test_early_stopping_is_resumed_and_ends_with_the_best_weights(models, tmp_path):
    more = {"stop_early": StopEarly(every=4, patience=2, share=0.2), "lr": 0.2, "dropout": 0.0}
    undisturbed = tuned("lora", models["llama"], tmp_path / "a", **more)
    losses = [loss for _, loss in undisturbed.validation]
    best = losses.index(min(losses))
    assert undisturbed.steps < 48 and len(losses) == best + 1 + 2, "it should have stopped early"
    stopped("lora", models["llama"], tmp_path / "b", undisturbed.steps - 1, **more)
    resumed = tuned("lora", models["llama"], tmp_path / "b", **more)
    assert (resumed.validation, resumed.steps) == (undisturbed.validation, undisturbed.steps)
    assert manifest(tmp_path / "b" / "adapter")["files"] == manifest(tmp_path / "a" / "adapter")["files"]
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):  # between its end and its adapter
        patch.setattr(tune.adapters, "save", lambda *_: at(0)(0, 0.0))
        tuned("lora", models["llama"], tmp_path / "c", **more)
    again = tuned("lora", models["llama"], tmp_path / "c", **more)
    assert (again.curve, again.ledger) == (undisturbed.curve, undisturbed.ledger)
    books = undisturbed.ledger
    assert books["documents_dropped.held-aside"] == 8 * -(-undisturbed.steps // 16)
    assert books["documents_in"] == books["documents_trained"] + books["documents_dropped"]


@pytest.fixture(scope="module")
def once(models, tmp_path_factory):
    """A run killed at step 55, with the checkpoints of steps 40 and 50."""
    place = tmp_path_factory.mktemp("once")
    stopped("lora", models["llama"], place, 55)
    return place


@pytest.fixture
def kept(once, tmp_path):
    """Its checkpoints, in a copy that may be damaged."""
    shutil.copytree(once, tmp_path, dirs_exist_ok=True)
    folders = sorted((tmp_path / "run" / "checkpoints").iterdir())
    assert [folder.name for folder in folders] == ["step-00000040", "step-00000050"]
    return folders


def truncated(path):
    path.write_bytes(path.read_bytes()[:-100])


def zeroed(path):
    path.write_bytes(bytes(path.stat().st_size))


def flipped(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [truncated, zeroed, flipped])
@pytest.mark.parametrize("name", [checkpoint.TENSORS, checkpoint.STATE, "manifest.json"])
def test_a_damaged_checkpoint_is_refused_by_name_and_the_one_before_it_is_used(kept, caplog, damage, name):
    older, newest = kept
    damage(newest / name)
    ours = Checkpoints(newest.parent, json.loads((older / checkpoint.STATE).read_text())["key"])
    began = time.perf_counter()
    with caplog.at_level(logging.WARNING, "finground"):
        tensors, state = ours.load()
    assert time.perf_counter() - began < 1
    assert state["step"] == 40 and tensors
    assert f"{newest} is refused" in caplog.text


def test_an_empty_folder_is_no_checkpoint(models, kept, tmp_path, caplog):
    (kept[0].parent / "step-00000999").mkdir()
    (kept[0].parent / "checkpoint-999").mkdir()
    assert tuned("lora", models["llama"], tmp_path).steps == 60
    assert "refused" not in caplog.text


def test_when_every_checkpoint_is_damaged_the_run_starts_anew(models, kept, tmp_path, caplog):
    for folder in kept:
        zeroed(folder / checkpoint.TENSORS)
    with caplog.at_level(logging.WARNING, "finground"):
        resumed = tuned("lora", models["llama"], tmp_path)
    assert caplog.text.count("is refused") == 2
    assert resumed.curve == tuned("lora", models["llama"], tmp_path / "anew").curve


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"lr": 0.02}, "settings.lr is 0.01 there and 0.02 here"),
        ({"rank": 8}, "settings.rank is 4 there and 8 here"),
        ({"rows": ROWS.select(range(20))}, "data is "),
        ({"rows": EDITED}, "data is "),
    ],
)  # fmt: skip
def test_a_run_with_other_settings_or_rows_is_refused_naming_what_differs(
    models, kept, tmp_path, changed, says
):
    with pytest.raises(InputError, match=says) as error:
        tuned("lora", models["llama"], tmp_path, **changed)
    assert "remove" in str(error.value) and error.value.exit_code == 2
    assert not (tmp_path / "adapter").exists()


def test_another_base_or_another_code_is_another_run_but_how_often_it_is_saved_is_not(
    models, kept, tmp_path, monkeypatch
):
    with pytest.raises(InputError, match="base is "):
        tuned("lora", models["bloom"], tmp_path)
    with monkeypatch.context() as patch, pytest.raises(InputError, match="code is "):
        patch.setattr(checkpoint, "CODE", ("loop.py",))
        tuned("lora", models["llama"], tmp_path)
    assert tuned("lora", models["llama"], tmp_path, save_every=7).steps == 60


def test_a_checkpoint_being_written_when_the_run_was_killed_is_absent(kept):
    half = kept[0].parent / ".tmp-step-00000060"
    half.mkdir()
    (half / checkpoint.TENSORS).write_bytes(b"half")
    ours = Checkpoints(half.parent, json.loads((kept[0] / checkpoint.STATE).read_text())["key"])
    assert ours.load()[1]["step"] == 50
