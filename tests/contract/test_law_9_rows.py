"""Law 9: the scores of a whole run travel with n, unread, error, seed, task version and commit."""

from pathlib import Path

import pytest
from small_root import COMMIT

from finground.core.artifact import read_json, read_rows
from finground.core.paths import Root
from finground.records.score import ScoreRow


@pytest.fixture(scope="module")
def rows(walked: Root) -> list[ScoreRow]:
    cells = [
        row
        for path in sorted(walked.ablation("1").parent.glob("*.jsonl"))
        for row in read_rows(path, ScoreRow)
    ]
    return [*read_rows(walked.scores, ScoreRow), *cells]


def test_every_score_says_of_how_many_and_of_what_code(rows: list[ScoreRow]):
    assert len(rows) > 200
    for row in rows:
        assert 0 <= row.n_unread <= row.n, row
        assert row.n >= 1
        assert row.n_truncated <= row.n
        assert row.commit == COMMIT and row.task_version >= 1


def test_the_error_is_left_out_only_where_it_is_not_defined(rows: list[ScoreRow]):
    """Of one item, of BLEU (a score of the whole), and of a loss over all tokens."""
    bare = [row for row in rows if row.stderr is None]
    assert [row for row in bare if row.n > 1 and row.metric not in ("bleu", "loss")] == []


def test_every_score_says_whose_labels_it_was_taken_on(rows: list[ScoreRow]):
    assert {(row.task, row.labels) for row in rows} == {
        ("request", "templates"),
        ("request", "by hand"),
        ("report", "template-writer"),
        ("report", "analyscore-rules"),
        ("analyscore", "template-writer"),
        ("analyscore", "analyscore-rules"),
        ("ablation", "template-writer"),
    }


def test_cells_of_the_ablation_carry_their_own_seed(rows: list[ScoreRow]):
    assert {(row.system, row.seed) for row in rows if row.task == "ablation"} == {
        ("writer@0.5", 1),
        ("writer@1.0", 1),
    }


def test_two_perplexities_are_compared_with_an_interval_and_a_p(walked: Root):
    metrics = read_json(walked.metrics("pretrain"))
    for part in ("by-date", "by-source"):
        assert metrics[f"{part}.ratio_low"] <= metrics[f"{part}.ratio"] <= metrics[f"{part}.ratio_high"]
        assert 0 < metrics[f"{part}.p"] <= 1


def test_the_table_does_not_call_anything_better(walked: Root):
    assert "better" not in walked.table.read_text().lower()


def test_results_hold_no_path_of_this_machine(walked: Root):
    texts = [path for path in walked.results.rglob("*") if path.suffix in (".md", ".json", ".jsonl", ".csv")]
    assert len(texts) > 15
    assert [path.name for path in texts if str(Path(walked.folder)) in path.read_text()] == []
