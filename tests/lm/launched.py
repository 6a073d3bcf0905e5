"""What `accelerate launch` runs in the tests: one LoRA training; the first process writes its losses.

`launched.py BASE OUT BATCH ACCUMULATE`
"""

import json
import sys
from pathlib import Path

from datasets import Dataset

from finground.lm import device, tune
from finground.settings import Lora

ROWS = Dataset.from_dict(
    {"prompt": [f"profit {i}" for i in range(22)], "target": [" rose" * (1 + i % 7) for i in range(22)]}
)


def main(base: str, out: str, batch: str, accumulate: str) -> None:
    settings = Lora(lr=1e-2, rank=4, epochs=2, batch=int(batch), accumulate=int(accumulate), save_every=2)
    done = tune.lora_tune(
        Path(base), ROWS, settings, quant="none", dtype="float32", out=Path(out) / "adapter", seed=7,
        keep=Path(out) / "run",
    )  # fmt: skip
    told = {"curve": done.curve, "ledger": done.ledger, "processes": done.processes}
    assert device.first_process()
    (Path(out) / "told.json").write_text(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
