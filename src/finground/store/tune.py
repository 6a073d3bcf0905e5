"""Which threshold t and how many k news searches should have: precision and recall over t of (question,
article) pairs.

Pairs come from a file, or are weak: a question about a company, and the headlines that were matched to it.
What the labels leave out counts as wrong, so precision is a lower bound; the curve's shape is what is read.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sqlalchemy import func, select

from finground.core.artifact import read_text
from finground.core.errors import InputError
from finground.store import schema
from finground.store.reader import Store

THRESHOLDS = tuple(round(0.02 * step, 2) for step in range(41))
KS = (1, 5, 10, 20, 50, 100)
FEWEST = 20  # headlines of a company that is asked about
QUESTION = "What is the latest news about {}?"
Embed = Callable[[list[str]], npt.NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Point:
    """Precision and recall of all pairs together at a threshold."""

    threshold: float
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def read_pairs(path: Path) -> dict[str, set[str]]:
    """Article ids by question, of lines like {"question": "…", "article": "news:…"}.

    Raises:
        InputError: naming the line that is not so.
    """
    pairs: dict[str, set[str]] = {}
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        try:
            row = json.loads(line)
            pairs.setdefault(row["question"], set()).add(row["article"])
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise InputError(
                f'{path}, line {number}: {error!r}; a line is {{"question": "…", "article": "news:…"}}'
            ) from error
    return pairs


def weak_pairs(store: Store, most: int = 100) -> dict[str, set[str]]:
    """A question about each of the companies in the news most, and the headlines matched to it.

    Raises:
        InputError: if no company has as many headlines as it takes.
    """
    about, company = schema.news_companies.c, schema.companies.c
    counted = select(company.id, company.name).join(schema.news_companies, about.company == company.id)
    often = counted.group_by(company.id, company.name).having(func.count() >= FEWEST)
    with store.reading() as connection:
        asked = connection.execute(often.order_by(func.count().desc(), company.id).limit(most)).tuples().all()
        pairs = {
            QUESTION.format(name): set(connection.scalars(select(about.news).where(about.company == id)))
            for id, name in asked
        }
    if not pairs:
        raise InputError(f"no company of the store has {FEWEST} headlines; give pairs with --pairs FILE")
    return pairs


def measure(store: Store, pairs: dict[str, set[str]], embed: Embed) -> tuple[list[Point], dict[int, float]]:
    """Precision and recall at each threshold, and recall at each k, over all headlines of the store."""
    with store.reading() as connection:
        ids: Sequence[str] = connection.scalars(select(schema.news.c.id).order_by(schema.news.c.id)).all()
        vectors = store.vectors.of(connection, ids)
    place = {id: at for at, id in enumerate(ids)}
    right = np.zeros((len(pairs), len(ids)), dtype=bool)
    for row, articles in enumerate(pairs.values()):
        right[row, [place[id] for id in articles if id in place]] = True
    scores = embed(list(pairs)) @ vectors.T
    return curve(scores, right), at_k(scores, right)


def curve(scores: npt.NDArray[np.float32], right: npt.NDArray[np.bool_]) -> list[Point]:
    """Points over THRESHOLDS, of scores and labels [questions, articles]."""
    points = []
    for threshold in THRESHOLDS:
        passed = scores >= threshold
        hits, kept = int((passed & right).sum()), int(passed.sum())
        points.append(Point(threshold, hits / kept if kept else 1.0, hits / int(right.sum())))
    return points


def at_k(scores: npt.NDArray[np.float32], right: npt.NDArray[np.bool_]) -> dict[int, float]:
    """Of the articles that could be among the first k, the share that is: the mean over questions."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, : max(KS)]
    found = np.take_along_axis(right, order, axis=1)
    totals = right.sum(axis=1)
    return {k: float((found[:, :k].sum(axis=1) / np.minimum(totals, k)).mean()) for k in KS}


def draw(points: Sequence[Point], path: Path) -> None:
    """Precision and recall over t, as a picture; needs the extra `bench`."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    ts = [point.threshold for point in points]
    for name in ("precision", "recall", "f1"):
        axes.plot(ts, [getattr(point, name) for point in points], label=name)
    axes.set(xlabel="threshold t", ylim=(0, 1), title="News against (question, article) pairs")
    axes.legend()
    figure.savefig(path, dpi=120)
