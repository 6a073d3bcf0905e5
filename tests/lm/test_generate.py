import math
import re

import pytest
import torch
from datasets import Dataset
from made_models import KINDS

from finground.core.errors import InputError
from finground.lm import adapter, base, tune
from finground.lm.beams import search
from finground.lm.constrain import Grammar
from finground.lm.generate import Generator
from finground.lm.lines import Line
from finground.settings import Lora, PromptTuning

PROMPTS = [
    "profit of the bank rose",
    "oil",
    "cash and debt of the company in the quarter fell 3.5% on",
    "price",
]
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


def log_probability(model, prompt, tokens, stop, eos):
    """Of the whole reply, its end included if it ended, by one pass over everything."""
    laid = torch.tensor([[*prompt, *tokens, *([eos] if stop == "eos" else [])]])
    with torch.no_grad():
        logs = model(input_ids=laid, attention_mask=torch.ones_like(laid)).logits[0].log_softmax(1)
    virtual = len(logs) - laid.shape[1]
    return sum(
        float(logs[virtual + place - 1, laid[0, place]]) for place in range(len(prompt), laid.shape[1])
    )


@pytest.mark.parametrize("kind", KINDS)
def test_four_beams_are_at_least_as_likely_as_greedy(models, soft, kind):
    ready = Generator.open(models[kind], soft[kind])
    loaded = base.load(models[kind], quant="none", dtype="float32")
    peft, eos = (
        adapter.read(loaded.model, soft[kind], loaded.digest).eval(),
        loaded.tokenizer.eos_token_id,
    )
    gained = []
    with torch.inference_mode():
        for prompt in base.encode(loaded.tokenizer, PROMPTS):
            (line,) = ready._decoded(iter([Line(eos, 12, prompt)]), 1)
            greedy = log_probability(peft, prompt, line.said, line.stop, eos)
            assert line.score == pytest.approx(greedy, abs=1e-3)
            (best,) = ready._searched(iter([Line(eos, 12, prompt)]), 4)
            gained.append(log_probability(peft, prompt, best.said, best.stop, eos) - greedy)
    assert min(gained) > -1e-3 and max(gained) > 1e-3, "never less likely, and not just greedy again"
    alone = ready.reply(PROMPTS, max_new_tokens=12, batch=1, beams=4)
    assert ready.reply(PROMPTS, max_new_tokens=12, batch=4, beams=4) == alone


def test_the_likeliest_reply_is_found_where_greedy_misses_it():
    """Word 1 opens likelier than word 2, but all it leads to is unlikely: .6 × .3 against .4 × .9."""
    following = {(): [1e-9, 0.6, 0.4, 1e-9], (1,): [0.3, 0.25, 0.25, 0.2], (2,): [0.9, 0.04, 0.03, 0.03]}

    class Cache:
        def __init__(self):
            self.rows = [()]

        def batch_select_indices(self, kept):
            self.rows = [self.rows[row] for row in kept.tolist()]

    def step(tokens, cache):
        if tokens:
            cache.rows = [(*row, token) for row, (token,) in zip(cache.rows, tokens, strict=True)]
        return torch.tensor([following.get(row, [0.25] * 4) for row in cache.rows]).log()

    found = search(step, Cache(), 2, 5, 0, None)
    assert (found.tokens, found.stop) == ((2,), "eos") and found.score == pytest.approx(math.log(0.36))
    assert search(step, Cache(), 1, 5, 0, None).tokens == (1,)


@pytest.mark.parametrize("kind", KINDS)
def test_beams_keep_to_a_grammar(models, soft, kind):
    ready = Generator.open(models[kind], soft[kind])
    for reply in ready.reply(PROMPTS, max_new_tokens=60, batch=3, grammar=GRAMMAR, beams=3):
        assert READS.fullmatch(reply.text) if reply.stop != "length" else reply.new_tokens == 60


def test_the_soft_prompt_is_computed_once_for_all_requests(models, soft, monkeypatch):
    ready = Generator.open(models["llama"], soft["llama"])
    before = [layer.keys.clone() for layer in ready.prefix.layers]
    monkeypatch.setattr("finground.lm.loss.virtual_prompt", lambda *_: pytest.fail("computed again"))
    first = ready.reply(PROMPTS, max_new_tokens=6, batch=2)
    assert ready.reply(PROMPTS, max_new_tokens=6, batch=3, beams=2) and first == ready.reply(
        PROMPTS, max_new_tokens=6, batch=4
    )
    assert all(torch.equal(layer.keys, keys) for layer, keys in zip(ready.prefix.layers, before, strict=True))


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


GRAMMAR = Grammar("""root ::= "(" name ("; " name)* ") (" [0-9] [0-9] ")"
name ::= "Société Générale" | "Moody's" | "中国银行"
""")
READS = re.compile(
    r"\((Société Générale|Moody's|中国银行)(; (Société Générale|Moody's|中国银行))*\) \(\d\d\)"
)


@pytest.mark.parametrize("kind", KINDS)
def test_under_a_grammar_a_reply_reads_or_ran_out_of_tokens(models, soft, kind):
    ready = Generator.open(models[kind], soft[kind])
    for reply in ready.reply(PROMPTS, max_new_tokens=60, batch=3, grammar=GRAMMAR):
        assert READS.fullmatch(reply.text) if reply.stop != "length" else reply.new_tokens == 60


@pytest.mark.parametrize("grammar", [None, GRAMMAR])
@pytest.mark.parametrize("kind", KINDS)
def test_who_waits_comes_in_where_others_are_done_and_says_the_same(models, soft, kind, grammar, monkeypatch):
    ready = Generator.open(models[kind], soft[kind])
    prompts = [" ".join(PROMPTS[place % 4].split()[: 1 + place % 5]) for place in range(14)]
    alone = ready.reply(prompts, max_new_tokens=24, batch=1, grammar=grammar)
    drafts = [reply.text if place % 3 else "oil 7" for place, reply in enumerate(alone)]
    beside, step = [], Generator._step

    def counted(self, group):
        beside.append(len(group.lines))
        return step(self, group)

    monkeypatch.setattr(Generator, "_step", counted)
    together = ready.reply(prompts, max_new_tokens=24, batch=4, grammar=grammar, drafts=drafts)
    assert together == alone and len({reply.passes for reply in together}) > 1, "not all end together"
    for one, other in zip(together, alone, strict=True):
        assert one.log_probability == pytest.approx(other.log_probability, abs=1e-3)
    assert max(beside) == 4 and sum(map(bool, beside)) < sum(reply.passes for reply in together)


def test_a_grammar_that_has_one_way_only_goes_that_way(models):
    ready = Generator.open(models["llama"], None)
    reply = ready.reply(
        ["oil"], max_new_tokens=40, batch=1, grammar=Grammar('root ::= "(中国银行; Société Générale)"')
    )[0]
    assert (reply.text, reply.stop) == ("(中国银行; Société Générale)", "grammar")
    assert reply.passes < reply.new_tokens, "what leaves no choice is not decoded token by token"


@pytest.mark.parametrize("kind", KINDS)
def test_a_draft_changes_the_passes_and_not_the_reply(models, soft, kind):
    ready = Generator.open(models[kind], soft[kind])
    for grammar in (None, GRAMMAR):
        plain = ready.reply(PROMPTS, max_new_tokens=16, batch=4, grammar=grammar)
        right = [reply.text for reply in plain]
        half = [text[: len(text) // 2] + " 7 7 7 oil" for text in right]
        for drafts in (right, half, ["nothing of the kind"] * 4, [*right[:2], "", half[3]]):
            for batch in (1, 4):
                with_draft = ready.reply(
                    PROMPTS, max_new_tokens=16, batch=batch, grammar=grammar, drafts=drafts
                )
                assert with_draft == plain
                for one, other in zip(with_draft, plain, strict=True):
                    assert one.log_probability == pytest.approx(other.log_probability, abs=1e-3)
        sooner = ready.reply(PROMPTS, max_new_tokens=16, batch=4, grammar=grammar, drafts=right)
        assert sum(reply.passes for reply in sooner) < sum(reply.passes for reply in plain)


def test_what_a_grammar_refuses_as_text_is_not_written(models, soft):
    ready = Generator.open(models["llama"], soft["llama"])
    anything = ready.reply(PROMPTS, max_new_tokens=60, batch=4, grammar=GRAMMAR)
    first = {reply.text[1] for reply in anything if len(reply.text) > 1}
    grammar = Grammar(GRAMMAR.text, refuses=lambda text: text[1:2] in first)
    others = ready.reply(PROMPTS, max_new_tokens=60, batch=4, grammar=grammar)
    assert first and not {reply.text[1] for reply in others if len(reply.text) > 1} & first
    nothing = Grammar(GRAMMAR.text, refuses=lambda text: len(text) > 1)
    for beams in (1, 3):
        stuck = ready.reply(PROMPTS, max_new_tokens=9, batch=4, grammar=nothing, beams=beams)
        assert {(reply.stop, reply.text) for reply in stuck} == {("stuck", "(")}
    dear = Grammar(GRAMMAR.text, refuses=lambda text: text.startswith("(M") and len(text) > 2)
    for reply in ready.reply(PROMPTS, max_new_tokens=60, batch=4, grammar=dear, beams=3):
        assert READS.fullmatch(reply.text) or reply.stop == "length", "a beam that is stuck stops no other"


def test_a_grammar_that_does_not_compile_is_refused(models):
    with pytest.raises(InputError, match="grammar does not compile"):
        Generator.open(models["llama"], None).reply(
            ["oil"], max_new_tokens=4, batch=1, grammar=Grammar('root ::= "(" missing')
        )


def test_no_prompts_no_replies(models):
    assert Generator.open(models["llama"], None).reply([], max_new_tokens=4, batch=2) == []
