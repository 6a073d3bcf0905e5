import pytest
import torch
from datasets import Dataset

from finground.core.artifact import manifest
from finground.core.errors import InputError
from finground.lm import base, pretrain
from finground.settings import Pretrain

LORA = Pretrain(lr=5e-3, rank=4, max_steps=4, batch=4)


def blocks(count=24):
    return Dataset.from_dict(
        {"input_ids": [[2 + (i * 5 + n) % 250 for i in range(32)] for n in range(count)]}
    )


@pytest.fixture(scope="module")
def domain(models, tmp_path_factory):
    out = tmp_path_factory.mktemp("domain") / "domain"
    return out, pretrain.adapt(models["llama"], blocks(), LORA, quant="nf4", dtype="float32", out=out, seed=7)


def test_adapting_writes_adapter_and_merged_and_says_how_far_they_differ(domain, models):
    out, done = domain
    assert done.four_bit_modules == 14
    assert 0 < done.extra["merged.full-precision.largest_logit_difference"] < 5
    assert manifest(out / "adapter")["base_digest"] == base.digest(models["llama"])
    assert base.digest(out / "merged") != base.digest(models["llama"])
    assert base.load(out / "merged", quant="none", dtype="float32").tokenizer.eos_token_id == 0


def test_without_quantisation_merged_is_the_adapter_to_rounding(models, tmp_path):
    done = pretrain.adapt(
        models["bloom"], blocks(), LORA, quant="none", dtype="float32", out=tmp_path / "d", seed=7
    )
    assert done.extra["merged.full-precision.largest_logit_difference"] < 1e-3 and done.four_bit_modules == 0


def test_adapting_again_gives_the_same_bytes(domain, models, tmp_path):
    out, _ = domain
    pretrain.adapt(
        models["llama"], blocks(), LORA, quant="nf4", dtype="float32", out=tmp_path / "again", seed=7
    )
    assert manifest(tmp_path / "again")["files"] == manifest(out)["files"]


def test_no_blocks_is_the_users_mistake_and_writes_nothing(models, tmp_path):
    empty = Dataset.from_dict({"input_ids": [[1]]})
    with pytest.raises(InputError, match="0 training rows"):
        pretrain.adapt(models["llama"], empty, LORA, quant="nf4", dtype="float32", out=tmp_path / "d", seed=7)
    assert list(tmp_path.iterdir()) == []


def test_perplexity_is_the_models_own_loss_of_each_document_by_itself(models):
    documents = Dataset.from_dict({"input_ids": [[5, 6, 7, 8, 9, 10], [11], [12, 13, 14], []]})
    found = pretrain.perplexity(models["bloom"], documents, size=4)
    model = base.load(models["bloom"], quant="none", dtype="float32").model
    with torch.no_grad():
        right = [
            float(model(torch.tensor([ids]), labels=torch.tensor([ids])).loss) * (len(ids) - 1)
            for ids in ([5, 6, 7, 8, 9, 10], [12, 13, 14])
        ]
    assert [one.tokens for one in found] == [5, 0, 2, 0]
    assert [found[0].nll_sum, found[2].nll_sum] == pytest.approx(right, rel=1e-5)


def test_a_document_longer_than_the_context_counts_each_token_once(models):
    ids = [2 + i % 200 for i in range(600)]  # the GPT-2 model sees 256
    assert pretrain.perplexity(models["gpt2"], Dataset.from_dict({"input_ids": [ids]}))[0].tokens == 599
    assert list(pretrain._windows(list(range(7)), 3)) == [[0, 1, 2], [2, 3, 4], [4, 5, 6]]
