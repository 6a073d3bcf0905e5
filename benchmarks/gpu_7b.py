"""Speed, memory and MFU of the paper's sizes on one GPU: python benchmarks/gpu_7b.py [--models …]

Takes profiles/paper.yaml, builds Bloom-7B1 and an 8B Llama from their configurations with random weights (no
download), and times QLoRA and prompt tuning through our loop, then the stock stack (transformers.Trainer over
peft) on the same rows. Weights being random changes no speed. `--tiny` shrinks every size, for a CPU; the
figures it gives mean nothing.
"""

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from finground.lm import adapter, device
from finground.lm.collate import Examples, Kept
from finground.lm.loop import Job, train
from finground.lm.loss import Scored
from finground.settings import Lora, PromptTuning, Training, load

PROFILE = Path(__file__).parents[1] / "profiles" / "paper.yaml"
# bigscience/bloom-7b1 and meta-llama/Llama-3.1-8B, as their config.json say
CONFIGS: dict[str, tuple[str, dict[str, Any]]] = {
    "bloom-7b1": ("Bloom", {"vocab_size": 250_880, "hidden_size": 4096, "n_layer": 30, "n_head": 32}),
    "llama-8b": (
        "Llama",
        {
            "vocab_size": 128_256, "hidden_size": 4096, "intermediate_size": 14_336, "num_hidden_layers": 32,
            "num_attention_heads": 32, "num_key_value_heads": 8, "max_position_embeddings": 131_072,
            "rope_theta": 500_000.0, "tie_word_embeddings": False,
        },
    ),
}  # fmt: skip
TINY = {
    "vocab_size": 512, "hidden_size": 64, "n_layer": 2, "n_head": 4, "intermediate_size": 128,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
}  # fmt: skip
# dense bfloat16, from NVIDIA's data sheets
PEAK_FLOPS = {"H200": 989e12, "H100": 989e12, "A100": 312e12, "L40S": 362e12, "L4": 121e12, "T4": 65e12}


def say(**values: Any) -> None:
    print(json.dumps(values), flush=True)


def build(name: str, *, tiny: bool, dtype: Any) -> Any:
    """The model with random weights on the device, its linear layers in NF4."""
    import transformers

    family, sizes = CONFIGS[name]
    if tiny:
        sizes = {key: TINY.get(key, value) for key, value in sizes.items()}
    config = getattr(transformers, f"{family}Config")(
        **sizes, bos_token_id=1, eos_token_id=2, pad_token_id=3, use_cache=False
    )
    with torch.device("meta"):
        empty = getattr(transformers, f"{family}ForCausalLM")(config)
    where = torch.device(device.device())
    model = empty.to_empty(device="cpu" if tiny else where).to(dtype)
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(0, 0.02)
    _renew_buffers(model, family, config, where)
    model.tie_weights()
    return _four_bit(model.to(where), adapter.KINDS[config.model_type].linear, dtype)


def _renew_buffers(model: Any, family: str, config: Any, where: Any) -> None:
    """Rotary frequencies are computed when a model is made, and were lost on `meta`."""
    if family == "Llama":
        from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

        model.model.rotary_emb = LlamaRotaryEmbedding(config).to(where)


def _four_bit(model: Any, names: Sequence[str], dtype: Any) -> Any:
    """NF4 with double quantisation in the place of the linear layers of these names, one after the other."""
    from bitsandbytes.nn import Linear4bit, Params4bit

    chosen = [(path, m) for path, m in model.named_modules() if path.split(".")[-1] in names]
    for path, linear in chosen:
        made = Linear4bit(
            linear.in_features, linear.out_features, bias=linear.bias is not None, compute_dtype=dtype,
            compress_statistics=True, quant_type="nf4", device="meta",
        )  # fmt: skip
        made.weight = Params4bit(
            linear.weight.data.cpu() if linear.weight.device.type == "cpu" else linear.weight.data,
            requires_grad=False, compress_statistics=True, quant_type="nf4",
        )  # fmt: skip
        made.bias = linear.bias
        parent, _, last = path.rpartition(".")
        setattr(model.get_submodule(parent), last, made.to(linear.weight.device))
        linear.weight = None
    model.is_loaded_in_4bit = True  # peft asks it
    return model.requires_grad_(False)


def rows(count: int, tokens: int, vocabulary: int) -> list[list[int]]:
    rng = random.Random(7)
    return [[rng.randrange(4, vocabulary) for _ in range(tokens)] for _ in range(count)]


def dressed(model: Any, settings: Training) -> Any:
    """The model with what is trained: LoRA or a soft prompt, as the profile says."""
    torch.manual_seed(7)
    if settings.gradient_checkpointing:
        model.gradient_checkpointing_enable({"use_reentrant": False})
    if isinstance(settings, PromptTuning):
        return adapter.soft_prompt(model, settings.virtual_tokens, [])
    assert isinstance(settings, Lora)
    return adapter.lora(model, settings)


def ours(model: Any, settings: Training, data: list[list[int]], prompt: int) -> float:
    examples = Examples([len(row) for row in data], [prompt] * len(data), data.__getitem__)
    return train(Scored(model), Kept(examples, ()), settings, Job("ours", 3, 7)).seconds


def stock(model: Any, settings: Training, data: list[list[int]], prompt: int) -> float:
    """transformers.Trainer on the same rows; its loss makes all logits."""
    from datasets import Dataset
    from transformers import Trainer, TrainingArguments, default_data_collator

    labels = [[-100] * prompt + row[prompt:] for row in data]
    table = Dataset.from_dict(
        {"input_ids": data, "labels": labels, "attention_mask": [[1] * len(row) for row in data]}
    )
    with TemporaryDirectory() as folder:
        known = TrainingArguments(
            output_dir=folder, per_device_train_batch_size=settings.batch, learning_rate=settings.lr,
            gradient_accumulation_steps=settings.accumulate, num_train_epochs=1, report_to=[],
            save_strategy="no", logging_strategy="no", disable_tqdm=True, weight_decay=0.0,
            use_cpu=device.device() == "cpu", dataloader_pin_memory=False,
            optim="adamw_torch" if device.device() == "cpu" else "paged_adamw_32bit",
        )  # fmt: skip
        made = Trainer(model=model, args=known, train_dataset=table, data_collator=default_data_collator)
        began = time.perf_counter()
        made.train()
        return time.perf_counter() - began


def measure(name: str, method: str, stack: str, options: argparse.Namespace) -> None:
    """One figure: a stack on a model with a method."""
    profile = load(PROFILE)
    chosen: Training = profile.pretrain if method == "qlora" else profile.agent
    tokens, prompt = (
        (profile.pretrain.max_tokens, 1) if method == "qlora" else (profile.agent.max_tokens // 2, 64)
    )
    changed = {"epochs": 1, "gradient_checkpointing": True, "max_steps": None, "save_every": 10**6}
    if options.tiny:
        changed |= {"batch": 2, "accumulate": 1}
        tokens, prompt = 32, min(prompt, 8)
    settings = chosen.model_copy(update=changed)
    dtype = device.number_type("float32" if options.tiny else profile.base.dtype)
    model = dressed(build(name, tiny=options.tiny, dtype=dtype), settings)
    data = rows(options.steps * settings.batch * settings.accumulate, tokens, model.config.vocab_size)
    run = {"ours": ours, "stock": stock}[stack]
    on_gpu = device.device() != "cpu"
    base = {
        "model": name,
        "method": method,
        "stack": stack,
        "device": device.hardware(),
        "tiny": options.tiny,
    }
    try:
        run(model, settings, data[: settings.batch * settings.accumulate], prompt)  # warm-up
        if on_gpu:
            torch.cuda.reset_peak_memory_stats()
        seconds = run(model, settings, data, prompt)
    except torch.cuda.OutOfMemoryError:
        say(**base, out_of_memory=True)
        return
    speed = sum(map(len, data)) / seconds
    say(
        **base, tokens_per_second=round(speed, 1), seconds=round(seconds, 2), batch=settings.batch,
        accumulate=settings.accumulate, tokens=tokens, mfu=mfu(model, speed, device.hardware()),
        peak_gb=round(torch.cuda.max_memory_allocated() / 1e9, 2) if on_gpu else None,
    )  # fmt: skip


def mfu(model: Any, tokens_per_second: float, hardware: str) -> float | None:
    """Share of the device's peak: 2 flops a weight forward and 2 backward through a frozen base.

    What gradient checkpointing computes again does not count (Chowdhery et al. 2022, appendix B).
    """
    peak = next((flops for name, flops in PEAK_FLOPS.items() if name in hardware), None)
    if peak is None:
        return None
    inner = sum(4 * m.in_features * m.out_features for m in model.modules() if hasattr(m, "in_features"))
    return round(tokens_per_second * inner / peak, 4)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", nargs="+", choices=list(CONFIGS), default=list(CONFIGS))
    parser.add_argument("--methods", nargs="+", choices=["qlora", "prompt"], default=["qlora", "prompt"])
    parser.add_argument("--stacks", nargs="+", choices=["ours", "stock"], default=["ours", "stock"])
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args(words)
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    if device.device() == "cpu" and not options.tiny:
        sys.exit("no GPU is here; --tiny runs small sizes on the CPU, to see that the script works")
    for name in options.models:
        for method in options.methods:
            for stack in options.stacks:
                measure(name, method, stack, options)
                if device.device() != "cpu":
                    torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
