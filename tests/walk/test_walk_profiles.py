"""All three profiles run whole on a tiny base, counts divided by a thousand, on an invented raw folder."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from small_root import make, run

from finground.core.artifact import read_json
from finground.core.paths import Root
from finground.graph import names
from finground.project import profile_text
from finground.settings import load

pytestmark = pytest.mark.slow
# counts by section, each with the fewest that its stage can work with
COUNTS = {
    "corpus": {"max_documents": 60, "holdout_documents": 2},
    "pretrain": {"max_steps": 1},
    "context": {"pairs": 40, "test_pairs": 8},
    "agent": {"max_steps": 1},
    "stocksis": {"pairs": 4},
    "writer": {"max_steps": 1},
    "bench": {"questions": 1, "reports": 1, "new_tokens": 24},
    "ablate": {"reports": 1},
    "sample": {"news": 60, "stories": 120},
}
# what the sample's texts and dates are, where a profile was made for others
FITTING: dict[str, dict[str, Any]] = {
    "demo": {},
    "small": {
        "corpus": {"holdout_from": "2025-03-01", "evaluation": []},
        "snapshot": {"as_of": "2026-06-30"},
    },
    "paper": {
        "corpus": {"holdout_from": "2024-06-01", "evaluation": []},
        "snapshot": {"as_of": "2024-10-31"},
    },
}


def reduced(profile: str, raw: Path) -> dict[str, Any]:
    """The profile's values; counts a thousandth, the rest as it is shipped."""
    values = yaml.safe_load(profile_text(profile))
    for section, counts in COUNTS.items():
        for key, fewest in counts.items():
            if (count := values.get(section, {}).get(key)) is not None or key == "max_steps":
                values[section][key] = max((count or 0) // 1000, fewest)
    for section, chosen in FITTING[profile].items():
        values[section] = {**values[section], **chosen}
    values["writer"]["max_tokens"] = max(values["writer"]["max_tokens"], 2048)
    base = {**values["base"], "name": "tiny", "dtype": "float32", "tiny_steps": 1}
    return {**values, "base": base, "track": False, "raw": values["raw"] if "sample" in values else str(raw)}


@pytest.mark.parametrize("profile", ["demo", "small", "paper"])
def test_a_profile_runs_whole(profile: str, walked: Root, tmp_path: Path):
    root = make(tmp_path / profile, reduced(profile, walked.sample))
    numbers = run(root, "all")
    settings = load(root.params)
    assert list(numbers) == list(names(settings))
    text = root.table.read_text()
    assert f"profile `{profile}`" in text
    assert ("invented companies" in text) == (profile == "demo")
    assert read_json(root.metrics("pretrain"))["four_bit_modules"] == 14
    cells = len(settings.ablate.fractions) * len(settings.ablate.seeds)
    assert len(list(root.ablation("1").parent.glob("*.jsonl"))) == cells
