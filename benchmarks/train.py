"""Figures of the training engine: python benchmarks/train.py NAME… [--base FOLDER] [--pairs FILE.jsonl]

Every figure is a ratio within one run, of processor seconds of one thread: what else runs counts
little. Names: loss, padding, useful, bare,
stock, generation, checkpoint, memory; `all` runs each in a process of its own.
"""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
VOCABULARY, WIDTH, TOKENS, MASKED = 250_880, 1_024, 1_024, 0.6
AUTHORS = (256, 512, 2)  # prompt and target padded to, batch (the authors' notebook; PAPERS P10)


def say(name: str, **values: Any) -> None:
    print(json.dumps({"figure": name, **values}), flush=True)


def timed(work: Callable[[], Any], times: int = 3) -> float:
    """Median processor seconds."""
    found = []
    for _ in range(times):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return statistics.median(found)


def peak() -> float:
    """The most memory this process has held, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def loss(options: Any) -> None:
    """The loss over Bloom's vocabulary with a frozen head, ours against full float logits."""
    import torch

    from finground.lm.loss import summed

    torch.manual_seed(0)
    hidden, weight = torch.randn(TOKENS, WIDTH) / WIDTH**0.5, torch.randn(VOCABULARY, WIDTH)
    labels = torch.randint(VOCABULARY, (TOKENS,))
    labels[torch.rand(TOKENS) < MASKED] = -100
    kept = labels != -100

    def ours() -> tuple[float, Any]:
        leaf = hidden.clone().requires_grad_()
        mean = summed(leaf[kept], weight, labels[kept]) / int(kept.sum())
        mean.backward()
        return float(mean.detach()), leaf.grad

    def full() -> tuple[float, Any]:
        leaf = hidden.clone().requires_grad_()
        mean = torch.nn.functional.cross_entropy((leaf @ weight.T).float(), labels)
        mean.backward()
        return float(mean.detach()), leaf.grad

    before = peak()
    found = ours()
    added = peak() - before
    seconds = timed(ours, options.rounds)
    right = full()
    full_added = peak() - before
    full_seconds = timed(full, max(1, options.rounds - 2))
    say(
        "loss", ratio=seconds / full_seconds, seconds=seconds, full_seconds=full_seconds, added_gb=added,
        full_added_gb=full_added, loss_difference=abs(found[0] - right[0]),
        largest_gradient_difference=float((found[1] - right[1]).abs().max()),
        largest_gradient=float(right[1].abs().max()),
    )  # fmt: skip


def lengths(options: Any) -> tuple[Any, Any]:
    """The examples of the pairs, tokenised by the base; and its pad id."""
    from datasets import Dataset

    from finground.lm import base, tokens

    rows = [json.loads(line) for line in Path(options.pairs).read_text().splitlines()]
    data = Dataset.from_list([{"prompt": row["prompt"], "target": row["target"]} for row in rows])
    kept = tokens.pairs(data, Path(options.base), base.context(Path(options.base)), None)
    return kept.examples, base.pad(base.tokenizer(Path(options.base)))


def padding(options: Any) -> None:
    """Share of padding in our batches over an epoch of the pairs, against batches drawn by chance."""
    from finground.lm.collate import epoch

    examples, _ = lengths(options)
    for size in (2, 4, 8, 16, 32):
        ours = laid(examples, epoch(examples.lengths, size, 7, 0))
        order = list(range(len(examples)))
        random.Random(7).shuffle(order)
        drawn = laid(examples, [order[at : at + size] for at in range(0, len(order), size)])
        say("padding", batch=size, rows=len(examples), ours=ours, drawn_by_chance=drawn)


def laid(examples: Any, batches: list[list[int]]) -> float:
    """Share of positions that hold padding."""
    width = sum(len(b) * max(examples.lengths[i] for i in b) for b in batches)
    return 1 - sum(examples.lengths) / width


def useful(options: Any) -> None:
    """Useful tokens/s of prompt tuning, ours against every row padded to 256 + 512."""
    import torch

    from finground.lm import adapter, base
    from finground.lm.collate import UNLABELLED, epoch
    from finground.lm.loop import Job, train
    from finground.lm.loss import Scored
    from finground.settings import PromptTuning

    examples, pad = lengths(options)
    prompt, target, size = AUTHORS
    settings = PromptTuning(lr=0.03, batch=options.batch, max_steps=options.steps, virtual_tokens=20)
    chosen = epoch(examples.lengths, settings.batch, 7, 0)[: options.steps]
    some = examples.subset([index for batch in chosen for index in batch])

    def fresh() -> Any:
        loaded = base.load(Path(options.base), quant="none", dtype="float32")
        return adapter.soft_prompt(loaded.model, 20, [])

    from finground.lm.collate import Kept

    scored, began = Scored(fresh()), time.process_time()
    done = train(scored, Kept(some, ()), settings, Job("ours", pad, 7))
    ours = done.ledger["tokens_trained"] / (time.process_time() - began)
    model = fresh().train()
    optimizer = torch.optim.AdamW([w for w in model.parameters() if w.requires_grad], lr=0.03)
    seen, began = 0, time.process_time()
    for start in range(0, options.steps * size, size):
        rows = [list(examples.read(i)) for i in range(start, start + size)]
        cuts = [examples.prompts[i] for i in range(start, start + size)]
        ids = torch.full((size, prompt + target), pad)
        labels, mask = torch.full_like(ids, UNLABELLED), torch.zeros_like(ids)
        for row, (one, cut) in enumerate(zip(rows, cuts, strict=True)):
            cut = min(cut, prompt)
            head, tail = one[:cut], one[cut:][:target]
            ids[row, prompt - len(head) : prompt] = torch.tensor(head)
            ids[row, prompt : prompt + len(tail)] = torch.tensor(tail)
            mask[row, prompt - len(head) : prompt + len(tail)] = 1
            labels[row, prompt : prompt + len(tail)] = torch.tensor(tail)
            seen += len(head) + len(tail)
        model(input_ids=ids, attention_mask=mask, labels=labels).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    theirs = seen / (time.process_time() - began)
    say(
        "useful", ratio=ours / theirs, ours=ours, padded=theirs,
        batch=settings.batch, steps=options.steps,
    )  # fmt: skip


def work(options: Any) -> tuple[Any, Any]:
    """The same rows for every trainer: LoRA on the base, batches of one length, so nobody pads."""
    from finground.lm import base
    from finground.lm.collate import Examples

    rng, words = random.Random(3), base.describe(Path(options.base))["vocabulary"]
    count = options.batch * options.steps
    rows = [[rng.randrange(10, min(words, 2_000)) for _ in range(options.tokens)] for _ in range(count)]
    return rows, Examples([options.tokens] * len(rows), [1] * len(rows), rows.__getitem__)


def lora(options: Any) -> Any:
    from finground.lm import adapter, base
    from finground.settings import Lora

    loaded = base.load(Path(options.base), quant="none", dtype="float32")
    return adapter.lora(loaded.model, Lora(lr=1e-4)), loaded.pad


def ours_seconds(options: Any, examples: Any) -> float:
    from finground.lm.collate import Kept
    from finground.lm.loop import Job, train
    from finground.lm.loss import Scored
    from finground.settings import Lora

    model, pad = lora(options)
    settings = Lora(lr=1e-4, batch=options.batch)
    began = time.process_time()
    train(Scored(model), Kept(examples, ()), settings, Job("ours", pad, 7))
    return time.process_time() - began


def bare_seconds(options: Any, rows: list[list[int]]) -> float:
    """A loop of plain PyTorch that does the same arithmetic, our loss too."""
    import torch

    from finground.lm.loss import Scored

    model, _ = lora(options)
    scored = Scored(model).train()
    weights = [w for w in scored.parameters() if w.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=1e-4, weight_decay=0.0, fused=True)
    began = time.process_time()
    for start in range(0, len(rows), options.batch):
        ids = torch.tensor(rows[start : start + options.batch])
        labels = ids.clone()
        labels[:, 0] = -100
        (scored(ids, torch.ones_like(ids), labels) / (ids.numel() - len(ids))).backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        optimizer.zero_grad()
    return time.process_time() - began


def bare(options: Any) -> None:
    """Our loop against a bare one, in turns."""
    rows, examples = work(options)
    bare_seconds(options, rows[: options.batch])
    pairs = [(bare_seconds(options, rows), ours_seconds(options, examples)) for _ in range(options.rounds)]
    say("bare", ratio=statistics.median(b / o for b, o in pairs), seconds=pairs)


def trainer_seconds(options: Any, rows: list[list[int]], kind: str) -> float:
    """transformers.Trainer, or TRL's SFTTrainer, with what makes their work the same as ours."""
    from datasets import Dataset

    model, _ = lora(options)
    data = Dataset.from_dict(
        {
            "input_ids": rows,
            "labels": [[-100, *row[1:]] for row in rows],
            "attention_mask": [[1] * len(row) for row in rows],
        }
    )
    with TemporaryDirectory() as folder:
        known: dict[str, Any] = {
            "output_dir": folder, "per_device_train_batch_size": options.batch, "learning_rate": 1e-4,
            "num_train_epochs": 1, "report_to": [], "save_strategy": "no", "logging_strategy": "no",
            "use_cpu": True, "disable_tqdm": True, "dataloader_pin_memory": False,
            "optim": "adamw_torch_fused",
            "weight_decay": 0.0, "bf16": False, "gradient_checkpointing": False,
        }  # fmt: skip
        if kind == "trl":
            from trl import SFTConfig, SFTTrainer

            from finground.lm import base

            words = base.tokenizer(Path(options.base))
            made: Any = SFTTrainer(
                model=model, train_dataset=data, processing_class=words,
                args=SFTConfig(**known, max_length=None, dataset_kwargs={"skip_prepare_dataset": True}),
            )  # fmt: skip
        else:
            from transformers import Trainer, TrainingArguments, default_data_collator

            made = Trainer(
                model=model,
                train_dataset=data,
                args=TrainingArguments(**known),
                data_collator=default_data_collator,
            )
        began = time.process_time()
        made.train()
        return time.process_time() - began


def stock(options: Any) -> None:
    """Our loop against transformers.Trainer and (where TRL is to be had) SFTTrainer, in turns."""
    import importlib.util

    rows, examples = work(options)
    kinds = ["transformers", *(["trl"] if importlib.util.find_spec("trl") else [])]
    seconds: dict[str, list[float]] = {kind: [] for kind in ("ours", *kinds)}
    ours_seconds(options, examples.subset(range(options.batch)))
    for _ in range(options.rounds):
        seconds["ours"].append(ours_seconds(options, examples))
        for kind in kinds:
            seconds[kind].append(trainer_seconds(options, rows, kind))
    ratios = {
        kind: statistics.median(t / o for t, o in zip(seconds[kind], seconds["ours"], strict=True))
        for kind in kinds
    }
    say("stock", ratios=ratios, seconds=seconds, batch=options.batch, tokens=options.tokens)


def generation(options: Any) -> None:
    """128 tokens after a soft prompt: our cache against `use_cache=False`, the stock call that is right."""
    import torch

    from finground.lm import adapter, base
    from finground.lm.generate import Generator

    folder = Path(options.base)
    loaded = base.load(folder, quant="none", dtype="float32")
    torch.manual_seed(1)
    tuned = adapter.soft_prompt(loaded.model, 20, []).eval()
    ready = Generator(loaded.model, loaded.tokenizer, base.context(folder), True, 0)
    prompt = base.encode(loaded.tokenizer, ["What did the company earn in the last quarter?"])[0]
    laid = torch.tensor([prompt])
    loaded.tokenizer.eos_token = loaded.model.generation_config.eos_token_id = None  # it goes on to the end
    stock_said: list[int] = []
    new = options.new_tokens

    def stock_call() -> None:
        with torch.inference_mode():
            found = tuned.generate(
                input_ids=laid, attention_mask=torch.ones_like(laid), max_new_tokens=new, do_sample=False,
                use_cache=False, pad_token_id=loaded.pad,
            )  # fmt: skip
        stock_said[:] = found[0, -new:].tolist()

    theirs = timed(stock_call, 1)
    ready._adapt(tuned, merge=False)
    ours_said: list[int] = []

    def ours() -> None:
        with torch.inference_mode():
            ours_said[:] = ready._batch([prompt], new, [None], [[]])[0].said

    seconds = timed(ours, 3)
    same = ours_said == stock_said[: len(ours_said)]
    say(
        "generation", ratio=theirs / len(stock_said) / (seconds / max(1, len(ours_said))), seconds=seconds,
        stock_seconds=theirs, identical=same, new_tokens=len(ours_said),
    )  # fmt: skip


def checkpoint(options: Any) -> None:
    """Seconds to save and to verify a LoRA checkpoint, and what saving every 100 steps costs."""
    import torch

    from finground.lm import device
    from finground.lm.checkpoint import Checkpoints
    from finground.lm.tensors import taken

    model, _ = lora(options)
    weights = {name: w for name, w in model.named_parameters() if w.requires_grad}
    optimizer = device.optimizer(model, list(weights.values()), 1e-4)
    for weight in weights.values():
        weight.grad = torch.zeros_like(weight)
    optimizer.step()
    with TemporaryDirectory() as folder:
        kept = Checkpoints(Path(folder), {"settings": {}})

        def save() -> None:
            tensors, scalars = taken(weights, optimizer)
            kept.save(1, tensors, {"scalars": scalars})

        seconds = timed(save, 5)
        path = next(Path(folder).glob("step-*"))
        verify = timed(lambda: Checkpoints.damage(path), 5)
        size = sum(file.stat().st_size for file in path.iterdir()) / 1e6
    _, examples = work(options)
    step = ours_seconds(options, examples) / options.steps
    say(
        "checkpoint", overhead_every_100=seconds / (100 * step), save_seconds=seconds, verify_seconds=verify,
        megabytes=size, step_seconds=step,
    )  # fmt: skip


def memory(options: Any) -> None:
    """The planned peak against the measured one."""
    from finground.lm import base, plan

    _, examples = work(options)
    planned = base.planned(
        Path(options.base), plan.Work("none", "float32", options.batch, options.tokens, 16)
    )
    ours_seconds(options, examples)
    say("memory", ratio=planned.bytes / 1e9 / peak(), planned_gb=planned.bytes / 1e9, measured_gb=peak())


FIGURES = {f.__name__: f for f in (loss, padding, useful, bare, stock, generation, checkpoint, memory)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="+", choices=[*FIGURES, "all"])
    parser.add_argument("--base", help="a model folder that `finground run base` made")
    parser.add_argument("--pairs", help="JSONL of prompt and target")
    for name, value in {"batch": 4, "steps": 4, "tokens": 128, "rounds": 3, "new-tokens": 128}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    for name in FIGURES if "all" in options.names else options.names:
        if "all" in options.names:
            words = [word if word != "all" else name for word in sys.argv[1:]]
            subprocess.run([sys.executable, __file__, *words], check=True)
        else:
            FIGURES[name](options)


if __name__ == "__main__":
    main()
