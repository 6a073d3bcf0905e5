"""The GPU benchmark works where there is no GPU, on tiny configurations; its figures there mean nothing."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "gpu_7b.py"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


@pytest.mark.parametrize("model", ["bloom-7b1", "llama-8b"])
def test_every_method_and_stack_of_a_model_gives_a_line(
    script: dict[str, Any], model: str, capsys: pytest.CaptureFixture[str]
):
    script["main"](["--models", model, "--steps", "1", "--tiny"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith('{"')]
    assert [(line["method"], line["stack"]) for line in lines] == [
        (method, stack) for method in ("qlora", "prompt") for stack in ("ours", "stock")
    ]
    assert all(line["tokens_per_second"] > 0 and line["mfu"] is None for line in lines)


def test_without_a_gpu_the_real_sizes_are_refused(script: dict[str, Any]):
    with pytest.raises(SystemExit, match="no GPU is here"):
        script["main"]([])


def test_mfu_counts_four_flops_a_weight_of_a_linear_layer(script: dict[str, Any]):
    import torch

    layer = torch.nn.Sequential(torch.nn.Linear(1000, 500), torch.nn.Embedding(7, 3))
    assert script["mfu"](layer, 989e12 / (4 * 500_000) / 2, "NVIDIA H200") == 0.5
