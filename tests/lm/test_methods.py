"""Every method on every family, and what is left beside the weights: card, rejects, merged models."""

import json
import re
import shutil

import pytest
import torch
from datasets import Dataset
from made_models import KINDS
from safetensors.torch import load_file

from finground.core.artifact import manifest
from finground.core.errors import InputError
from finground.lm import adapter, base, merge, pretrain, tune
from finground.lm.generate import Generator
from finground.settings import Lora, Pretrain, PromptTuning, Training

ROWS = Dataset.from_dict(
    {
        "prompt": ["profit of bank", "cash in the quarter", "oil price", "profit " * 600],
        "target": [" rose", " fell 3.5%", " shares market", " margin"],
    }
)
BLOCKS = Dataset.from_dict({"input_ids": [[2 + (i * 5 + n) % 250 for i in range(32)] for n in range(16)]})
LORA = Pretrain(lr=5e-3, rank=4, max_steps=4, batch=4)


def adapted(folder, out, quant="nf4", **changed):
    settings = LORA.model_copy(update=changed)
    return pretrain.adapt(folder, BLOCKS, settings, quant=quant, dtype="float32", out=out, seed=7)


@pytest.mark.parametrize("kind", KINDS)
def test_every_weight_of_a_tiny_model_can_be_trained(models, tmp_path, kind):
    settings = Training(lr=1e-3, epochs=6, batch=3)
    done = tune.full_tune(models[kind], ROWS, settings, dtype="float32", out=tmp_path / "full", seed=7)
    assert done.curve[-1][1] < done.curve[0][1]
    before, after = (load_file(folder / "model.safetensors") for folder in (models[kind], tmp_path / "full"))
    assert before.keys() == after.keys()
    assert all(not torch.equal(before[name], after[name]) for name in before if before[name].dim() == 2)
    assert base.load(tmp_path / "full", quant="none", dtype="float32").digest != done.base_digest
    assert Generator.open(tmp_path / "full", None).reply(["oil price"], max_new_tokens=3, batch=1)


def test_pretraining_can_train_every_weight_too(models, tmp_path):
    done = adapted(models["llama"], tmp_path / "d", method="full")
    assert sorted(path.name for path in (tmp_path / "d").iterdir()) == ["manifest.json", "merged"]
    assert done.four_bit_modules == 0 and (tmp_path / "d" / "merged" / "README.md").is_file()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["lora", "soft"])
def test_gradient_checkpointing_changes_no_number(models, tmp_path, kind, method):
    losses = []
    for name, checkpointing in (("a", False), ("b", True)):
        more = {"max_steps": 3, "epochs": 3, "batch": 2, "gradient_checkpointing": checkpointing}
        if method == "soft":
            settings = PromptTuning(lr=0.1, virtual_tokens=4, **more)
            done = tune.prompt_tune(models[kind], ROWS, settings, out=tmp_path / name, seed=7)
        else:
            done = tune.lora_tune(
                models[kind], ROWS, Lora(lr=1e-2, rank=4, **more), quant="none", dtype="float32",
                out=tmp_path / name, seed=7,
            )  # fmt: skip
        losses.append([loss for _, loss in done.curve])
    assert losses[1] == pytest.approx(losses[0], abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_merged_on_dequantised_weights_is_what_was_trained_and_on_full_precision_is_not(
    models, tmp_path, kind
):
    found = adapted(models[kind], tmp_path / "d").extra
    dequantised, full = (
        found[f"merged.{on}.largest_logit_difference"] for on in ("dequantised", "full-precision")
    )
    assert dequantised < 1e-2 < full
    assert found["merged.dequantised.loss"] == pytest.approx(found["adapter.loss"], rel=1e-4)
    assert abs(found["merged.full-precision.loss"] - found["adapter.loss"]) > 1e-4


def test_either_of_them_can_be_exported(models, tmp_path):
    adapted(models["llama"], tmp_path / "full")
    adapted(models["llama"], tmp_path / "rounded", merge="dequantised")
    weights = [
        load_file(tmp_path / name / "merged" / "model.safetensors")["model.layers.0.mlp.up_proj.weight"]
        for name in ("full", "rounded")
    ]
    assert not torch.allclose(*weights, atol=1e-4)
    assert manifest(tmp_path / "rounded" / "merged")["merged_on"] == "dequantised"
    said = [
        Generator.open(folder / "merged", None).reply(["oil"], max_new_tokens=2, batch=1)
        for folder in (tmp_path / "full", tmp_path / "rounded")
    ]
    assert len(said) == 2


def test_a_soft_prompt_has_no_weights_to_merge(models, tmp_path):
    settings = PromptTuning(lr=0.1, virtual_tokens=4)
    tune.prompt_tune(models["llama"], ROWS, settings, out=tmp_path / "soft", seed=7)
    with pytest.raises(InputError, match="give a LoRA adapter"):
        merge.merged(models["llama"], tmp_path / "soft", on="full-precision", dtype="float32")


def test_a_soft_prompt_starts_from_words_or_from_chance(models, tmp_path):
    starts = {}
    for name, words in (("words", "shares rose"), ("chance", "")):
        settings = PromptTuning(lr=1e-12, virtual_tokens=4, initial_text=words)
        tune.prompt_tune(models["llama"], ROWS, settings, out=tmp_path / name, seed=7)
        starts[name] = load_file(tmp_path / name / adapter.WEIGHTS)["prompt_embeddings"]
    loaded = base.load(models["llama"], quant="none", dtype="float32")
    ids = (base.encode(loaded.tokenizer, ["shares rose"], start=False)[0] * 4)[:4]
    torch.testing.assert_close(
        starts["words"], loaded.model.get_input_embeddings()(torch.tensor(ids)).detach()
    )
    assert not torch.allclose(starts["words"], starts["chance"])


@pytest.fixture(scope="module")
def lora(models, tmp_path_factory):
    out = tmp_path_factory.mktemp("lora") / "lora"
    settings = Lora(lr=1e-2, rank=4, batch=3)
    done = tune.lora_tune(
        models["llama"], ROWS, settings, quant="none", dtype="float32", out=out, seed=7,
        about={"catalog": "c0ffee"},
    )  # fmt: skip
    return out, done


def test_an_adapter_says_what_it_is_what_made_it_and_what_was_left_out(lora, models):
    out, done = lora
    about = manifest(out)
    assert about["base_digest"] == base.digest(models["llama"]) and about["catalog"] == "c0ffee"
    assert set(about["libraries"]) == set(adapter.LIBRARIES) and re.fullmatch(
        r"[0-9a-f]{64}", about["data_digest"]
    )
    card = (out / "README.md").read_text()
    for said in (
        about["base_digest"],
        about["data_digest"],
        "| rank | 4 |",
        "no-room 1",
        f"{done.curve[-1][1]:.4f}",
    ):
        assert said in card
    (row,) = [json.loads(line) for line in (out / "rejected.jsonl").read_text().splitlines()]
    assert (row["row"], row["reason"]) == (3, "no-room") and "leaves no room" in row["why"]
    assert not [path for path in out.iterdir() if path.suffix in (".bin", ".pt", ".pkl")]


def test_an_adapter_whose_bytes_changed_is_refused(lora, models, tmp_path):
    shutil.copytree(lora[0], tmp_path / "lora")
    content = bytearray((tmp_path / "lora" / adapter.WEIGHTS).read_bytes())
    content[-1] ^= 1
    (tmp_path / "lora" / adapter.WEIGHTS).write_bytes(content)
    with pytest.raises(InputError, match="has other bytes than its manifest says"):
        Generator.open(models["llama"], tmp_path / "lora")


def test_an_adapter_of_another_catalogue_is_refused_naming_both(lora, models):
    assert Generator.open(models["llama"], lora[0], belongs={"catalog": "c0ffee"}).virtual == 0
    with pytest.raises(InputError, match="was trained on the catalog c0ffee, not on 5eed"):
        Generator.open(models["llama"], lora[0], belongs={"catalog": "5eed"})
    with pytest.raises(InputError, match="was trained on the metrics None, not on 5eed"):
        Generator.open(models["llama"], lora[0], belongs={"metrics": "5eed"})
