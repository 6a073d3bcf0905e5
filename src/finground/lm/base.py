"""Base models: made ready as a plain transformers folder, checked, loaded.

In: a name from params.yaml (`tiny`, `smollm2-135m`, a folder, or a hub id that `finground fetch base` has
brought). Out: a folder of safetensors, config and tokenizer, with a manifest. Nothing here uses the network
but `fetch`, nothing runs code that comes with a model, nothing opens a pickle (law 10).
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from finground.core.artifact import MANIFEST, manifest, whole_folder
from finground.core.artifact import digest as file_digest
from finground.core.errors import InputError
from finground.lm import adapter, device, plan
from finground.settings import Base

CONFIG, TOKENIZER = "config.json", "tokenizer.json"
KEPT = (
    CONFIG, "generation_config.json", TOKENIZER, "tokenizer_config.json", "special_tokens_map.json",
    "chat_template.jinja", "*.safetensors", "*.safetensors.index.json", "LICENSE*",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Loaded:
    """A causal model ready for use, its tokenizer, its folder's digest, how many of its layers are NF4."""

    model: Any
    tokenizer: Any
    digest: str
    four_bit_modules: int

    @property
    def pad(self) -> int:
        """The id that fills batches; never looked at, so it may be EOS."""
        return pad(self.tokenizer)


def prepare(base: Base, folder: Path, *, texts: Callable[[], Iterable[str]], seed: int) -> dict[str, Any]:
    """Write the base model into `folder`, whole or not at all, and return its manifest.

    Args:
        texts: what `tiny` learns its tokenizer and its weights from; not asked for by any other base.

    Raises:
        InputError: if the base is not to be had here, or is of a kind we cannot use.
    """
    about = {"name": base.name, "revision": base.revision}
    with whole_folder(folder, about) as temporary:
        if base.name == "tiny":
            from finground.lm import tiny

            about |= tiny.make(temporary, texts, steps=base.tiny_steps, seed=seed)
        elif base.name == "smollm2-135m":
            from finground.lm import packaged

            about |= packaged.convert(temporary, dtype=base.dtype)
        else:
            _copy(_found(base, folder), temporary)
        about |= describe(temporary)
    return manifest(folder)


def fetch(name: str, revision: str, folder: Path) -> None:
    """Download a model of the hub into `folder`; the only function here that uses the network.

    Raises:
        InputError: if the hub has no such model, or it is not to be reached.
    """
    os.environ["HF_HUB_OFFLINE"] = "0"  # here alone; read when huggingface_hub is first imported
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    with whole_folder(folder, {"name": name, "revision": revision}) as temporary:
        try:
            snapshot_download(name, revision=revision, local_dir=temporary, allow_patterns=list(KEPT))
        except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, ConnectionError) as error:
            raise InputError(
                f"{name} at {revision} could not be fetched ({type(error).__name__}); check name and network"
            ) from error
        shutil.rmtree(temporary / ".cache", ignore_errors=True)
        check(temporary)


def fetched(base: Base, folder: Path) -> Path:
    """Where `fetch` should put a hub model for the base that `prepare` will write to `folder`."""
    return folder.parent / "hub" / f"{base.name.replace('/', '--')}@{base.revision}"


def load(folder: Path, *, quant: str, dtype: str) -> Loaded:
    """The model of a folder on the device at hand; `nf4` means with double quantisation, also on the CPU.

    Raises:
        InputError: if the folder is no model, or NF4 cannot run here.
    """
    if quant == "nf4":
        device.check_four_bit()
    kind = check(folder)["model_type"]
    device.offline()
    model = _class(kind).from_pretrained(
        str(folder), dtype=device.number_type(dtype), device_map={"": device.device()}, use_safetensors=True,
        local_files_only=True, **({"quantization_config": _nf4(dtype)} if quant == "nf4" else {}),
    )  # fmt: skip
    quantised = [module for module in model.modules() if type(module).__name__ == "Linear4bit"]
    for module in quantised:
        module.support_avx512bf16_for_cpu = False  # else evaluation alone is in bfloat16, where the CPU can
    four_bit = len(quantised)
    if quant == "nf4" and not four_bit:
        raise InputError(
            f"quant: nf4 was asked, but no layer of {folder} could be quantised; write quant: none"
        )
    model.eval()
    return Loaded(model, tokenizer(folder), digest(folder), four_bit)


def tokenizer(folder: Path) -> Any:
    """The tokenizer of a model folder, a transformers fast tokenizer.

    Text that spells a special token is encoded as text: news cannot end a prompt.
    """
    check(folder)
    device.offline()
    from transformers import PreTrainedTokenizerFast

    loaded = PreTrainedTokenizerFast.from_pretrained(str(folder), local_files_only=True)
    loaded.split_special_tokens = True
    if loaded.eos_token_id is None:
        raise InputError(
            f"{folder} has a tokenizer without an end-of-text token; set eos_token in tokenizer_config.json"
        )
    return loaded


def encode(tokenizer: Any, texts: list[str], *, start: bool = True) -> list[list[int]]:
    """Token ids of each text, without an end; `start`: with what this model opens a text by.

    SentencePiece's tokenizers (Llama 2, Mistral) put a space before a text, which is not in what goes on
    after a prompt: that is read after a line's end, whose tokens are left out.
    """
    if not texts:
        return []
    lead = [] if not start else [i for i in tokenizer("")["input_ids"] if i != tokenizer.eos_token_id]
    words = tokenizer.backend_tokenizer
    words.encode_special_tokens = True  # a call of the tokenizer sets it anew
    if start or not words.encode("a", add_special_tokens=False).tokens[0].startswith("▁"):
        return [lead + one.ids for one in words.encode_batch(texts, add_special_tokens=False)]
    found = words.encode_batch(["\n" + text for text in texts], add_special_tokens=False)
    return [[i for i, (_, end) in zip(one.ids, one.offsets, strict=True) if end > 1] for one in found]


def pad(tokenizer: Any) -> int:
    """The tokenizer's pad id, or EOS where it has none."""
    return int(tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id)


def context(folder: Path) -> int:
    """How many tokens the model of a folder can see, its answer included; of a sliding window, the window."""
    config = check(folder)
    known = adapter.kind(config["model_type"], folder).context
    longest = int(known or config.get("max_position_embeddings") or config["n_positions"])
    slides = config.get("use_sliding_window", True) and config.get("sliding_window")
    return min(longest, int(slides)) if slides else longest


def digest(folder: Path) -> str:
    """sha256 over config, tokenizer and weights of a model folder; what an adapter says it belongs to."""
    if (folder / MANIFEST).is_file():
        files: dict[str, str] = manifest(folder)["files"]
    else:
        files = {path.name: file_digest(path) for path in folder.iterdir() if path.is_file()}
    model = {
        name: files[name] for name in files if name in (CONFIG, TOKENIZER) or name.endswith(".safetensors")
    }
    return hashlib.sha256(json.dumps(model, sort_keys=True).encode()).hexdigest()


def check(folder: Path) -> dict[str, Any]:
    """The config of a model folder that we can use.

    Raises:
        InputError: if files are missing, or the model brings code, is quantised, or is of an unknown kind.
    """
    missing = [name for name in (CONFIG, TOKENIZER) if not (folder / name).is_file()]
    if not any(folder.glob("*.safetensors")):
        missing.append("*.safetensors")
    if missing:
        raise InputError(f"{folder} is not a model folder: it has no {', no '.join(missing)}")
    config: dict[str, Any] = json.loads((folder / CONFIG).read_text())
    for key, why in (("auto_map", "brings its own code"), ("quantization_config", "is quantised already")):
        if key in config:
            raise InputError(f"{folder / CONFIG} has {key!r}: the model {why}; give a plain one")
    adapter.kind(config.get("model_type", "?"), folder)
    return config


def describe(folder: Path) -> dict[str, Any]:
    """Kind, size, vocabulary and context of a model folder, for its manifest."""
    config = check(folder)
    return {
        "model_type": config["model_type"], "parameters": sum(map(prod, shapes(folder).values())),
        "vocabulary": config["vocab_size"], "context": context(folder),
    }  # fmt: skip


def shapes(folder: Path) -> dict[str, tuple[int, ...]]:
    """The shape of every tensor of a model folder, out of the headers of its files."""
    from safetensors import safe_open

    found: dict[str, tuple[int, ...]] = {}
    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, framework="numpy") as opened:
            for key in opened.keys():  # noqa: SIM118 (not a mapping)
                found[key] = tuple(opened.get_slice(key).get_shape())
    return found


def planned(folder: Path, work: plan.Work) -> plan.Plan:
    """What this work on the model of a folder needs; nothing is loaded yet.

    Raises:
        InputError: if it does not fit here, or NF4 cannot run.
    """
    if work.quant == "nf4":
        device.check_four_bit()
    config = check(folder)
    kind = adapter.kind(config["model_type"], folder)
    heads = int(config.get("n_head", 0)) if kind.eager else 0
    return plan.check(plan.Model.of(shapes(folder), kind.linear, heads), work, folder)


def write(model: Any, tokenizer_from: Path, folder: Path) -> None:
    """A plain transformers folder out of a model in memory, with the tokenizer of another folder."""
    model.save_pretrained(str(folder))
    for path in sorted(tokenizer_from.iterdir()):
        kept = any(path.match(pattern) for pattern in KEPT if pattern != "*.safetensors")
        if kept and not (folder / path.name).exists():
            shutil.copyfile(path, folder / path.name)


def _found(base: Base, folder: Path) -> Path:
    for place in (Path(base.name), fetched(base, folder)):
        if place.is_dir():
            check(place)
            return place
    if re.fullmatch(r"[\w.-]+/[\w.-]+", base.name):
        raise InputError(f"base {base.name} is not on this machine; run `finground fetch base` first")
    raise InputError(
        f"base {base.name!r} is not a folder; write tiny, smollm2-135m, a folder, or an id of the hub"
    )


def _copy(source: Path, folder: Path) -> None:
    for pattern in KEPT:
        for path in source.glob(pattern):
            shutil.copyfile(path, folder / path.name)


def _class(model_type: str) -> Any:
    """The causal class of a family, by name: the Auto classes cost seconds to import."""
    import transformers

    names = {
        "bloom": "BloomForCausalLM", "gpt2": "GPT2LMHeadModel", "llama": "LlamaForCausalLM",
        "mistral": "MistralForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM",
    }  # fmt: skip
    return getattr(transformers, names[model_type])


def _nf4(dtype: str) -> Any:
    from transformers import BitsAndBytesConfig

    sharded = os.environ.get("ACCELERATE_USE_FSDP") == "true"  # FSDP shards what is stored as the others are
    storage = {"bnb_4bit_quant_storage": device.number_type(dtype)} if sharded else {}
    return BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=device.number_type(dtype), **storage,
    )  # fmt: skip
