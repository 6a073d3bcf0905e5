"""Two systems on the same questions: the mean difference, its interval, and whether it may be chance (law 9).

AnalyScore is compared only between systems that imitate nobody: what learned the template writer's reports is
close to its rules by construction. Errors against the data are compared for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from finground.bench.statistics import paired
from finground.records.score import Comparison
from finground.stocksis.pair import TEMPLATE

AGAINST_DATA = ("ungrounded", "figures_right", "coverage")
AS_QUALITY = ("eligible", "total")


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of each question for one system, in one order of questions for all."""

    system: str
    labels: str
    values: tuple[dict[str, float], ...]

    def of(self, metric: str) -> list[float]:
        """One value a question."""
        return [values[metric] for values in self.values]


def compare(measured: Sequence[Measured], part: str, *, seed: int) -> tuple[Comparison, ...]:
    """Every pair of systems by every metric that may be compared; the first minus the second."""
    rows = []
    for first, second in combinations(measured, 2):
        imitated = TEMPLATE in (first.labels, second.labels)
        for metric in AGAINST_DATA if imitated else (*AGAINST_DATA, *AS_QUALITY):
            difference, p = paired(first.of(metric), second.of(metric), seed=seed)
            values = (difference.value, difference.low, difference.high, p, len(first.values))
            rows.append(Comparison(first.system, second.system, part, metric, *values))
    return tuple(rows)
