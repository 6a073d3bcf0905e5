"""The agent's figures: `python benchmarks/agent.py ROOT [QUESTIONS]`, on a project root that was walked.

`mask`: compiling a grammar of 5,000 companies and 400 metrics at a vocabulary of 250,880, and its masks.
`forms`: tokens of the compact form against those of the paper's. `decoding`: requests a second under the
grammar, forced stretches and the rules' draft read in one pass, against plain cached generation with the same
model and form: transformers' `generate` (not for a soft prompt, where it is wrong), and our own loop.
`untrained`: what the base without an adapter writes under each grammar. `sure`: how the rules' sureness tells
right requests from wrong ones. `plans`: tools chosen by rules and by the base under the planner's grammar,
against those a person would call for twenty questions. Times are of both cores.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from finground.agent.grammar import grammar
from finground.agent.planner import UnreadPlan
from finground.agent.rules import RulesAgent
from finground.agent.tune import rows as training_rows
from finground.agent.tuned import AgentReply, TunedAgent
from finground.bench.agents import PARTS, _by_rules
from finground.bench.requests import judge, score_rows
from finground.catalog import dialect
from finground.catalog.catalog import Catalog, company_entity
from finground.catalog.companies import Companies, Company
from finground.catalog.dates import end_of
from finground.catalog.metrics import Metrics
from finground.catalog.shipped import shipped
from finground.context.pairs import read_pairs
from finground.core.paths import Root
from finground.lm import base as bases
from finground.lm.constrain import Grammars
from finground.lm.generate import Generator, Reply
from finground.lm.lines import Stop
from finground.records.request import Pair, Request
from finground.roles import open_world, planner, tuned_agent
from finground.settings import Settings, load

PLANNED: tuple[tuple[str, str], ...] = (  # a question about {}, and the tools a person would call
    ("Please analyze {}", "volume-price technical capital-flow financial fundamental catalysts"),
    (
        "What do you think of {} as a whole?",
        "volume-price technical capital-flow financial fundamental catalysts",
    ),
    ("Has {} just made a golden cross?", "technical"),
    ("Is {} overbought?", "technical"),
    ("Where are support and resistance of {}?", "technical"),
    ("Did {} trade on unusual volume this week?", "volume-price"),
    ("Show me the price action of {} and its MACD", "volume-price technical"),
    ("Is large money leaving {}?", "capital-flow"),
    ("Are institutions buying {}?", "capital-flow"),
    ("Have margin traders piled into {}, and is it overbought?", "technical capital-flow"),
    ("How solid is the balance sheet of {}?", "financial"),
    ("Can {} pay its debts?", "financial"),
    ("How did the latest quarter of {} turn out, and how did the shares react?", "volume-price financial"),
    ("Is {} cheap against its peers?", "fundamental"),
    ("Is the valuation of {} justified by its growth?", "fundamental"),
    ("How profitable is {} compared with its industry, and is it solvent?", "financial fundamental"),
    ("Why did {} fall yesterday?", "volume-price catalysts"),
    ("What news moved {} lately?", "catalysts"),
    ("Any catalysts ahead for {}, and does the chart confirm them?", "technical catalysts"),
    ("Did the news about {} come with large orders?", "capital-flow catalysts"),
)
VOCABULARY, COMPANIES, METRICS, WRITTEN = 250_880, 5_000, 400, 300
SCRIPTS = (
    range(0x400, 0x460),
    range(0x4E00, 0x9F00),
    range(0x620, 0x64B),
    range(0x905, 0x93A),
    range(0xE0, 0x100),
)


def main(root: Root, questions: int) -> None:
    settings = load(root.params)
    mask(root)
    pairs = [pair for part in PARTS for pair in read_pairs(root.context, part, questions)]
    forms(root, list(read_pairs(root.context, "train", 2_000)))
    with open_world(root.frozen, settings) as world:
        sure(world.catalog, root)
        decoding(root, settings, world, pairs)
        untrained(root, world.known(end_of(settings.snapshot.as_of)), pairs)
        plans(root, settings, world)


def mask(root: Root) -> None:
    """A vocabulary as wide as Bloom's: trained on the raw texts, filled up with pieces of other scripts."""
    import xgrammar

    rng = random.Random(5)
    catalog = wide(rng)
    info = xgrammar.TokenizerInfo(
        vocabulary(root, catalog, rng),
        xgrammar.VocabType.BYTE_LEVEL,
        vocab_size=VOCABULARY,
        stop_token_ids=[0],
    )
    places = {word: place for place, word in enumerate(info.decoded_vocab) if place}
    made = Grammars(None, VOCABULARY)
    for form in dialect.FORMS:
        made._compiler = xgrammar.GrammarCompiler(info)
        made._compiled.clear()
        grammar.cache_clear()
        cold, matcher = timed(lambda form=form: made.matcher(grammar(form, catalog)).matcher)
        warm, _ = timed(lambda form=form: made.matcher(grammar(form, catalog)))
        bits = xgrammar.allocate_token_bitmask(1, VOCABULARY)
        seconds = []
        for _ in range(WRITTEN):
            matcher.reset()
            for token in spelled(drawn(form, catalog, rng), places):
                began = time.perf_counter()
                matcher.fill_next_token_bitmask(bits)
                seconds.append(time.perf_counter() - began)
                assert matcher.accept_token(token)
        p50, p99 = np.percentile(seconds, [50, 99]) * 1e6
        print(
            f"mask, {form}: {VOCABULARY:,} words, {COMPANIES:,} companies, {METRICS} metrics: "
            f"cold {cold:.2f} s, again {warm * 1e3:.1f} ms, p50 {p50:.1f} µs, p99 {p99:.1f} µs "
            f"(n {len(seconds):,})"
        )


def vocabulary(root: Root, catalog: Catalog, rng: random.Random) -> list[str]:
    """250,880 words in the letters that byte-level tokenizers use, the first of them the end."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    letters = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = letters
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, initial_alphabet=letters.alphabet(), special_tokens=["<s>"]
    )
    made.train_from_iterator(texts(root, catalog), trainer)
    words = [word for word, _ in sorted(made.get_vocab().items(), key=lambda pair: pair[1])]
    seen, whole = set(words), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    while len(words) < VOCABULARY:
        script = rng.choice(SCRIPTS)
        piece = rng.choice(["", " "]) + "".join(chr(rng.choice(script)) for _ in range(rng.randint(1, 6)))
        word = whole.pre_tokenize_str(piece)[0][0]
        if word not in seen:
            seen.add(word)
            words.append(word)
    return words


def texts(root: Root, catalog: Catalog) -> Iterator[str]:
    """The corpus, the questions, and the names."""
    for path in sorted((root.corpus / "documents").glob("*.jsonl")):
        yield from path.read_text().splitlines()
    yield from (pair.query for pair in read_pairs(root.context, "train"))
    yield from (one.name for one in (*catalog.companies.all, *catalog.metrics.all))


def wide(rng: random.Random) -> Catalog:
    """The shipped companies, and made ones, up to 5,000; the first 400 metrics."""
    companies = list(shipped().all)
    parts = sorted({word for company in companies for word in company.name.split() if word.isalpha()})
    names = {company.name for company in companies}
    while len(companies) < COMPANIES:
        form = rng.choice(["Inc.", "Corp.", "plc", "SA", "Holdings"])
        name = f"{rng.choice(parts)} {rng.choice(parts)} {form}"
        if name not in names:
            names.add(name)
            number = len(companies)
            companies.append(Company(f"made:{number}", name, f"M{number}", "Industrials", "Machinery"))
    return Catalog(Companies(companies[:COMPANIES]), Metrics(Metrics.load().all[:METRICS]))


def drawn(form: str, catalog: Catalog, rng: random.Random) -> str:
    """A written request of one to three companies and metrics, every third with a name that nobody knows."""
    from datetime import date

    from finground.records.request import Interval

    number = rng.randint(1, 3)
    asked = Request(
        "open-ended",
        tuple(company_entity(company) for company in rng.sample(catalog.companies.all, number)),
        tuple(
            metric
            for metric in catalog.expand(one.slug for one in rng.sample(catalog.metrics.all, number))
            if metric.primary
        ),
        Interval(date(2019, 3, 1), date(2023, 11, rng.randint(1, 30))),
        unresolved=("Quillmark Bros. & Co",) if rng.random() < 0.34 else (),
    )
    return dialect.write(asked, form, catalog)


def spelled(text: str, places: dict[bytes, int]) -> list[int]:
    """The text as tokens, the longest first."""
    data, found, at = text.encode(), [], 0
    while at < len(data):
        size = next(size for size in range(24, 0, -1) if data[at : at + size] in places)
        found.append(places[data[at : at + size]])
        at += len(data[at : at + size])
    return found


def forms(root: Root, pairs: Sequence[Pair]) -> None:
    tokenizer = bases.load(root.plain, quant="none", dtype="float32").tokenizer
    with open_world(root.frozen, load(root.params)) as world:
        tokens = {
            form: sum(
                len(ids)
                for ids in bases.encode(
                    tokenizer,
                    [row["target"] for row in training_rows(pairs, form, world.catalog)],
                    start=False,
                )
            )
            for form in dialect.FORMS
        }
    told = ", ".join(f"{form} {count / len(pairs):.1f}" for form, count in tokens.items())
    print(f"forms: tokens a request: {told}; compact is {tokens['compact'] / tokens['sdr']:.2f} of sdr")


def sure(catalog: Catalog, root: Root) -> None:
    agent = RulesAgent(catalog)
    began = time.process_time()
    for pair in read_pairs(root.context, "train", 200):
        _by_rules(agent, pair)
    print(f"rules: indexes and 200 first questions, of training, in {time.process_time() - began:.2f} s")
    for part in PARTS:
        pairs = list(read_pairs(root.context, part, 2_500))
        if not pairs:
            continue
        began = time.process_time()
        said = [_by_rules(agent, pair) for pair in pairs]
        rate = len(pairs) / (time.process_time() - began)
        judged = judge(said, pairs, catalog)
        whole = {
            row.metric: row.value
            for row in score_rows("rules", judged, part=part, seed=0, commit="")
            if row.part == part
        }
        told = f"AUROC {whole['auroc']:.3f}" if "auroc" in whole else "all right or none"
        print(f"sure, rules, {part}: exact match {whole['exact_match']:.3f}, {told}, {rate:,.0f} questions/s")


@dataclass(frozen=True)
class Stock:
    """Plain cached generation as transformers does it: greedy; a batch ends with its slowest."""

    ours: Generator

    def reply(self, prompts: list[str], *, max_new_tokens: int, batch: int, **_: Any) -> list[Reply]:
        import torch

        tokenizer, found = self.ours.tokenizer, dict[int, Reply]()
        order = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            ids, mask = self.ours._padded(bases.encode(tokenizer, [prompts[place] for place in places]))
            with torch.inference_mode():
                whole = self.ours.model.generate(
                    input_ids=ids, attention_mask=mask, max_new_tokens=max_new_tokens, do_sample=False,
                    pad_token_id=bases.pad(tokenizer), eos_token_id=tokenizer.eos_token_id,
                    repetition_penalty=1.0,
                )[:, ids.shape[1] :]  # fmt: skip
            for place, said in zip(places, whole.tolist(), strict=True):
                ended = tokenizer.eos_token_id in said
                kept = said[: said.index(tokenizer.eos_token_id)] if ended else said
                text = tokenizer.decode(kept, skip_special_tokens=True, clean_up_tokenization_spaces=False)
                stop: Stop = "eos" if ended else "length"
                found[place] = Reply(text, stop, 0, len(kept), False, passes=len(said))
        return [found[place] for place in range(len(prompts))]


def decoding(root: Root, settings: Settings, world: Any, pairs: Sequence[Pair]) -> None:
    agent = tuned_agent(settings.agent.bases[-1], world, root, settings, end_of(settings.snapshot.as_of))
    assert isinstance(agent.generator, Generator)
    ours = TunedAgent(agent.generator, agent.catalog, agent.form)
    plain = ours if agent.generator.virtual else replace(ours, generator=Stock(agent.generator))
    for one in (agent, plain):
        one.replies(pairs[:1])
    for batch in (1, 8):
        with without(TunedAgent, "_draft"):
            plainly, simple = timed(lambda batch=batch: plain.replies(pairs, batch=batch))
            free, freely = timed(lambda batch=batch: ours.replies(pairs, batch=batch))
            stretched, forced = timed(lambda batch=batch: agent.replies(pairs, batch=batch))
        drafted, fast = timed(lambda batch=batch: agent.replies(pairs, batch=batch))
        both = [
            (one, other) for one, other in zip(simple, fast, strict=True) if one.request and other.request
        ]
        same = sum(one.request == other.request for one, other in both)
        within = [(one, other) for one, other in both if holds(agent, one.text)]
        alike = sum(one.request == other.request for one, other in within)
        drafts_same = sum(one.text == other.text for one, other in zip(forced, fast, strict=True))
        print(
            f"decoding, batch {batch}: {len(pairs)} requests: plain {len(pairs) / plainly:.2f}/s "
            f"({passes(simple):.1f} passes each, {valid(simple):.2f} valid), our loop without a grammar "
            f"{len(pairs) / free:.2f}/s ({passes(freely):.1f}), grammar and stretches "
            f"{len(pairs) / stretched:.2f}/s ({passes(forced):.1f}), with drafts "
            f"{len(pairs) / drafted:.2f}/s ({passes(fast):.1f} passes, {valid(fast):.2f} valid): "
            f"{plainly / drafted:.2f} × plain, {free / drafted:.2f} × our loop; same where both are valid: "
            f"{same} of {len(both)}, of plain replies that the grammar holds {alike} of {len(within)}; "
            f"same text with and without a draft: {drafts_same} of {len(pairs)}"
        )


def holds(agent: TunedAgent, text: str) -> bool:
    """Whether the agent's grammar has this reply, whole."""
    assert isinstance(agent.generator, Generator) and agent.grammar
    ours = agent.generator
    matcher = ours.grammars.matcher(agent.grammar)
    refused = matcher.refuses is not None and matcher.refuses(text)
    end = ours.tokenizer.eos_token_id
    return not refused and matcher.matcher.accept_string(text) and matcher.matcher.accept_token(end)


def untrained(root: Root, known: Catalog, pairs: Sequence[Pair]) -> None:
    generator = Generator.open(root.plain, None)
    for form in dialect.FORMS:
        agent = TunedAgent(generator, known, form, grammar(form, known))
        with without(TunedAgent, "_draft"):
            said = agent.replies(pairs[: len(pairs) // 5])
        ended = [one for one in said if one.stop in ("eos", "grammar")]
        good = sum(one.request is not None for one in ended)
        print(
            f"untrained, {form}: of {len(said)} replies {len(ended)} ended, {good} of them valid requests; "
            f"{len(said) - len(ended)} ran out of {agent.new_tokens} tokens and failed"
        )


def plans(root: Root, settings: Settings, world: Any) -> None:
    as_of = end_of(settings.snapshot.as_of)
    company = world.known(as_of).companies.all[0]
    request = Request("analysis", (company_entity(company),), ())
    for name in ("rules", "model"):
        chosen, overlaps, exact, failed = planner(name, root, settings), list[float](), 0, 0
        began = time.perf_counter()
        for question, right in PLANNED:
            try:
                made = chosen(question.format(company.name), request, world.catalog)
            except UnreadPlan:
                failed += 1
                overlaps.append(0.0)
                continue
            found, wanted = set(made.tools), set(right.split())
            exact += found == wanted
            overlaps.append(2 * len(found & wanted) / (len(found) + len(wanted)))
        seconds = (time.perf_counter() - began) / len(PLANNED)
        print(
            f"plans, {name}: tools F1 {sum(overlaps) / len(overlaps):.2f}, "
            f"exactly right {exact} of {len(PLANNED)}, failed {failed}, {seconds:.2f} s a question"
        )


@contextmanager
def without(owner: type, name: str) -> Any:
    """Give no draft."""
    kept = getattr(owner, name)
    setattr(owner, name, lambda *_: None)
    try:
        yield
    finally:
        setattr(owner, name, kept)


def passes(replies: Sequence[AgentReply]) -> float:
    return sum(one.passes for one in replies) / len(replies)


def valid(replies: Sequence[AgentReply]) -> float:
    return sum(one.request is not None for one in replies) / len(replies)


def timed(does: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    made = does()
    return time.perf_counter() - began, made


if __name__ == "__main__":
    main(Root(Path(sys.argv[1])), int(sys.argv[2]) if len(sys.argv) > 2 else 8)
