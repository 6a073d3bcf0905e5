"""The loss at Bloom's vocabulary: as the full computation, in a fraction of its memory (case T12)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "train.py"


@pytest.mark.slow
def test_at_250880_words_it_equals_the_full_computation_and_adds_little_memory():
    told = subprocess.run(
        [sys.executable, str(BENCHMARK), "loss"], capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    figure = json.loads(told.stdout)
    assert figure["loss_difference"] < 1e-6 * 14 and figure["largest_gradient_difference"] < 1e-6
    assert figure["added_gb"] <= 0.3 < figure["full_added_gb"]
