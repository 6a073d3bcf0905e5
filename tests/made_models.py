"""Tiny real models of four families that share one tokenizer."""

import random
import shutil
from pathlib import Path

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
}  # fmt: skip


def texts() -> list[str]:
    rng = random.Random(3)
    return [
        " ".join(rng.choices(WORDS, k=rng.randint(30, 60))) + f" {rng.randint(1, 99)}.5%" for _ in range(60)
    ]


def tiny(folder: Path, steps: int = 2) -> Path:
    from finground.lm.base import prepare

    prepare(Base(name="tiny", tiny_steps=steps), folder, texts=texts, seed=7)
    return folder


def other(kind: str, folder: Path, like: Path) -> Path:
    """A random model of another family with the tokenizer of `like`; it says more than one word."""
    import torch
    import transformers

    from finground.lm import device

    config, model, sizes = CLASSES[kind]
    vocabulary = transformers.PreTrainedTokenizerFast.from_pretrained(like).backend_tokenizer.get_vocab_size()
    with device.seeded(11):
        made = getattr(transformers, model)(
            getattr(transformers, config)(
                vocab_size=vocabulary, bos_token_id=0, eos_token_id=0, pad_token_id=1, **sizes
            )
        )
        with torch.no_grad():
            for name, weight in made.named_parameters():
                weight.mul_(
                    15.0
                    if weight.dim() > 1
                    and not name.endswith(("embeddings.weight", "wte.weight", "embed_tokens.weight"))
                    else 1.0
                )
    made.save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(like / name, folder / name)
    return folder
