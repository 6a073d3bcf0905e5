"""Adapters: LoRA and soft prompts put on a base, saved with the digest of that base, read back.

An adapter folder holds peft's own two files, so that peft can open it, a model card, the rows that were
rejected, and our manifest. It names its base by digest, never by a path of this machine, and its bytes depend
on nothing but base, rows, settings and seed (law 7).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from finground.core.artifact import digest, manifest, whole_folder, write_json, write_rows
from finground.core.errors import FingroundError, InputError
from finground.lm import card
from finground.lm.ledger import Trained
from finground.settings import Lora

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
CARD, REJECTED = "README.md", "rejected.jsonl"
LIBRARIES = ("torch", "transformers", "peft", "tokenizers")


@dataclass(frozen=True, slots=True)
class Kind:
    """What we must know of a family of models: its linear layers, whether it takes positions, its context.

    The family's logits must be the output embedding times the last hidden state, with no scale and no bias.
    """

    linear: tuple[str, ...]
    positions: bool = True
    eager: bool = False  # attention keeps all its scores, batch × heads × tokens²
    context: int | None = None  # tokens; None: the model's config says


_LLAMA = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
KINDS: Mapping[str, Kind] = {
    "bloom": Kind(
        ("query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"),
        positions=False,
        eager=True,
        context=2048,
    ),
    "gpt2": Kind(("c_attn", "c_proj", "c_fc")),
    "llama": Kind(_LLAMA),
    "mistral": Kind(_LLAMA),
    "qwen2": Kind(_LLAMA),
    "qwen3": Kind(_LLAMA),
}


def kind(model_type: str, where: Path) -> Kind:
    """The family of a model.

    Raises:
        InputError: if it is one we do not know how to train.
    """
    if model_type not in KINDS:
        raise InputError(f"{where} holds a {model_type!r} model; finground knows {', '.join(sorted(KINDS))}")
    return KINDS[model_type]


def lora(model: Any, settings: Lora) -> Any:
    """The model with fresh LoRA on every linear layer of attention and MLP; its own weights are frozen."""
    from peft import LoraConfig, get_peft_model

    model_type = model.config.model_type
    config = LoraConfig(
        task_type="CAUSAL_LM", r=settings.rank, lora_alpha=settings.alpha, lora_dropout=settings.dropout,
        target_modules=list(KINDS[model_type].linear), fan_in_fan_out=model_type == "gpt2",
    )  # fmt: skip
    return get_peft_model(model, config)


def soft_prompt(model: Any, virtual_tokens: int, first: list[int]) -> Any:
    """The frozen model with `virtual_tokens` trainable embeddings before its input.

    Args:
        first: token ids whose embeddings the soft prompt starts from (repeated or cut to fit); when there are
            none, ids drawn from the vocabulary (Lester et al. 2021, section 3.2).
    """
    import torch
    from peft import PromptTuningConfig, get_peft_model

    tuned = get_peft_model(
        model, PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=virtual_tokens)
    )
    embeddings = model.get_input_embeddings()
    if first:
        ids = torch.tensor((first * virtual_tokens)[:virtual_tokens])
    else:
        ids = torch.randint(embeddings.num_embeddings, (virtual_tokens,))
    with torch.no_grad():
        prompt = tuned.prompt_encoder["default"].embedding.weight
        prompt.copy_(embeddings(ids.to(embeddings.weight.device)))
    return tuned


def save(model: Any, folder: Path, about: Mapping[str, Any], done: Trained) -> None:
    """Write the adapter, its card and what was rejected, whole or not at all.

    Raises:
        FingroundError: if one of its numbers is not finite; nothing is written.
    """
    from peft import get_peft_model_state_dict
    from safetensors.torch import save_file

    state = get_peft_model_state_dict(model, save_embedding_layers=False)
    tensors = {name: state[name].detach().cpu().contiguous() for name in sorted(state)}
    check_finite(tensors, folder)
    with whole_folder(folder, dict(about)) as temporary:
        save_file(tensors, temporary / WEIGHTS, metadata={"format": "pt"})
        _write_config(model, temporary, str(about["base_digest"]))
        describe(temporary, about, done)


def describe(folder: Path, about: Mapping[str, Any], done: Trained) -> None:
    """The card, and a line for each row that training left out."""
    (folder / CARD).write_text(card.text(about, done))
    if done.rejected:
        rows = (
            {"row": row.row, "reason": row.reason, "why": row.why, "tokens": row.tokens}
            for row in done.rejected
        )
        write_rows(folder / REJECTED, rows)


def check_finite(tensors: Mapping[str, Any], folder: Path) -> None:
    """Refuse to save what is not a number.

    Raises:
        FingroundError: naming the first tensor.
    """
    import torch

    broken = [name for name, tensor in tensors.items() if not torch.isfinite(tensor).all()]
    if broken:
        raise FingroundError(f"{folder} was not written: {broken[0]} is not finite; a lower lr would help")


def read(model: Any, folder: Path, base_digest: str) -> Any:
    """The adapter of `folder` on `model`, frozen.

    Raises:
        InputError: if the folder is not a whole adapter, or was trained on another base.
    """
    from peft import PeftModel

    about = check(folder, base_digest)
    method, name, value = _size(json.loads((folder / CONFIG).read_text()))
    expected = (about["method"], about["settings"].get(name))
    if (method, value) != expected:
        raise InputError(
            f"{folder / CONFIG} says {method} of {name} {value}, its manifest says "
            f"{expected[0]} of {expected[1]}; train it again"
        )
    return PeftModel.from_pretrained(model, str(folder), local_files_only=True)


def check(folder: Path, base_digest: str, belongs: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The manifest of an adapter that belongs to this base, and to what else is named.

    Args:
        belongs: digests that its manifest must hold under the same names, such as a catalogue's.

    Raises:
        InputError: if the folder is not a whole adapter, or belongs elsewhere; names the difference.
    """
    about = manifest(folder)
    if not (folder / WEIGHTS).is_file() or "base_digest" not in about:
        raise InputError(
            f"{folder} is not an adapter (no {WEIGHTS}); give a folder that a training stage wrote"
        )
    if about["base_digest"] != base_digest:
        raise InputError(
            f"{folder} was trained on the base {about['base_digest'][:12]}, not on {base_digest[:12]}; "
            "train it again on this base, or give the base it belongs to"
        )
    for name, expected in (belongs or {}).items():
        if about.get(name) != expected:
            raise InputError(
                f"{folder} was trained on the {name} {str(about.get(name))[:12]}, not on {expected[:12]}; "
                f"train it again, or give back the {name} it belongs to"
            )
    damaged = [name for name in (CONFIG, WEIGHTS) if digest(folder / name) != about["files"].get(name)]
    if damaged and damaged != [CONFIG]:
        raise InputError(f"{folder / damaged[0]} has other bytes than its manifest says; train it again")
    return about


def about(
    method: str, settings: Any, loaded: Any, *, data: str, seed: int, quant: str, dtype: str
) -> dict[str, Any]:
    """What an adapter's manifest says: how it was trained and what it belongs to; no times, no paths."""
    return {
        "method": method, "base_digest": loaded.digest, "data_digest": data,
        "settings": settings.model_dump(mode="json"), "seed": seed, "quant": quant, "dtype": dtype,
        "four_bit_modules": loaded.four_bit_modules,
        "libraries": {name: version(name) for name in LIBRARIES},
    }  # fmt: skip


def _size(config: Mapping[str, Any]) -> tuple[str, str, int]:
    """Method, the setting that its tensors' sizes hang on, and its value, out of peft's config."""
    if config["peft_type"] == "LORA":
        return "lora", "rank", int(config["r"])
    return "soft prompt", "virtual_tokens", int(config["num_virtual_tokens"])


def _write_config(model: Any, folder: Path, base_digest: str) -> None:
    """peft's config, without this machine's paths, in an order that no hash seed changes."""
    config = model.peft_config["default"]
    config.save_pretrained(str(folder))
    plain = json.loads((folder / CONFIG).read_text())
    for key, value in plain.items():
        if isinstance(value, list):
            plain[key] = sorted(value)
    plain["base_model_name_or_path"] = f"sha256:{base_digest}"
    plain["inference_mode"] = True
    write_json(folder / CONFIG, plain)
