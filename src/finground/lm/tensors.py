"""Trained weights and their optimiser as plain named tensors on the CPU, and back.

What is sharded over processes (FSDP) is gathered on the way out and sharded again on the way in, so a
checkpoint does not depend on how many processes wrote it.
"""

from collections.abc import Mapping
from typing import Any


def taken(weights: Mapping[str, Any], optimizer: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Tensors of weights and optimiser, on the CPU, and the optimiser's plain numbers."""
    import torch

    tensors: dict[str, Any] = {}
    scalars: dict[str, dict[str, Any]] = {}
    for name, weight in weights.items():
        tensors[f"weights/{name}"] = whole(weight)
        for key, value in optimizer.state[weight].items():
            if isinstance(value, torch.Tensor):
                tensors[f"optimizer/{key}/{name}"] = whole(value)
            else:
                scalars.setdefault(name, {})[key] = value
    return tensors, scalars


def put(
    tensors: Mapping[str, Any], scalars: Mapping[str, Any], weights: Mapping[str, Any], optimizer: Any
) -> None:
    """Back into weights and optimiser what `taken` took out."""
    import torch

    with torch.no_grad():
        for name, weight in weights.items():
            weight.copy_(like(tensors[f"weights/{name}"], weight))
            optimizer.state[weight] = dict(scalars.get(name, {}))
    for place, tensor in tensors.items():
        kind, _, rest = place.partition("/")
        if kind == "optimizer":
            key, _, name = rest.partition("/")
            optimizer.state[weights[name]][key] = like(tensor, weights[name])


def whole(tensor: Any) -> Any:
    """A copy on the CPU, gathered where it is sharded over processes."""
    gathered = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
    return gathered.detach().cpu().clone().contiguous()


def like(tensor: Any, weight: Any) -> Any:
    """A whole tensor, placed as the weight is."""
    placed = tensor.to(weight.device)
    if not hasattr(weight, "full_tensor") or tensor.shape != weight.shape:
        return placed
    from torch.distributed.tensor import distribute_tensor

    return distribute_tensor(placed, weight.device_mesh, weight.placements)
