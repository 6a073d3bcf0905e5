"""Tiny real models of six families: five share one tokenizer, Mistral has one that puts a space first."""

import random
from pathlib import Path
from typing import Any

from finground.settings import Base

WORDS = [
    "profit", "revenue", "shares", "quarter", "rose", "fell", "company", "market", "Société", "cash", "debt",
    "margin", "bank", "oil", "price",
]  # fmt: skip
CLASSES = {
    "bloom": ("BloomConfig", "BloomForCausalLM", {"hidden_size": 64, "n_layer": 2, "n_head": 4}),
    "gpt2": ("GPT2Config", "GPT2LMHeadModel", {"n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 256}),
    "qwen2": (
        "Qwen2Config", "Qwen2ForCausalLM",
        {
            "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
            "num_key_value_heads": 2, "max_position_embeddings": 256, "tie_word_embeddings": True,
        },
    ),
    "qwen3": (
        "Qwen3Config", "Qwen3ForCausalLM",
        {
            "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
            "num_key_value_heads": 2, "head_dim": 16, "max_position_embeddings": 256,
        },
    ),
    "mistral": (
        "MistralConfig", "MistralForCausalLM",
        {
            "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
            "num_key_value_heads": 2, "max_position_embeddings": 2048, "sliding_window": 1024,
        },
    ),
}  # fmt: skip

KINDS = ("llama", *CLASSES)
LINEAR = {"llama": 14, "bloom": 8, "gpt2": 8, "qwen2": 14, "qwen3": 14, "mistral": 14}  # their linear layers


def texts() -> list[str]:
    rng = random.Random(3)
    return [
        " ".join(rng.choices(WORDS, k=rng.randint(30, 60))) + f" {rng.randint(1, 99)}.5%" for _ in range(60)
    ]


def tiny(folder: Path, steps: int = 2) -> Path:
    from finground.lm.base import prepare

    prepare(Base(name="tiny", tiny_steps=steps), folder, texts=texts, seed=7)
    return folder


def sentencepiece() -> Any:
    """A tokenizer like Llama 2's: words begin with ▁, a text does too, and unknown letters are bytes."""
    import json

    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import LlamaTokenizer

    made = Tokenizer(models.BPE(byte_fallback=True))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=True)
    special = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    made.train_from_iterator(texts(), trainers.BpeTrainer(special_tokens=special, show_progress=False))
    trained = json.loads(made.to_str())["model"]
    return LlamaTokenizer(trained["vocab"], [tuple(pair) for pair in trained["merges"]])


def other(kind: str, folder: Path, like: Path) -> Path:
    """A random model of another family with its own tokenizer or that of `like`; it says several words."""
    import torch
    import transformers

    from finground.lm import device

    config, model, sizes = CLASSES[kind]
    own = sentencepiece() if kind == "mistral" else None
    tokenizer = own or transformers.PreTrainedTokenizerFast.from_pretrained(like)
    if own:
        sizes = {**sizes, "bos_token_id": own.bos_token_id, "eos_token_id": own.eos_token_id}
    else:
        sizes = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 1, **sizes}
    with device.seeded(11):
        made = getattr(transformers, model)(
            getattr(transformers, config)(vocab_size=tokenizer.backend_tokenizer.get_vocab_size(), **sizes)
        )
        with torch.no_grad():
            for name, weight in made.named_parameters():
                weight.mul_(
                    15.0
                    if weight.dim() > 1
                    and not name.endswith(
                        ("embeddings.weight", "wte.weight", "embed_tokens.weight", "lm_head.weight")
                    )
                    else 1.0
                )
    made.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
