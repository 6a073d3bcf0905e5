"""How far several readings of the same reports agree beyond chance: kappa, and a permutation test of it.

Sources: Cohen (1960) for two raters, Fleiss (1971) for several. Where only one label is ever given there is
nothing to agree on, and kappa is 0 (case B2).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ROUNDS = 999
CERTAIN = 0.05


@dataclass(frozen=True, slots=True)
class Agreement:
    """Kappa over `items` with `raters` readings each; `p` is how often chance does as well."""

    kappa: float
    p: float
    items: int
    raters: int
    unread: int

    @property
    def by_chance(self) -> bool:
        """Whether the readings may as well be chance: then nothing is to be built on them."""
        return self.kappa <= 0 or self.p > CERTAIN

    def __str__(self) -> str:
        said = f"kappa {self.kappa:.2f}, p {self.p:.3f}, {self.items} reports read {self.raters} times"
        return f"{said}, {self.unread} unread" if self.unread else said


def cohen_kappa(first: Sequence[str], second: Sequence[str]) -> float:
    """Agreement of two raters beyond chance, over the same items.

    Raises:
        ValueError: if the two are not of one length, or empty.
    """
    n = len(first)
    if not n or n != len(second):
        raise ValueError(f"{n} and {len(second)} labels; kappa wants as many of each, at least one")
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    counts, others = Counter(first), Counter(second)
    expected = sum(counts[label] * others[label] for label in counts) / n**2
    return 0.0 if expected == 1 else (observed - expected) / (1 - expected)


def agreement(ratings: Sequence[Sequence[int | None]], *, seed: int) -> Agreement:
    """Fleiss' kappa of ratings [items][raters]; a reading that could not be read (None) agrees with none.

    Raises:
        ValueError: if there are no items, fewer than two raters, or not as many for each.
    """
    widths = {len(row) for row in ratings}
    if len(widths) != 1 or min(widths) < 2:
        raise ValueError("kappa wants items that all have the same number of readings, two or more")
    unread = sum(value is None for row in ratings for value in row)
    labels = {
        value: at for at, value in enumerate(sorted({v for row in ratings for v in row if v is not None}))
    }
    fresh = iter(range(len(labels), len(labels) + unread))
    table = np.asarray([[next(fresh) if v is None else labels[v] for v in row] for row in ratings])
    kappa = _fleiss(table)
    rng = np.random.default_rng(seed)
    chance = [_fleiss(rng.permuted(table, axis=0)) for _ in range(ROUNDS)]
    p = (sum(value >= kappa - 1e-12 for value in chance) + 1) / (ROUNDS + 1)
    return Agreement(kappa, p, table.shape[0], table.shape[1], unread)


def _fleiss(table: "np.ndarray[tuple[int, int], np.dtype[np.int64]]") -> float:
    """Kappa of labels [items, raters]."""
    items, raters = table.shape
    width = int(table.max()) + 1
    cells = table + width * np.arange(items)[:, None]
    counts = np.bincount(cells.ravel(), minlength=items * width).reshape(items, width)
    observed = ((counts**2).sum(1) - raters).mean() / (raters * (raters - 1))
    expected = ((counts.sum(0) / (items * raters)) ** 2).sum()
    return 0.0 if expected == 1 else float((observed - expected) / (1 - expected))
