"""k and t of news on pairs: precision and recall worked out by hand."""

import numpy as np
import pytest
from store_by_hand import headline, vectors_of, write

from finground.core.errors import InputError
from finground.store.tune import QUESTION, at_k, curve, draw, measure, read_pairs, weak_pairs


def test_precision_and_recall_over_t():
    scores = np.array([[0.5, 0.3, 0.1], [0.4, 0.2, 0.6]], dtype=np.float32)
    right = np.array([[True, False, True], [False, False, True]])
    points = {point.threshold: point for point in curve(scores, right)}
    assert (points[0.0].precision, points[0.0].recall) == (0.5, 1.0)
    assert (points[0.34].precision, points[0.34].recall) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert points[0.34].f1 == pytest.approx(2 / 3)
    assert (points[0.8].precision, points[0.8].recall, points[0.8].f1) == (1.0, 0.0, 0.0)


def test_recall_at_k_is_of_what_k_can_hold():
    scores = np.array([[0.9, 0.8, 0.1], [0.9, 0.2, 0.1]], dtype=np.float32)
    right = np.array([[True, False, True], [False, False, True]])
    assert (at_k(scores, right)[1], at_k(scores, right)[5]) == (0.5, 1.0)


def test_headlines_matched_to_companies_are_weak_pairs(world, tmp_path):
    with pytest.raises(InputError, match="no company of the store has 20 headlines"):
        weak_pairs(world.store)
    lines = [
        headline(f"20230701 {1 + n % 12}:{n:02}PM UTC", f"Beta rises {n} times", "BET") for n in range(22)
    ]
    write(world.raw / "news/reuters-headlines/many.jsonl", "".join(lines))
    world.ingest()
    pairs = weak_pairs(world.store)
    assert list(pairs) == [QUESTION.format("Beta Corp")] and len(pairs[QUESTION.format("Beta Corp")]) == 24
    points, ks = measure(world.store, pairs, vectors_of)
    assert points[0].threshold == 0 and set(ks) == {1, 5, 10, 20, 50, 100}
    draw(points, tmp_path / "news.png")
    assert (tmp_path / "news.png").stat().st_size > 1000


def test_pairs_of_a_file_are_read_and_a_damaged_line_is_named(tmp_path):
    path = write(
        tmp_path / "pairs.jsonl", '{"question": "a", "article": "n1"}\n{"question": "a", "article": "n2"}\n'
    )
    assert read_pairs(path) == {"a": {"n1", "n2"}}
    with pytest.raises(InputError, match="line 1"):
        read_pairs(write(tmp_path / "bad.jsonl", '{"question": "a"}\n'))
