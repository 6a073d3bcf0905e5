"""Tokens are made again when rows, tokenizer or limit change, and only then (case T13)."""

import json

import pytest
from datasets import Dataset
from made_models import tiny

from finground.core.errors import InputError
from finground.lm import base, tokens, tune
from finground.settings import Lora

ROWS = Dataset.from_dict(
    {"prompt": [f"profit {i}" for i in range(20)] + ["oil " * 80], "target": [" rose"] * 21}
)


@pytest.fixture
def encoded(monkeypatch):
    """How many texts were encoded, call by call."""
    calls = []
    encode = base.encode
    monkeypatch.setattr(
        base, "encode", lambda words, texts, **more: calls.append(len(texts)) or encode(words, texts, **more)
    )
    return calls


def listed(kept):
    examples = kept.examples
    return [(list(examples.read(i)), examples.prompts[i]) for i in range(len(examples))], kept.rejected


def test_run_twice_nothing_is_made_again_and_it_is_the_same(llama, tmp_path, encoded):
    first = tokens.pairs(ROWS, llama, 60, tmp_path)
    assert encoded == [21, 21]
    again = tokens.pairs(ROWS, llama, 60, tmp_path)
    assert encoded == [21, 21]
    assert listed(again) == listed(first) and again.examples.digest == first.examples.digest
    assert [row.reason for row in again.rejected] == ["no-room"]


def test_one_row_edited_in_place_another_limit_or_tokenizer_makes_them_again(llama, tmp_path, encoded):
    digests = {tokens.pairs(ROWS, llama, 60, tmp_path).examples.digest}
    edited = ROWS.map(lambda row, i: {"target": " fell"} if i == 3 else row, with_indices=True)
    digests.add(tokens.pairs(edited, llama, 60, tmp_path).examples.digest)
    digests.add(tokens.pairs(edited, llama, 61, tmp_path).examples.digest)
    other = tiny(tmp_path / "other", steps=0)
    content = json.loads((other / "tokenizer.json").read_text())
    content["model"]["merges"] = content["model"]["merges"][:-5]
    (other / "tokenizer.json").write_text(json.dumps(content))
    digests.add(tokens.pairs(edited, other, 61, tmp_path).examples.digest)
    assert len(encoded) == 8 and len(digests) == 4


def test_kept_tokens_that_were_damaged_are_made_again(llama, tmp_path, encoded):
    first = tokens.pairs(ROWS, llama, 60, tmp_path)
    path = tmp_path / "tokens" / tokens.ARROW
    path.write_bytes(path.read_bytes()[:-20])
    assert listed(tokens.pairs(ROWS, llama, 60, tmp_path)) == listed(first) and len(encoded) == 4


def test_training_on_kept_tokens_is_training_on_fresh_ones(llama, tmp_path):
    settings = Lora(lr=1e-2, rank=2, epochs=1)
    for name, keep in (("a", tmp_path / "run"), ("b", tmp_path / "run"), ("c", None)):
        tune.lora_tune(
            llama, ROWS, settings, quant="none", dtype="float32", out=tmp_path / name, seed=7, keep=keep
        )
    weights = [(tmp_path / name / "adapter_model.safetensors").read_bytes() for name in "abc"]
    assert weights[0] == weights[1] == weights[2]


def test_the_digest_of_blocks_is_of_their_ids_in_their_order(tmp_path):
    blocks = Dataset.from_dict({"input_ids": [[1, 2, 3], [4, 5], [6]]})
    same = Dataset.from_dict({"input_ids": [[9], [1, 2, 3], [4, 5], [6]]}).select([1, 2, 3])
    assert tokens.of_blocks(blocks) == tokens.of_blocks(same)
    others = ([[1, 2, 3], [4, 6], [6]], [[4, 5], [1, 2, 3], [6]], [[1, 2], [3, 4, 5], [6]])
    digests = {tokens.of_blocks(Dataset.from_dict({"input_ids": ids})) for ids in others}
    assert len(digests | {tokens.of_blocks(blocks)}) == 4


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (Dataset.from_dict({"prompt": [], "target": []}), "0 training rows"),
        (Dataset.from_dict({"prompt": ["a"] * 1000, "target": [*"b" * 617, None, *"b" * 382]}), "row 617"),
    ],
)  # fmt: skip
def test_no_rows_or_an_empty_label_end_before_any_model_loads(llama, tmp_path, monkeypatch, rows, says):
    monkeypatch.setattr(tune, "load", lambda *_, **__: pytest.fail("a model was loaded"))
    with pytest.raises(InputError, match=says) as error:
        tune.lora_tune(
            llama,
            rows,
            Lora(lr=1e-2),
            quant="none",
            dtype="float32",
            out=tmp_path / "x",
            seed=7,
            keep=tmp_path,
        )
    assert error.value.exit_code == 2 and not (tmp_path / "x").exists()
