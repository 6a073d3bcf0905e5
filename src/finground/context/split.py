"""What is held out of training, and the check that it stayed out (law 8).

A metric counts as held out wherever it occurs, as primary or as related; so training uses only metrics
whose whole expansion is seen.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from finground.catalog.companies import Company
from finground.catalog.metrics import Metric
from finground.context.templates import Template
from finground.core.errors import FingroundError
from finground.records.request import Pair

TRAINED = ("train", "evaluation")
TESTS = ("test-seen", "test-new-template", "test-new-company", "test-new-metric")
NATURAL = "test-natural"


T = TypeVar("T")


class LeakError(FingroundError):
    """Something held out occurs where training sees it."""


@dataclass(frozen=True, slots=True)
class Held:
    """Ids of templates, companies and metrics that training never sees."""

    templates: frozenset[str]
    companies: frozenset[str]
    metrics: frozenset[str]

    def of(self, pair: Pair) -> dict[str, bool]:
        """Which of template, company and metric of a pair are held out."""
        return {
            "template": pair.template in self.templates,
            "company": any(
                entity.id in self.companies
                for entity in pair.request.entities
                if entity.kind in ("company", "peers")
            ),
            "metric": any(metric.slug in self.metrics for metric in pair.request.metrics),
        }


def hold_out(
    templates: Sequence[Template],
    companies: Sequence[Company],
    metrics: Sequence[Metric],
    share: float,
    rng: random.Random,
) -> Held:
    """A share of templates (of each kind), of companies and of metrics.

    Templates made around one body are held out together: the same question in a slightly other wording is
    not unseen. Metrics that fewest others are related to go first, so that holding one out costs training as
    little as possible.
    """
    kinds = dict.fromkeys(template.kind for template in templates)
    bodies = {kind: list(dict.fromkeys(t.body for t in templates if t.kind == kind)) for kind in kinds}
    held = {body for kind in kinds for body in _some(bodies[kind], share, rng)}
    leaned_on = Counter(slug for metric in metrics for slug in metric.related)
    shuffled = rng.sample(metrics, len(metrics))
    order = sorted(shuffled, key=lambda metric: leaned_on[metric.slug])
    return Held(
        frozenset(template.id for template in templates if template.body in held),
        frozenset(company.id for company in _some(companies, share, rng)),
        frozenset(metric.slug for metric in order[: max(round(share * len(order)), 1)]),
    )


def check(parts: Mapping[str, Sequence[Pair]], held: Held) -> None:
    """Refuse parts in which something held out is seen, or something called new is not.

    Raises:
        LeakError: naming the part, the pair and what leaked.
    """
    wanted: dict[str, dict[str, bool]] = {
        part: {"template": False, "company": False, "metric": False} for part in (*TRAINED, *TESTS)
    }
    for new in ("template", "company", "metric"):
        wanted[f"test-new-{new}"][new] = True
    for part, expected in wanted.items():
        for pair in parts[part]:
            _check_pair(pair, held.of(pair), expected)
    trained = {pair.query for part in TRAINED for pair in parts[part]}
    for part in (*TESTS, NATURAL):
        for pair in parts[part]:
            if pair.query in trained:
                raise LeakError(
                    f"the question {pair.query!r} of part {part} is also in training; nothing was written"
                )


def _check_pair(pair: Pair, found: Mapping[str, bool], expected: Mapping[str, bool]) -> None:
    for what, is_held in found.items():
        if is_held != expected[what]:
            state = "held out" if is_held else "seen in training"
            raise LeakError(
                f"part {pair.part} has a {what} that is {state}, in {pair.query!r} "
                f"(template {pair.template}); nothing was written"
            )


def _some(items: Sequence[T], share: float, rng: random.Random) -> list[T]:
    """A random share of the items; all but one may be held out, and none of fewer than two."""
    count = min(max(round(share * len(items)), 1), len(items) - 1)
    return rng.sample(list(items), max(count, 0))
