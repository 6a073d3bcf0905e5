"""Where and how tensors live: device, number type, seeded generators, and no network (law 10)."""

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from finground.core.errors import InputError


def offline() -> None:
    """Keep the hub libraries off the network and off stderr; call it before importing any of them."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()


def device() -> str:
    """The accelerator where there is one, else `cpu`."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def number_type(name: str) -> Any:
    """The torch dtype of a settings word.

    Raises:
        InputError: if it is neither float32 nor bfloat16.
    """
    import torch

    types = {"float32": torch.float32, "bfloat16": torch.bfloat16}
    if name not in types:
        raise InputError(f"dtype {name!r} is not known; write float32 or bfloat16")
    return types[name]


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Inside, torch draws from `seed`; outside, its generators are as they were."""
    import torch

    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(seed)
        yield


def check_four_bit() -> None:
    """Refuse NF4 where it cannot run, before anything heavy is imported (case T10).

    Raises:
        InputError: if bitsandbytes, or its library for this kind of machine, is not installed.
    """
    spec = importlib.util.find_spec("bitsandbytes")
    places = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    if not any(next(place.glob("libbitsandbytes_*"), None) for place in places):
        found = "has no library for this kind of machine" if places else "is not installed"
        raise InputError(f"quant: nf4 was asked, but bitsandbytes {found}; install it or write quant: none")
