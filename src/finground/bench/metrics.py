"""The metrics of the agent's table, as local `evaluate.Metric` classes: no hub, network or files (B4).

In come written texts, or requests as flat fields (`fields`); out go means and, under `items`, the score of
each item, in order. An unread reply scores 0 and stays in the denominator (law 5).
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from finground.catalog.catalog import Catalog
from finground.records.request import Request

FIELDS = ("entities", "primary", "related", "dates")
LISTS = (*FIELDS, "metrics", "rank")


@contextmanager
def _hidden(package: str) -> Iterator[None]:
    """Make a package that is not loaded yet look as if it were not installed."""
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]  # what Python itself documents for this
    try:
        yield
    finally:
        del sys.modules[package]


with _hidden("transformers"):  # evaluate looks for pipelines we do not use; finding them loads torch, 5 s
    import evaluate


class LocalMetric(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """A metric that works in memory: no cache folder and no lock, so any number may run side by side."""

    about = ""

    def __init__(self) -> None:
        super().__init__(keep_in_memory=True, cache_dir="", seed=0)

    def _build_data_dir(self) -> str:
        return ""

    def _info(self) -> Any:
        return evaluate.MetricInfo(
            description=self.about, citation="", inputs_description=self.about, features=self._features()
        )

    def _features(self) -> Any:
        from datasets import Features, Value

        return Features({"predictions": Value("string"), "references": Value("string")})


class RequestScores(LocalMetric):
    """Exact match and validity of requests, and F1 of each field; over `fields` of each."""

    about = "exact match on the expanded request, F1 by field, share of replies that are requests"

    def _features(self) -> Any:
        from datasets import Features, Sequence, Value

        lists = {name: Sequence(Value("string")) for name in LISTS}
        request = {"read": Value("bool"), **lists}
        return Features({"predictions": request, "references": request})

    def _compute(
        self, predictions: Sequence[Mapping[str, Any]], references: Sequence[Mapping[str, Any]]
    ) -> Any:
        pairs = list(zip(predictions, references, strict=True))
        items = {
            "exact_match": [exact_match(said, gold) for said, gold in pairs],
            "validity": [float(said["read"]) for said, _ in pairs],
            **{f"f1_{name}": [f1(said, gold, name) for said, gold in pairs] for name in FIELDS},
        }
        return {name: float(np.mean(values)) for name, values in items.items()} | {"items": items}


class Bleu(LocalMetric):
    """Corpus BLEU from 0 to 1 (sacrebleu, tokens as in mteval-v13a)."""

    about = "corpus BLEU, 0 to 1"

    def _compute(self, predictions: Sequence[str], references: Sequence[str]) -> dict[str, float]:
        from sacrebleu.metrics import BLEU

        return {"bleu": BLEU().corpus_score(list(predictions), [list(references)]).score / 100}


class Rouge(LocalMetric):
    """Mean F1 of ROUGE-1, ROUGE-2 and ROUGE-L (rouge_score, unstemmed)."""

    about = "ROUGE-1, ROUGE-2, ROUGE-L, mean F1 of items, 0 to 1"

    def _compute(self, predictions: Sequence[str], references: Sequence[str]) -> Any:
        from rouge_score.rouge_scorer import RougeScorer

        names = {"rouge1": "rouge_1", "rouge2": "rouge_2", "rougeL": "rouge_l"}
        scorer = RougeScorer(list(names))
        scores = [scorer.score(gold, said) for said, gold in zip(predictions, references, strict=True)]
        items = {name: [score[key].fmeasure for score in scores] for key, name in names.items()}
        return {name: float(np.mean(values)) for name, values in items.items()} | {"items": items}


def fields(request: Request | None, catalog: Catalog) -> dict[str, Any]:
    """A request as flat lists of texts, its metrics expanded; `read` is False for a reply that was none."""
    if request is None:
        return {"read": False, **{name: [] for name in LISTS}}
    primary = [metric.slug for metric in request.metrics if metric.primary]
    listed = [*catalog.expand(primary), *request.metrics]
    metrics = list(dict.fromkeys(metric.slug for metric in listed))
    interval, rank = request.interval, request.rank
    return {
        "read": True,
        "entities": [
            *(f"{entity.kind} {entity.id}" for entity in request.entities),
            *(f"unresolved {text.casefold()}" for text in request.unresolved),
        ],
        "primary": primary,
        "related": [slug for slug in metrics if slug not in primary],
        "metrics": metrics,
        "dates": [f"{interval.start} {interval.end}"] if interval else [],
        "rank": [f"{rank.by} {rank.n} {rank.descending}"] if rank else [],
    }


def alike(said: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether both ask for the same entities, expanded metrics, interval and rank, in any order, or both for
    nothing that could be read."""
    same = all(set(said[name]) == set(other[name]) for name in ("entities", "metrics", "dates", "rank"))
    return same and said["read"] == other["read"]


def exact_match(said: Mapping[str, Any], gold: Mapping[str, Any]) -> float:
    """1 if what was read asks for the same as what is right."""
    return float(bool(said["read"]) and alike(said, gold))


def f1(said: Mapping[str, Any], gold: Mapping[str, Any], name: str) -> float:
    """F1 of one field as a set; 1 where both are empty, 0 for an unread reply."""
    found, wanted = set(said[name]), set(gold[name])
    if not said["read"]:
        return 0.0
    if not found and not wanted:
        return 1.0
    return 2 * len(found & wanted) / (len(found) + len(wanted))
