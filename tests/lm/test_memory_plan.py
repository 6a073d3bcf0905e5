"""What fits is said before anything loads; how near the estimate comes is measured in benchmarks/train.py."""

import logging
import resource
import subprocess
import sys

import pytest
from made_models import LINEAR

from finground.core.errors import InputError
from finground.lm import base, plan

BLOOM_7B = plan.Model(  # bigscience/bloom-7b1: 30 layers, 4,096 wide, 250,880 words
    [(12288, 4096), (4096, 4096), (16384, 4096), (4096, 16384)] * 30, 7_069_016_064, 250_880, 4096, 30, 32
)


def work(**changed):
    known = {"quant": "none", "dtype": "bfloat16", "rows": 1, "tokens": 1024, "rank": 16}
    return plan.Work(**{**known, **changed})


def test_the_shapes_of_the_files_give_the_sizes_of_the_model(models):
    for kind, layers in LINEAR.items():
        shapes = base.shapes(models[kind])
        linear = base.adapter.KINDS[kind].linear
        found = plan.Model.of(shapes, linear, 4)
        assert len(found.linear) == layers and found.layers == 2
        assert found.parameters == base.describe(models[kind])["parameters"]


def test_weights_of_bloom_7b_in_three_forms():
    sizes = {
        "float32": plan.Plan.of(BLOOM_7B, work(dtype="float32")).weights,
        "bfloat16": plan.Plan.of(BLOOM_7B, work()).weights,
        "nf4": plan.Plan.of(BLOOM_7B, work(quant="nf4")).weights,
    }
    assert sizes["float32"] == 4 * 7_069_016_064 and sizes["bfloat16"] == 2 * 7_069_016_064
    # 6.04e9 weights at 0.5159 bytes, 1.03e9 in bfloat16, and one layer of 4,096 × 16,384 dequantised
    assert sizes["nf4"] == pytest.approx(6_039_797_760 * 0.51587 + 1_029_218_304 * 2 + 134_217_728, rel=1e-4)


def test_trained_weights_cost_sixteen_bytes_and_checkpointing_saves_activations():
    lora = plan.Plan.of(BLOOM_7B, work())
    assert lora.trained == 16 * 16 * 30 * (16384 + 8192 + 20480 + 20480)
    assert plan.Plan.of(BLOOM_7B, work(rank=None, virtual_tokens=20)).trained == 16 * 20 * 4096
    assert plan.Plan.of(BLOOM_7B, work(gradient_checkpointing=True)).activations < lora.activations / 10


def test_what_does_not_fit_is_one_sentence_that_names_what_would(llama, monkeypatch):
    monkeypatch.setattr(plan, "available", lambda: 12e9)
    with pytest.raises(InputError, match=r"does not fit: bfloat16.* would need about .* GB") as error:
        plan.check(BLOOM_7B, work(gradient_checkpointing=True), llama)
    assert "quant: nf4 would" in str(error.value)
    monkeypatch.setattr(plan, "available", lambda: 1e9)
    with pytest.raises(InputError, match="give a machine with more memory, or a smaller base"):
        plan.check(BLOOM_7B, work(), llama)


def test_the_plan_is_printed(llama, caplog):
    with caplog.at_level(logging.INFO, "finground"):
        base.planned(llama, work(quant="nf4", dtype="float32"))
    assert "plan: " in caplog.text and "nf4 in float32, 1 × 1024 tokens, on cpu" in caplog.text


def test_nf4_where_it_cannot_run_is_refused_within_two_seconds(walked, tmp_path):
    """The whole command, in a process in which bitsandbytes is not to be found (case T10)."""
    from small_root import copy

    root = copy(walked, tmp_path / "root")
    code = (
        "import sys, importlib.util as u; found = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'bitsandbytes' else found(name, *more)\n"
        f"from finground.cli import main; main(['run', 'pretrain', '--root', {str(root.folder)!r}])"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert said.returncode == 2 and "quant: nf4 was asked, but bitsandbytes is not installed" in said.stderr
    assert "Traceback" not in said.stderr
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2  # of its processor
