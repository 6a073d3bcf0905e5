"""Law 7: the same inputs, settings and seed give the same bytes, wherever the root lies."""

from pathlib import Path

import pytest
from small_root import copy, digests, leftovers, run

from finground.core.paths import Root


@pytest.fixture(scope="module")
def again(walked: Root, tmp_path_factory: pytest.TempPathFactory) -> Root:
    """The quick stages once more, in another folder, over what the first run left."""
    root = copy(walked, tmp_path_factory.mktemp("again") / "root")
    run(root, "corpus", "context", "agent@plain", "stocksis", "writer", "table")
    return root


@pytest.mark.parametrize(
    "place", ["data/corpus", "data/context", "models/agent-plain", "data/stocksis", "models/writer"]
)
def test_a_stage_run_twice_gives_the_same_bytes(walked: Root, again: Root, place: str):
    first, second = digests(walked.folder / place), digests(again.folder / place)
    assert first == second
    assert any(name.endswith((".jsonl", ".safetensors")) for name in first)


@pytest.mark.parametrize("stage", ["corpus", "context", "agent-plain", "stocksis", "writer", "table"])
def test_so_are_its_numbers(walked: Root, again: Root, stage: str):
    assert walked.metrics(stage).read_bytes() == again.metrics(stage).read_bytes()


def test_so_are_the_table_and_the_plots(walked: Root, again: Root):
    tables = [root.table.read_text().partition("## Settings")[0] for root in (walked, again)]
    assert tables[0] == tables[1]
    assert digests(walked.plots) == digests(again.plots)


def test_the_second_run_leaves_nothing_of_the_first_beside_it(again: Root):
    assert leftovers(again) == []


def test_a_snapshot_of_the_same_store_is_the_same_by_its_dump(walked: Root, tmp_path: Path):
    from finground.catalog.dates import as_of_of
    from finground.store.reader import Store
    from finground.store.snapshot import dump_digest, snapshot

    with Store.open(walked.live) as live:
        snapshot(live, tmp_path / "snapshot", as_of=as_of_of("2025-06-30"))
    with Store.open(walked.frozen) as first, Store.open(tmp_path / "snapshot" / "store.db") as second:
        assert dump_digest(first) == dump_digest(second)


def test_another_seed_gives_other_pairs(walked: Root, tmp_path: Path):
    other = copy(walked, tmp_path / "root", seed=8)
    run(other, "context")
    assert digests(other.context) != digests(walked.context)
