"""Every score travels with what says how sure it is."""

import math
from dataclasses import dataclass

import pytest

from finground.bench import statistics


@dataclass(frozen=True)
class Loss:
    nll_sum: float
    tokens: int


def test_the_standard_error_is_the_sample_deviation_over_the_root_of_n():
    mean, error = statistics.mean_and_error([1.0, 0.0, 1.0, 0.0])
    assert mean == 0.5
    assert error == pytest.approx(math.sqrt(1 / 3) / 2)  # variance (4 x .25)/3


def test_one_value_has_no_standard_error_and_none_no_mean():
    assert statistics.mean_and_error([3.0]) == (3.0, None)
    with pytest.raises(ValueError, match="no values"):
        statistics.mean_and_error([])


def test_a_sign_flip_test_of_few_pairs_is_exact():
    # all of three differences are 1: of the 8 sign patterns, +++ and --- are as extreme
    assert statistics.sign_flip_p([2, 2, 2], [1, 1, 1], seed=1) == 0.25
    assert statistics.sign_flip_p([1, 2], [1, 2], seed=1) == 1.0


def test_a_sign_flip_test_agrees_with_scipy():
    scipy = pytest.importorskip("scipy.stats")
    first = [0.3, 0.9, 0.1, 0.8, 0.55, 0.62, 0.7, 0.2]
    second = [0.1, 0.7, 0.2, 0.4, 0.5, 0.6, 0.1, 0.25]
    exact = scipy.permutation_test(
        (first, second), lambda a, b, axis: (a - b).mean(axis), permutation_type="samples", n_resamples=10**6
    )
    assert statistics.sign_flip_p(first, second, seed=1) == pytest.approx(exact.pvalue)


def test_many_pairs_are_drawn_with_the_seed_and_never_give_a_p_of_zero():
    first, second = [1.0] * 40, [0.0] * 40
    p = statistics.sign_flip_p(first, second, seed=3)
    assert p == statistics.sign_flip_p(first, second, seed=3) == 1 / 10_001


def test_perplexity_weighs_documents_by_their_tokens():
    # 2 tokens at ln 2 and 1 at ln 16: exp((2 ln 2 + ln 16) / 3) = exp(2 ln 2) = 4
    losses = [Loss(2 * math.log(2), 2), Loss(math.log(16), 1)]
    assert statistics.perplexity(losses) == pytest.approx(4.0)


def test_two_models_are_compared_on_the_same_documents_only():
    plain = [Loss(math.log(8) * n, n) for n in (3, 5, 7)]
    adapted = [Loss(math.log(4) * n, n) for n in (3, 5, 7)]
    found = statistics.paired_perplexity(plain, adapted, seed=1)
    assert (found["plain"], found["adapted"]) == (pytest.approx(8), pytest.approx(4))
    assert [found[name] for name in ("ratio", "ratio_low", "ratio_high")] == pytest.approx([0.5] * 3)
    assert found["p"] == 0.25
    with pytest.raises(ValueError, match="same documents"):
        statistics.paired_perplexity(plain, adapted[:2], seed=1)
