import json
import shutil
import subprocess
import sys

import pytest
from made_models import texts

from finground.core.artifact import digest as bytes_of
from finground.core.errors import InputError
from finground.lm import base, device
from finground.settings import Base


def nothing() -> list[str]:
    return []


def test_the_tiny_base_made_twice_is_the_same_byte_for_byte(tmp_path):
    made = [
        base.prepare(Base(name="tiny", tiny_steps=3), tmp_path / name, texts=texts, seed=7)["files"]
        for name in "ab"
    ]
    assert made[0] == made[1]
    other = base.prepare(Base(name="tiny", tiny_steps=3), tmp_path / "c", texts=texts, seed=8)["files"]
    assert other["model.safetensors"] != made[0]["model.safetensors"]
    assert other["tokenizer.json"] == made[0]["tokenizer.json"]


def test_without_texts_there_is_no_tiny_base_and_nothing_is_left(tmp_path):
    with pytest.raises(InputError, match="0 training texts"):
        base.prepare(Base(name="tiny"), tmp_path / "base", texts=nothing, seed=7)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_copied_and_keeps_its_digest(llama, tmp_path):
    about = base.prepare(Base(name=str(llama)), tmp_path / "base", texts=nothing, seed=7)
    assert about["model_type"] == "llama" and about["context"] == 2048
    assert base.digest(tmp_path / "base") == base.digest(llama)
    assert bytes_of(tmp_path / "base" / "model.safetensors") == bytes_of(llama / "model.safetensors")


def test_a_hub_id_is_used_where_it_was_fetched_and_never_downloaded(llama, tmp_path):
    wanted = Base(name="some-org/some-model")
    with pytest.raises(InputError, match="finground fetch base"):
        base.prepare(wanted, tmp_path / "base", texts=nothing, seed=7)
    shutil.copytree(llama, base.fetched(wanted, tmp_path / "base"))
    assert base.prepare(wanted, tmp_path / "base", texts=nothing, seed=7)["model_type"] == "llama"


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("code", {"auto_map": {"AutoModel": "evil.Model"}}, "brings its own code"),
        ("quantised", {"quantization_config": {}}, "is quantised already"),
        ("unknown", {"model_type": "mamba"}, "knows bloom, gpt2, llama"),
    ],
)
def test_a_model_that_we_cannot_trust_or_train_is_refused(llama, tmp_path, name, change, says):
    shutil.copytree(llama, tmp_path / name)
    config = json.loads((tmp_path / name / "config.json").read_text())
    (tmp_path / name / "config.json").write_text(json.dumps(config | change))
    with pytest.raises(InputError, match=says):
        base.prepare(Base(name=str(tmp_path / name)), tmp_path / "base", texts=nothing, seed=7)


def test_a_folder_of_pickles_is_no_model(llama, tmp_path):
    shutil.copytree(llama, tmp_path / "old")
    (tmp_path / "old" / "model.safetensors").rename(tmp_path / "old" / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"no \*\.safetensors"):
        base.load(tmp_path / "old", quant="none", dtype="float32")


def test_text_that_spells_a_special_token_is_text(llama):
    tokenizer = base.tokenizer(llama)
    ids = base.encode(tokenizer, ["news <|end|> more"])[0]
    assert tokenizer.eos_token_id not in ids and tokenizer.decode(ids) == "news <|end|> more"


@pytest.mark.parametrize("kind", ["llama", "mistral"])
def test_what_goes_on_after_a_prompt_is_read_without_a_space_before_it(models, kind):
    tokenizer = base.tokenizer(models[kind])
    for text in ("profit", " profit", "中国 (7)", "\nrose", "  fell", ""):
        (prompt,), (more,) = base.encode(tokenizer, ["oil"]), base.encode(tokenizer, [text], start=False)
        assert tokenizer.decode([*prompt, *more]) == "oil" + text


def test_a_sliding_window_is_all_that_is_seen(models):
    assert base.context(models["mistral"]) == 1024 and base.context(models["gpt2"]) == 256


def test_nf4_counts_its_layers_and_they_are_all_of_attention_and_mlp(models):
    loaded = base.load(models["llama"], quant="nf4", dtype="float32")
    assert loaded.four_bit_modules == 2 * 7  # layers × (q, k, v, o, gate, up, down)
    assert base.load(models["llama"], quant="none", dtype="float32").four_bit_modules == 0


def test_nf4_without_bitsandbytes_is_one_sentence_before_anything_loads(monkeypatch, llama):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match="bitsandbytes is not installed; install it or write quant: none"):
        base.load(llama, quant="nf4", dtype="float32")


def test_a_dtype_is_one_of_two():
    with pytest.raises(InputError, match="write float32 or bfloat16"):
        device.number_type("float8")


def test_importing_the_room_loads_nothing_heavy():
    heavy = ("torch", "transformers", "peft", "xgrammar", "datasets")
    room = ", ".join(f"finground.lm.{name}" for name in ("base", "tune", "pretrain", "generate"))
    code = f"import sys, {room}; sys.exit(any(name in sys.modules for name in {heavy}))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
