"""Law 6: in = trained + held out + truncated + dropped (by reason) + padded, exactly, in every stage."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finground.core.artifact import manifest, read_json, read_rows
from finground.core.errors import FingroundError
from finground.core.paths import Root
from finground.corpus.build import _balance, choose
from finground.records.document import Document, Dropped
from finground.settings import Corpus

SETTINGS = Corpus(
    min_words=3, holdout_from="2024-06-01", holdout_source="headlines", holdout_documents=2, max_documents=5
)
TRAINED = ("pretrain", "agent@plain", "agent@domain", "writer")
LEDGER = re.compile("(documents|tokens)_")


def total(column: dict[str, Any], *keys: str) -> int:
    values = [column.get(key, 0) for key in keys]
    return sum(sum(value.values()) if isinstance(value, dict) else value for value in values)


@pytest.mark.parametrize("unit", ["documents", "tokens"])
def test_the_corpus_balances(walked: Root, unit: str):
    column = read_json(walked.corpus / "ledger.json")[unit]
    assert column["in"] > 0
    assert column["in"] == total(column, "trained", "held_out", "truncated", "dropped", "padded")


def test_every_document_dropped_is_there_with_its_reason(walked: Root):
    column = read_json(walked.corpus / "ledger.json")["documents"]
    dropped = list(read_rows(walked.corpus / "dropped.jsonl", Dropped))
    reasons = {row.reason for row in dropped}
    assert {reason: sum(row.reason == reason for row in dropped) for reason in reasons} == column["dropped"]
    for part, count in {"train": column["trained"], **column["held_out"]}.items():
        assert len(list(read_rows(walked.corpus / "documents" / f"{part}.jsonl", Document))) == count


def test_tokens_trained_are_the_tokens_in_the_blocks(walked: Root):
    from datasets import Dataset

    column = read_json(walked.corpus / "ledger.json")["tokens"]
    blocks = Dataset.from_file(str(walked.corpus / "train.arrow"))
    assert sum(len(row["input_ids"]) for row in blocks) == column["trained"]


def books(walked: Root, stage: str) -> dict[str, int]:
    """The ledger of a stage that trains, out of its numbers."""
    return {key: int(value) for key, value in read_json(walked.metrics(stage)).items() if LEDGER.match(key)}


@pytest.mark.parametrize("stage", TRAINED)
@pytest.mark.parametrize("unit", ["documents", "tokens"])
def test_a_training_balances(walked: Root, stage: str, unit: str):
    ledger = books(walked, stage)
    went = sum(ledger.get(f"{unit}_{way}", 0) for way in ("trained", "truncated", "dropped", "padded"))
    assert ledger[f"{unit}_in"] == went > 0
    reasons = [count for key, count in ledger.items() if key.startswith(f"{unit}_dropped.")]
    assert sum(reasons) == ledger[f"{unit}_dropped"]


def test_the_tiny_base_balances_too(walked: Root):
    ledger = manifest(walked.plain)["ledger"]
    assert ledger["tokens_in"] == sum(
        ledger[f"tokens_{way}"] for way in ("trained", "truncated", "dropped", "padded")
    )


def test_what_is_trained_is_what_the_stage_before_wrote(walked: Root):
    """Blocks of the corpus go into pretraining, pairs into the agents, reports into the writer."""
    corpus = read_json(walked.corpus / "ledger.json")
    assert books(walked, "pretrain")["documents_in"] == corpus["tokens"]["trained"] // corpus["block"]
    assert books(walked, "pretrain")["tokens_in"] == corpus["tokens"]["trained"]
    assert books(walked, "agent@plain")["documents_in"] == read_json(walked.metrics("context"))["pairs.train"]
    assert books(walked, "writer")["documents_in"] == read_json(walked.metrics("stocksis"))["train"]


document = st.builds(
    Document,
    id=st.uuids().map(str),
    source=st.sampled_from(["reuters", "headlines", "sec"]),
    published_at=st.datetimes(datetime(2024, 1, 1), datetime(2024, 12, 31), timezones=st.just(UTC)),
    title=st.just(""),
    text=st.lists(st.sampled_from(["oil", "gold", "cash", "bank", "rose", "fell"]), max_size=6).map(" ".join),
)
dropped = st.builds(Dropped, st.uuids().map(str), st.just("reuters"), st.sampled_from(["no body", "no date"]))


@given(st.lists(document | dropped, max_size=25))
def test_every_record_goes_somewhere_and_only_once(records: list[Document | Dropped]):
    chosen = choose(records, SETTINGS, 7)
    ids = [
        row.id for rows in (chosen.train, chosen.by_date, chosen.by_source, chosen.dropped) for row in rows
    ]
    assert sorted(ids) == sorted(record.id for record in records)


def test_books_that_do_not_balance_fail_the_stage():
    with pytest.raises(FingroundError, match="10 came in, 9 went out"):
        _balance({"in": 10, "trained": 6, "dropped": {"too short": 2, "no body": 1}})
