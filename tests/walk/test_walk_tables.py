"""The tables of a small root: what stands beside each score, and the ablation's nested cells."""

import csv
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_root import COMMIT, Said

from finground.bench.ablate import nested
from finground.core.artifact import read_json, read_rows
from finground.core.paths import Root
from finground.records.score import ScoreRow


@pytest.fixture
def text(walked: Root) -> str:
    return walked.table.read_text()


def test_the_table_says_what_was_run_on_what(text: str):
    assert "profile `demo`" in text
    assert "invented companies; no figure here is real" in text
    assert f"commit `{COMMIT}`" in text


def test_every_score_stands_with_n_unread_and_truncated(text: str):
    heads = [line for line in text.splitlines() if line.startswith("| part | system |")]
    heads = [line for line in heads if "| sure |" not in line and "| differs" not in line]
    assert len(heads) == 5
    assert all(line.endswith("| n | unread | truncated |") for line in heads)


def test_unread_replies_are_shown_and_counted_in_n(walked: Root, text: str):
    rows = [row for row in read_rows(walked.scores, ScoreRow) if row.metric == "exact_match"]
    whole = [row for row in rows if "/" not in row.part]
    assert len(whole) == 20
    for row in whole:
        line = next(li for li in text.splitlines() if li.startswith(f"| {row.part} | {row.system} |"))
        assert line.endswith(f"| {row.n} | {row.n_unread} | {row.n_truncated} |")
        assert row.value <= 1 - row.n_unread / row.n


def test_scores_on_the_template_writers_labels_are_called_imitation(text: str):
    writers = text.partition("## Writers")[2].partition("## Ablation")[0]
    ablation = text.partition("## Ablation")[2]
    named = [line for line in writers.splitlines() if line.startswith("| new-")]
    assert {line.split(" | ")[1].partition(" **invalid")[0] for line in named} == {
        "template (*imitation*)", "base", "base-few-shot (*imitation*)", "writer (*imitation*)",
    }  # fmt: skip
    assert "AnalyScore (*imitation* of the template writer, no quality)" in ablation
    assert "better" not in text.lower().replace("no better", "")


def test_the_papers_stand_beside_ours(text: str):
    for theirs in ("FinBloom: Reuters", "FinBloom 7B", "FinSphere, Table 2", "FinSphere, Table 3"):
        assert theirs in text


def test_the_papers_numbers_are_recomputed(text: str):
    """P1 to P6; each was added up by hand from the papers' own tables."""
    lines = text.partition("## The papers' numbers, recomputed")[2].partition("## Settings")[0].splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| P")]
    assert [(id, printed, recomputed) for id, _, printed, recomputed in rows] == [
        ("P1", "70.88", "69.88"),
        ("P1", "27.16", "26.16"),
        ("P2", "40.05", "45.05"),
        ("P3", "–", "0 of 100"),
        ("P3", "–", "0 of 100"),
        ("P4", "100", "80; 80"),
        ("P5", "89%", "89 of 100"),
        ("P5", "–", "70.20"),
        ("P6", "3.78, 3.99, 4.21", "3.78, 3.99, 4.21"),
    ]


def test_the_table_is_printed_and_copied(
    walked: Root, finground: Callable[..., Said], tmp_path: Path, text: str
):
    said = finground("table", "--root", walked.folder, "--copy", tmp_path / "docs" / "results.md")
    assert (said.code, said.out) == (0, text)
    assert (tmp_path / "docs" / "results.md").read_text() == text


def test_a_table_that_is_not_made_yet_says_which_command_makes_it(
    finground: Callable[..., Said], tmp_path: Path
):
    said = finground("table", "--root", tmp_path)
    assert said.code == 2
    assert "finground run table" in said.sentence


def test_the_learning_curve_ends_in_the_agent_of_the_bench(walked: Root, text: str):
    section = text.partition("## Agents: learning curve")[2].partition("\n## ")[0]
    systems = [line.split(" | ")[1] for line in section.splitlines() if line.startswith("| test-seen |")]
    assert systems == ["agent@0.5", "agent@1.0"]
    last = next(line for line in section.splitlines() if line.startswith("| test-seen | agent@1.0 |"))
    bench = next(line for line in text.splitlines() if line.startswith("| test-seen | agent-domain |"))
    assert last.split(" | ")[2] == bench.split(" | ")[2]
    assert (walked.plots / "learning.png").stat().st_size > 0


def test_a_point_of_the_learning_curve_was_trained_on_its_fraction(walked: Root):
    point, whole = (read_json(walked.metrics(name)) for name in ("learning@0.5", "agent@domain"))
    assert 2 * point["evaluation.loss"] > whole["evaluation.loss"]
    rows = list(read_rows(walked.learning("0.5"), ScoreRow))
    assert {row.task for row in rows} == {"learning"}
    assert {row.n for row in rows if row.part == "evaluation"} == {2}


def test_the_plot_has_a_point_for_every_cell_and_part(walked: Root):
    with (walked.plots / "ablation.csv").open() as opened:
        points = {(row["fraction"], row["seed"], row["part"]) for row in csv.DictReader(opened)}
    assert points == {
        (fraction, "1", part) for fraction in ("0.5", "1.0") for part in ("new-time", "new-company")
    }


@given(st.integers(1, 60), st.integers(0, 9), st.floats(0.01, 1), st.floats(0.01, 1))
def test_the_smaller_fraction_lies_within_the_larger_of_the_same_seed(count, seed, one, other):
    small, large = sorted((one, other))
    within = nested(range(count), small, seed)
    assert set(within) <= set(nested(range(count), large, seed))
    assert len(within) == math.ceil(small * count)


def test_another_seed_draws_other_pairs():
    assert nested(range(50), 0.5, 1) != nested(range(50), 0.5, 2)
    assert nested(range(50), 1.0, 1) == nested(range(50), 1.0, 2) == list(range(50))
