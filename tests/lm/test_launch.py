"""The same command under `accelerate launch` with two CPU processes gives the losses of one process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.torch import load_file

pytestmark = pytest.mark.slow
SCRIPT = Path(__file__).parent / "launched.py"


def launch(words, base, out, *sizes):
    out.mkdir()
    command = [sys.executable, *map(str, [*words, SCRIPT, base, out, *sizes])]
    paths = os.pathsep.join([str(SCRIPT.parents[2] / "src"), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return json.loads((out / "told.json").read_text())


def two_processes(port):
    settings = SCRIPT.parents[2] / "docs" / "accelerate" / "two-cpu.yaml"
    return ["-m", "accelerate.commands.launch", "--config_file", settings, "--main_process_port", port]


@pytest.mark.parametrize(("batch", "accumulate"), [(4, 1), (3, 2)])
def test_two_processes_give_the_losses_of_one(models, tmp_path, batch, accumulate):
    """Of 22 rows in batches of 3 the last has a single one, so one process gets nothing of it."""
    one = launch([], models["llama"], tmp_path / "one", batch, accumulate)
    two = launch(two_processes(29611 + batch), models["llama"], tmp_path / "two", batch, accumulate)
    assert (one["processes"], two["processes"]) == (1, 2)
    assert [step for step, _ in two["curve"]] == [step for step, _ in one["curve"]]
    losses = [[loss for _, loss in told["curve"]] for told in (one, two)]
    assert losses[1] == pytest.approx(losses[0], abs=1e-5)
    ours, theirs = (
        load_file(tmp_path / name / "adapter" / "adapter_model.safetensors") for name in ("two", "one")
    )
    assert max(float((ours[name] - theirs[name]).abs().max()) for name in theirs) < 1e-4
    for books in (one["ledger"], two["ledger"]):
        assert books["documents_in"] == books["documents_trained"] == 44
        assert books["tokens_in"] == books["tokens_trained"] + books["tokens_padded"]
    assert one["ledger"]["tokens_trained"] == two["ledger"]["tokens_trained"]
