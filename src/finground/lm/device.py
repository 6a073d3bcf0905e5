"""Where and how tensors live: device, number type, seeded generators, processes, and no network (law 10).

What fits is decided in `plan.py`, before anything loads.
"""

import importlib.util
import os
import sys
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
    """The accelerator of this process where there is one, else `cpu`."""
    import torch

    if os.environ.get("ACCELERATE_USE_CPU", "").lower() == "true" or not torch.cuda.is_available():
        return "cpu"
    return f"cuda:{os.environ.get('LOCAL_RANK', '0')}"


def hardware() -> str:
    """The device by its name, or the CPU with its threads."""
    import torch

    where = device()
    if where == "cpu":
        return f"cpu, {torch.get_num_threads()} threads"
    return str(torch.cuda.get_device_name(where))


def processes() -> int:
    """How many processes `accelerate launch` started; 1 without it."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def first_process() -> bool:
    """Whether this one writes artifacts: of several that train together, the first does."""
    return os.environ.get("RANK", "0") == "0"


def leave_to_first() -> None:
    """End every process but the first: training together is done, and what is left is for one to do."""
    if not first_process():
        sys.exit(0)


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


def optimizer(model: Any, weights: list[Any], lr: float) -> Any:
    """AdamW without weight decay; paged, as QLoRA has it, for a 4-bit model on a GPU."""
    import torch

    if weights[0].is_cuda and any(type(module).__name__ == "Linear4bit" for module in model.modules()):
        from bitsandbytes.optim import PagedAdamW32bit

        return PagedAdamW32bit(weights, lr=lr, weight_decay=0.0)
    return torch.optim.AdamW(weights, lr=lr, weight_decay=0.0, fused=True)


def check_four_bit() -> None:
    """Refuse NF4 where it cannot run, before anything heavy is imported (case T10).

    Raises:
        InputError: if bitsandbytes, or its library for this kind of machine, is not installed.
    """
    spec = importlib.util.find_spec("bitsandbytes")
    places = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    on_gpu = Path("/dev/nvidia0").exists() and os.environ.get("ACCELERATE_USE_CPU", "").lower() != "true"
    library = "libbitsandbytes_cuda*" if on_gpu else "libbitsandbytes_*"
    if not any(next(place.glob(library), None) for place in places):
        found = "has no library for this kind of machine" if places else "is not installed"
        raise InputError(f"quant: nf4 was asked, but bitsandbytes {found}; install it or write quant: none")
