"""Kappa against numbers worked out by hand and a reference; who always says the same agrees by chance."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finground.analyscore.agreement import agreement, cohen_kappa


def test_cohens_kappa_of_his_own_kind_of_table():
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: observed .7, expected .5 x .6 + .5 x .4 = .5, kappa .4
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohen_kappa(first, second) == pytest.approx(0.4)


def test_cohens_kappa_agrees_with_sklearn():
    metrics = pytest.importorskip("sklearn.metrics")
    first, second = list("abcabcaabbcc"), list("abccbaaabbca")
    assert cohen_kappa(first, second) == pytest.approx(metrics.cohen_kappa_score(first, second))


def test_fleiss_kappa_of_three_raters():
    # rows aaa, aab, bbb, bba: agreement 1, 1/3, 1, 1/3 = 2/3 on average; half a, half b: chance 1/2
    assert agreement([[1, 1, 1], [1, 1, 0], [0, 0, 0], [0, 0, 1]], seed=1).kappa == pytest.approx(1 / 3)


def test_a_judge_that_always_says_the_same_is_refused():  # B2
    found = agreement([[10] * 6] * 20, seed=1)
    assert found.kappa == 0 and found.by_chance


def test_a_judge_that_prefers_a_place_in_the_list_is_refused():
    found = agreement([[15, 0, 15, 0, 15, 0]] * 20, seed=1)
    assert found.kappa < 0 and found.by_chance


def test_readings_that_agree_are_not_chance_and_shuffled_ones_are():
    agreed = agreement([[value] * 6 for value in (0, 5, 8, 10) * 3], seed=1)
    assert agreed.kappa == pytest.approx(1) and not agreed.by_chance and agreed.p <= 0.01
    mixed = agreement(
        [[0, 5, 8, 10, 0, 5], [5, 8, 10, 0, 5, 8], [8, 10, 0, 5, 8, 10], [10, 0, 5, 8, 10, 0]], seed=1
    )
    assert mixed.by_chance


def test_unread_readings_agree_with_nothing():
    found = agreement([[None] * 6, [None] * 6, [None] * 6], seed=1)
    assert found.unread == 18 and found.by_chance


@settings(max_examples=20)
@given(st.lists(st.lists(st.sampled_from([0, 5, 10, None]), min_size=3, max_size=3), min_size=2, max_size=9))
def test_kappa_is_at_most_one_and_does_not_mind_who_reads_first(ratings):
    found = agreement(ratings, seed=1)
    assert found.kappa <= 1 + 1e-9
    assert agreement([row[::-1] for row in ratings], seed=1).kappa == pytest.approx(found.kappa)


def test_ratings_of_uneven_width_are_refused():
    with pytest.raises(ValueError, match="same number of readings"):
        agreement([[1, 2], [1]], seed=1)
