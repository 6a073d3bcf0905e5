"""Weights and optimiser leave as plain tensors and come back, sharded or not."""

import pytest
import torch
from torch.distributed.tensor import DTensor, distribute_tensor

from finground.lm.tensors import put, taken, whole


@pytest.fixture
def mesh(tmp_path):
    """One process that takes itself for several: enough for sharded tensors to be such."""
    store = torch.distributed.FileStore(str(tmp_path / "store"), 1)
    torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    yield torch.distributed.device_mesh.init_device_mesh("cpu", (1,))
    torch.distributed.destroy_process_group()


def stepped(weights, lr=0.1):
    optimizer = torch.optim.AdamW(list(weights.values()), lr=lr)
    for weight in weights.values():
        weight.grad = torch.ones_like(weight)
    optimizer.step()
    return optimizer


def plain(seed):
    generator = torch.Generator().manual_seed(seed)
    return {name: torch.nn.Parameter(torch.randn(4, 3, generator=generator)) for name in ("a.x", "b/y")}


def sharded(seed, mesh):
    return {
        name: torch.nn.Parameter(distribute_tensor(weight.detach(), mesh))
        for name, weight in plain(seed).items()
    }


def same(weights, optimizer, others, other_optimizer):
    for name in weights:
        assert torch.equal(whole(weights[name]), whole(others[name]))
        mine, theirs = optimizer.state[weights[name]], other_optimizer.state[others[name]]
        assert mine.keys() == theirs.keys() == {"step", "exp_avg", "exp_avg_sq"}
        assert all(torch.equal(whole(mine[key]), whole(theirs[key])) for key in mine)


def test_what_is_taken_out_is_what_comes_back():
    weights = plain(1)
    optimizer = stepped(weights)
    others = plain(2)
    fresh = torch.optim.AdamW(list(others.values()), lr=0.1)
    put(*taken(weights, optimizer), others, fresh)
    same(weights, optimizer, others, fresh)


def test_sharded_weights_are_gathered_and_sharded_again(mesh):
    weights = sharded(1, mesh)
    optimizer = stepped(weights)
    tensors, scalars = taken(weights, optimizer)
    assert not any(isinstance(tensor, DTensor) for tensor in tensors.values())
    others = sharded(2, mesh)
    fresh = torch.optim.AdamW(list(others.values()), lr=0.1)
    put(tensors, scalars, others, fresh)
    same(weights, optimizer, others, fresh)
    assert all(isinstance(weight, DTensor) for weight in others.values())
    assert isinstance(fresh.state[others["a.x"]]["exp_avg"], DTensor)


def test_a_checkpoint_of_one_process_is_one_of_several(mesh):
    weights = plain(1)
    optimizer = stepped(weights)
    others = sharded(2, mesh)
    fresh = torch.optim.AdamW(list(others.values()), lr=0.1)
    put(*taken(weights, optimizer), others, fresh)
    same(weights, optimizer, others, fresh)
