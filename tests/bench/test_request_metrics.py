"""Request metrics: right on gold, strict on what matters, and in need of no network and no cache."""

import os
import random
import subprocess
import sys
from dataclasses import replace

import pytest

from finground.bench.metrics import Bleu, RequestScores, Rouge, alike, fields
from finground.catalog import dialect
from finground.catalog.catalog import company_entity
from finground.records.request import Rank

SCORES = ("exact_match", "validity", "f1_entities", "f1_primary", "f1_related", "f1_dates")


@pytest.fixture(scope="module")
def score(catalog):
    def of(said, gold):
        return RequestScores().compute(
            predictions=[fields(said, catalog)], references=[fields(gold, catalog)]
        )

    return of


def test_gold_against_gold_is_one_by_every_metric(catalog, asks, three):
    golds = [
        asks("net-income"),
        asks("net-income", "total-assets", of=three[1:]),
        asks("total-assets", interval=None),
    ]
    rows = [fields(gold, catalog) for gold in golds]
    scored = RequestScores().compute(predictions=rows, references=rows)
    assert [scored[name] for name in SCORES] == [1.0] * len(SCORES)
    texts = [dialect.write(gold, "sdr", catalog) for gold in golds]
    assert Bleu().compute(predictions=texts, references=texts)["bleu"] == pytest.approx(1.0)
    rouge = Rouge().compute(predictions=texts, references=texts)
    assert [rouge[f"rouge_{n}"] for n in "12l"] == [1.0, 1.0, 1.0]


def test_order_does_not_count(asks, score, three):
    gold = asks("net-income", "total-assets", of=three[:2])
    metrics = list(gold.metrics)
    random.Random(1).shuffle(metrics)
    permuted = replace(gold, entities=gold.entities[::-1], metrics=tuple(metrics))
    assert [score(permuted, gold)[name] for name in SCORES] == [1.0] * len(SCORES)


def test_a_swapped_company_scores_nothing_where_bleu_sees_little(catalog, asks, score):  # A4
    slugs = [metric.slug for metric in catalog.metrics.all[:14]]
    gold = asks(*slugs)
    swapped = replace(gold, entities=(company_entity(catalog.companies.by_id("us:ACMF")),))
    found = score(swapped, gold)
    assert (found["f1_entities"], found["exact_match"], found["f1_primary"]) == (0.0, 0.0, 1.0)
    said, meant = (dialect.write(request, "sdr", catalog) for request in (swapped, gold))
    assert Bleu().compute(predictions=[said], references=[meant])["bleu"] > 0.9


def test_a_near_miss_among_metrics_is_a_miss(asks, score):  # A5
    found = score(asks("long-term-debt"), asks("debt"))
    assert found["f1_primary"] == found["exact_match"] == 0.0


def test_half_right_is_half_by_field_and_wrong_as_a_whole(asks, score, three):
    acme, bolt, crux = three
    found = score(asks("net-income", of=(acme, bolt)), asks("net-income", of=(acme, crux)))
    assert (found["f1_entities"], found["exact_match"]) == (0.5, 0.0)


def test_another_rank_or_interval_is_no_exact_match(asks, score):
    gold = replace(asks("net-income"), rank=Rank("net-income", 5))
    assert score(replace(gold, rank=Rank("net-income", 5, descending=False)), gold)["exact_match"] == 0.0
    assert score(replace(gold, interval=None), gold)["f1_dates"] == 0.0


def test_an_unread_reply_scores_nothing_even_where_the_gold_is_empty(catalog, asks, score):
    found = score(None, asks("net-income", interval=None))
    assert [found[name] for name in SCORES] == [0.0] * len(SCORES)


def test_two_agents_differ_by_what_they_ask_for_and_not_by_its_words(catalog, asks):
    request = asks("net-income")
    worded = replace(request, phrase="last year", kind="yes-no")
    other, unread = asks("total-assets"), None
    rows = [fields(one, catalog) for one in (request, worded, other, unread)]
    assert [alike(rows[0], row) for row in rows] == [True, True, False, False]
    assert alike(rows[3], rows[3])


def test_metrics_load_no_torch_and_leave_no_file_in_the_home(tmp_path):  # B4
    code = """
import sys
from finground.bench.metrics import Bleu
assert Bleu().compute(predictions=["a b c d"], references=["a b c d"])["bleu"] > 0.99
assert "torch" not in sys.modules and "transformers" not in sys.modules
"""
    offline = {
        **os.environ,
        "HOME": str(tmp_path),
        "HF_HUB_OFFLINE": "1",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    offline.pop("HF_HOME", None)
    subprocess.run([sys.executable, "-c", code], check=True, env=offline, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []
