"""Numbers beside every score: standard errors, intervals, paired tests, perplexity. Seeded, and numpy only.

Sources: bootstrap percentile intervals and sign-flip (paired permutation) tests as in Efron and Tibshirani
(1993), chapters 13 and 15; perplexity is exp(sum of token losses / number of tokens).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

ROUNDS = 2000
Floats = npt.NDArray[np.float64]


class Loss(Protocol):
    """A document's summed loss in nats and its number of predicted tokens (`lm.pretrain.DocumentLoss`)."""

    @property
    def nll_sum(self) -> float: ...
    @property
    def tokens(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its bootstrap interval."""

    value: float
    low: float
    high: float


def mean_and_error(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean and its standard error (sample deviation over the root of n), None for a single value.

    Raises:
        ValueError: if there are no values.
    """
    if not len(values):
        raise ValueError("there is no mean of no values")
    array = np.asarray(values, dtype=np.float64)
    stderr = float(array.std(ddof=1) / math.sqrt(len(array))) if len(array) > 1 else None
    return float(array.mean()), stderr


def t_interval(value: float, stderr: float | None, n: int, level: float = 0.95) -> tuple[float, float] | None:
    """Student's interval of a mean of n values; None where it has no standard error."""
    if stderr is None or n < 2:
        return None
    from scipy.stats import t

    half = float(t.ppf((1 + level) / 2, n - 1)) * stderr
    return value - half, value + half


def wilson(rate: float, n: int) -> tuple[float, float]:
    """Wilson's 95% interval (1927) of a rate over n items; it has a width at 0 and at 1 too."""
    z = 1.959964
    middle = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * math.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def wilson_bars(rates: Sequence[tuple[float, int]]) -> list[list[float]]:
    """How far Wilson's intervals of (rate, n) reach below and above, as matplotlib's `yerr`."""
    ends = [(rate, *wilson(rate, n)) for rate, n in rates]
    return [
        [max(rate - low, 0.0) for rate, low, _ in ends],
        [max(high - rate, 0.0) for rate, _, high in ends],
    ]


def paired(first: Sequence[float], second: Sequence[float], *, seed: int) -> tuple[Interval, float]:
    """The mean difference over the same items with its 95% bootstrap interval, and the sign-flip p.

    Raises:
        ValueError: if the two are not of one length, or empty.
    """
    differences = np.asarray([a - b for a, b in zip(first, second, strict=True)], dtype=np.float64)
    drawn = differences[_draws(len(differences), seed, ROUNDS)].mean(1)
    return _interval(float(differences.mean()), drawn, 0.95), sign_flip_p(first, second, seed=seed)


def sign_flip_p(first: Sequence[float], second: Sequence[float], *, seed: int, rounds: int = 10_000) -> float:
    """Two-sided p of the mean paired difference, were each sign a coin's toss; exact up to 12 pairs.

    Raises:
        ValueError: if the two are not of one length.
    """
    differences = np.asarray([a - b for a, b in zip(first, second, strict=True)], dtype=np.float64)
    if not differences.any():
        return 1.0
    n = len(differences)
    if n <= 12:
        signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        return float((np.abs(signs @ differences) >= abs(differences.sum()) - 1e-12).mean())
    flips = 1 - 2 * np.random.default_rng(seed).integers(0, 2, (rounds, n), dtype=np.int8)
    extreme = int((np.abs(flips @ differences) >= abs(differences.sum()) - 1e-12).sum())
    return (extreme + 1) / (rounds + 1)


def area_under_roc(sure: Sequence[float], right: Sequence[float]) -> float:
    """How often a right item is surer than a wrong one, ties counted half (Mann and Whitney 1947).

    Raises:
        ValueError: if all are right, or none.
    """
    from scipy.stats import rankdata

    ranks, good = rankdata(sure), np.asarray(right, dtype=bool)
    count = int(good.sum())
    if not 0 < count < len(good):
        raise ValueError("a curve needs right items and wrong ones")
    above = float(ranks[good].sum()) - count * (count + 1) / 2
    return above / (count * (len(good) - count))


def perplexity(losses: Sequence[Loss]) -> float:
    """exp of the loss per token over all documents.

    Raises:
        ValueError: if there are no tokens.
    """
    nll, tokens = _sums(losses)
    if not tokens.sum():
        raise ValueError("there is no perplexity of no tokens")
    return math.exp(nll.sum() / tokens.sum())


def paired_perplexity(plain: Sequence[Loss], adapted: Sequence[Loss], *, seed: int) -> dict[str, float]:
    """Perplexity of two models on the same documents, with what separates them.

    `ratio` is adapted over plain, below 1 where adapting helped; its 95% interval draws whole documents,
    the same for both; `p` is of the sign-flip test on the loss per token of each document.

    Raises:
        ValueError: if the documents are not the same ones.
    """
    first, tokens = _sums(plain)
    second, same = _sums(adapted)
    if not np.array_equal(tokens, same):
        raise ValueError("the two models were not measured on the same documents, token for token")
    log_ratio = [
        (second[d].sum() - first[d].sum()) / tokens[d].sum() for d in _draws(len(tokens), seed, ROUNDS)
    ]
    before, after = perplexity(plain), perplexity(adapted)
    ratio = _interval(after / before, np.exp(log_ratio), 0.95)
    p = sign_flip_p((second / tokens).tolist(), (first / tokens).tolist(), seed=seed)
    return {
        "documents": float(len(tokens)), "tokens": float(tokens.sum()), "plain": before, "adapted": after,
        "ratio": ratio.value, "ratio_low": ratio.low, "ratio_high": ratio.high, "p": p,
    }  # fmt: skip


def _sums(losses: Sequence[Loss]) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Summed losses and token counts, [documents] each."""
    nll = np.asarray([loss.nll_sum for loss in losses], dtype=np.float64)
    return nll, np.asarray([loss.tokens for loss in losses], dtype=np.int64)


def _draws(n: int, seed: int, rounds: int) -> npt.NDArray[np.int64]:
    """Indices drawn with replacement, [rounds, n].

    Raises:
        ValueError: if there is nothing to draw from.
    """
    if n == 0:
        raise ValueError("there is no interval over no items")
    return np.random.default_rng(seed).integers(0, n, (rounds, n))


def _interval(value: float, drawn: Floats, level: float) -> Interval:
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(value, float(low), float(high))
