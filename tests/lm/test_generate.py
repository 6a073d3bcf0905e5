import re

import pytest
import torch
from datasets import Dataset

from finground.core.errors import InputError
from finground.lm import adapter, base, tune
from finground.lm.generate import Generator
from finground.settings import Lora, PromptTuning

PROMPTS = [
    "profit of the bank rose",
    "oil",
    "cash and debt of the company in the quarter fell 3.5% on",
    "price",
]
KINDS = ["llama", "bloom", "gpt2", "qwen2"]
ROWS = Dataset.from_dict({"prompt": PROMPTS, "target": [" rose", " 7", " margin", " fell"]})


@pytest.fixture(scope="module")
def soft(models, tmp_path_factory):
    """A soft prompt for each family, moved far from its start."""
    folder = tmp_path_factory.mktemp("soft")
    settings = PromptTuning(lr=0.5, virtual_tokens=6, epochs=3, warmup=0.0)
    for kind in KINDS:
        tune.prompt_tune(models[kind], ROWS, settings, out=folder / kind, seed=3)
    return {kind: folder / kind for kind in KINDS}


def step_by_step(folder, adapter_folder, prompt, count):
    """Greedy ids by the whole forward pass of peft, without any cache."""
    loaded = base.load(folder, quant="none", dtype="float32")
    model = (
        adapter.read(loaded.model, adapter_folder, loaded.digest).eval() if adapter_folder else loaded.model
    )
    ids = base.encode(loaded.tokenizer, [prompt])[0]
    said = []
    with torch.no_grad():
        while len(said) < count:
            laid = torch.tensor([ids + said])
            best = int(model(input_ids=laid, attention_mask=torch.ones_like(laid)).logits[0, -1].argmax())
            if best == loaded.tokenizer.eos_token_id:
                break
            said.append(best)
    return loaded.tokenizer.decode(said, skip_special_tokens=True)


@pytest.mark.parametrize("kind", KINDS)
def test_prompt_tuned_generation_is_step_by_step_argmax_and_not_the_bases(models, soft, kind):
    tuned = Generator.open(models[kind], soft[kind]).reply(PROMPTS, max_new_tokens=16, batch=4)
    assert [reply.text for reply in tuned] == [step_by_step(models[kind], soft[kind], p, 16) for p in PROMPTS]
    plain = Generator.open(models[kind], None).reply(PROMPTS, max_new_tokens=16, batch=4)
    assert [reply.text for reply in plain] == [step_by_step(models[kind], None, p, 16) for p in PROMPTS]
    assert tuned != plain


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_gives_what_one_by_one_gives(models, soft, kind):
    ready = Generator.open(models[kind], soft[kind])
    alone = ready.reply(PROMPTS, max_new_tokens=16, batch=1)
    assert (
        ready.reply(PROMPTS, max_new_tokens=16, batch=2)
        == alone
        == ready.reply(PROMPTS, max_new_tokens=16, batch=16)
    )


def test_lora_merged_in_memory_says_what_peft_says(models, tmp_path):
    settings = Lora(lr=2e-2, rank=4, epochs=4)
    tune.lora_tune(
        models["llama"], ROWS, settings, quant="none", dtype="float32", out=tmp_path / "lora", seed=3
    )
    ready = Generator.open(models["llama"], tmp_path / "lora")
    said = [reply.text for reply in ready.reply(PROMPTS, max_new_tokens=12, batch=4)]
    assert said == [step_by_step(models["llama"], tmp_path / "lora", prompt, 12) for prompt in PROMPTS]
    beside = Generator.open(models["llama"], tmp_path / "lora", quant="nf4")
    assert beside.four_bit_modules == 14 and len(beside.reply(PROMPTS, max_new_tokens=4, batch=4)) == 4


def test_a_prompt_beyond_the_context_loses_its_beginning_and_says_so(models):
    ready = Generator.open(models["gpt2"], None)  # sees 256 tokens
    long = ready.reply(["oil price " * 200 + PROMPTS[0]], max_new_tokens=8, batch=1)[0]
    assert long.truncated and long.prompt_tokens > 248
    assert not ready.reply([PROMPTS[0]], max_new_tokens=8, batch=1)[0].truncated
    with pytest.raises(InputError, match="leaves no room for a prompt"):
        ready.reply(["oil"], max_new_tokens=256, batch=1)


GRAMMAR = """root ::= "(" name ("; " name)* ") (" [0-9] [0-9] ")"
name ::= "Société Générale" | "Moody's" | "中国银行"
"""
READS = re.compile(
    r"\((Société Générale|Moody's|中国银行)(; (Société Générale|Moody's|中国银行))*\) \(\d\d\)"
)


@pytest.mark.parametrize("kind", KINDS)
def test_under_a_grammar_a_reply_reads_or_ran_out_of_tokens(models, soft, kind):
    ready = Generator.open(models[kind], soft[kind])
    for reply in ready.reply(PROMPTS, max_new_tokens=60, batch=3, grammar=GRAMMAR):
        assert READS.fullmatch(reply.text) if reply.stop != "length" else reply.new_tokens == 60


def test_a_grammar_that_has_one_way_only_goes_that_way(models):
    ready = Generator.open(models["llama"], None)
    reply = ready.reply(
        ["oil"], max_new_tokens=40, batch=1, grammar='root ::= "(中国银行; Société Générale)"'
    )[0]
    assert (reply.text, reply.stop) == ("(中国银行; Société Générale)", "grammar")


def test_a_grammar_that_does_not_compile_is_refused(models):
    with pytest.raises(InputError, match="grammar does not compile"):
        Generator.open(models["llama"], None).reply(
            ["oil"], max_new_tokens=4, batch=1, grammar='root ::= "(" missing'
        )


def test_no_prompts_no_replies(models):
    assert Generator.open(models["llama"], None).reply([], max_new_tokens=4, batch=2) == []
