import json
import shutil

import pytest
import torch
from datasets import Dataset
from made_models import KINDS, LINEAR
from safetensors.torch import load_file

from finground.core.artifact import manifest
from finground.core.errors import FingroundError, InputError
from finground.lm import adapter, base, tune
from finground.lm.generate import Generator
from finground.settings import Lora, PromptTuning

ROWS = Dataset.from_dict(
    {
        "prompt": ["profit of bank", "cash in the quarter", "oil price", "debt of the company"] * 2,
        "target": [" rose", " fell 3.5%", " shares market", " margin"] * 2,
    }
)
SOFT = PromptTuning(lr=0.3, initial_text="shares rose", virtual_tokens=4, max_steps=3, batch=4, epochs=9)
LORA = Lora(lr=1e-2, rank=4, max_steps=3, batch=4, epochs=9, dropout=0.1)


def tuned(method, folder, out, seed=7):
    if method == "soft":
        return tune.prompt_tune(folder, ROWS, SOFT, out=out, seed=seed)
    return tune.lora_tune(folder, ROWS, LORA, quant="nf4", dtype="float32", out=out, seed=seed)


@pytest.mark.parametrize("method", ["soft", "lora"])
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(models, tmp_path, method):
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        tuned(method, models["llama"], tmp_path / name, seed)
    a, b, c = (manifest(tmp_path / name) for name in "abc")
    assert a == b
    assert a["files"]["adapter_model.safetensors"] != c["files"]["adapter_model.safetensors"]
    assert str(tmp_path) not in (tmp_path / "a" / "adapter_config.json").read_text()


@pytest.mark.parametrize("kind", KINDS)
def test_every_family_takes_lora_on_nf4_and_a_soft_prompt(models, tmp_path, kind):
    done = tuned("lora", models[kind], tmp_path / "lora")
    assert done.four_bit_modules == LINEAR[kind]
    assert done.base_digest == base.digest(models[kind]) and done.ledger["documents_trained"] == 12
    tensors = load_file(tmp_path / "lora" / adapter.WEIGHTS)
    assert len(tensors) == 2 * done.four_bit_modules
    assert all(tensor.abs().sum() > 0 for tensor in tensors.values())
    assert tuned("soft", models[kind], tmp_path / "soft").steps == 3


def test_an_adapter_read_back_differs_from_its_start_and_is_what_was_trained(models, tmp_path):
    loaded = base.load(models["llama"], quant="none", dtype="float32")
    ids = (base.encode(loaded.tokenizer, ["shares rose"])[0] * 4)[:4]
    start = loaded.model.get_input_embeddings()(torch.tensor(ids)).detach()
    tuned("soft", models["llama"], tmp_path / "soft")
    saved = load_file(tmp_path / "soft" / adapter.WEIGHTS)["prompt_embeddings"]
    again = adapter.read(loaded.model, tmp_path / "soft", loaded.digest)
    assert not torch.allclose(saved, start, atol=0.01)
    assert torch.equal(again.get_prompt(1)[0], saved)


def test_an_adapter_belongs_to_its_base_and_to_its_own_config(models, tmp_path):
    tuned("soft", models["llama"], tmp_path / "soft")
    with pytest.raises(InputError, match=r"was trained on the base .* not on"):
        Generator.open(models["bloom"], tmp_path / "soft")
    tuned("lora", models["llama"], tmp_path / "lora")
    config = json.loads((tmp_path / "lora" / adapter.CONFIG).read_text())
    (tmp_path / "lora" / adapter.CONFIG).write_text(json.dumps(config | {"r": 8}))
    with pytest.raises(InputError, match=r"says lora of rank 8, its manifest says lora of 4"):
        Generator.open(models["llama"], tmp_path / "lora")


def test_an_adapter_without_its_manifest_is_not_whole(models, tmp_path):
    tuned("soft", models["llama"], tmp_path / "soft")
    shutil.copytree(tmp_path / "soft", tmp_path / "half")
    (tmp_path / "half" / "manifest.json").unlink()
    with pytest.raises(InputError, match="not complete"):
        Generator.open(models["llama"], tmp_path / "half")


def test_a_run_that_diverges_saves_nothing(models, tmp_path):
    with pytest.raises(FingroundError, match=r"not finite|the loss is"):
        tune.prompt_tune(
            models["llama"],
            ROWS,
            SOFT.model_copy(update={"lr": 1e38, "warmup": 0.0}),
            out=tmp_path / "x",
            seed=7,
        )
    assert not (tmp_path / "x").exists()


def test_rows_without_room_are_reported_and_the_rest_is_trained(models, tmp_path):
    rows = Dataset.from_dict({"prompt": ["oil price", "profit " * 600], "target": [" rose", " fell"]})
    done = tune.prompt_tune(models["llama"], rows, SOFT, out=tmp_path / "soft", seed=7)
    assert [(row.row, row.reason) for row in done.rejected] == [(1, "no-room")]


def test_a_pair_learnt_by_heart_is_said_and_then_ends(models, tmp_path):
    rows = Dataset.from_dict({"prompt": ["debt of the company"], "target": [" margin fell 3.5%"]})
    settings = Lora(lr=5e-3, rank=8, epochs=60)
    before = tune.held_out_loss(models["llama"], None, rows, settings)
    tune.lora_tune(
        models["llama"], rows, settings, quant="none", dtype="float32", out=tmp_path / "lora", seed=7
    )
    after = tune.held_out_loss(models["llama"], tmp_path / "lora", rows, settings)
    assert after.tokens == before.tokens and after.nll_sum < 0.1 < before.nll_sum
    reply = Generator.open(models["llama"], tmp_path / "lora").reply(
        [rows[0]["prompt"]], max_new_tokens=40, batch=1
    )[0]
    assert (reply.text, reply.stop) == (" margin fell 3.5%", "eos")
