"""Law 6: in = trained + held out + truncated + dropped (by reason) + padded, exactly, in every stage."""

import json
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finground.core.artifact import manifest, read_json, read_rows
from finground.core.errors import FingroundError
from finground.core.paths import Root
from finground.corpus.ledger import balance
from finground.corpus.select import select
from finground.corpus.tokens import open_blocks, read_documents
from finground.corpus.work import Workplace
from finground.records.document import Dropped
from finground.settings import Corpus

COLUMNS = {key: key for key in ("id", "published_at", "text")}
SETTINGS = Corpus.model_validate(
    {
        "sources": [
            {"name": name, "files": f"{name}.jsonl", "read": "jsonl", "columns": COLUMNS}
            for name in ("reuters", "headlines", "sec")
        ],
        "min_words": 3, "shard": 6, "max_documents": 5,
        "holdout_from": "2024-06-01", "holdout_source": "headlines", "holdout_documents": 2,
    }
)  # fmt: skip
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
    dropped = [row for path in (walked.corpus / "dropped").iterdir() for row in read_rows(path, Dropped)]
    reasons = {row.reason for row in dropped}
    assert {reason: sum(row.reason == reason for row in dropped) for reason in reasons} == column["dropped"]
    for part, count in {"train": column["trained"], **column["held_out"]}.items():
        files = (walked.corpus / "documents").glob(f"{part}*.jsonl")
        assert sum(1 for path in files for _ in read_documents(path)) == count


def test_tokens_trained_are_the_tokens_in_the_blocks(walked: Root):
    column = read_json(walked.corpus / "ledger.json")["tokens"]
    assert sum(len(row["input_ids"]) for row in open_blocks(walked.corpus)) == column["trained"]


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


moments = st.datetimes(datetime(2024, 1, 1), datetime(2024, 12, 31), timezones=st.just(UTC))
words = st.sampled_from(["oil", "gold", "the", "bank", "rose", "fell"])
record = st.fixed_dictionaries(
    {
        "id": st.uuids().map(str),
        "source": st.sampled_from(["reuters", "headlines", "sec"]),
        "published_at": moments.map(str) | st.just("some day"),
        "text": st.lists(words, max_size=6).map(" ".join),
    }
)  # fmt: skip


@settings(max_examples=25)
@given(st.lists(record, max_size=25))
def test_every_record_goes_somewhere_and_only_once(records: list[dict[str, str]]):
    records += [
        {"id": "sure", "source": "sec", "published_at": "2024-01-01", "text": "the day before all of them"}
    ]
    with tempfile.TemporaryDirectory() as place:
        raw = Path(place)
        for source in SETTINGS.sources:
            rows = [json.dumps(row) for row in records if row["source"] == source.name]
            (raw / source.files).write_text("\n".join(rows))
        chosen = select(
            raw, SETTINGS.model_copy(update={"max_documents": None}), 7, Workplace(raw / "work", map)
        )
        kept = [*(folder / "documents.jsonl" for folder in chosen.kept), *chosen.held.glob("by-*.jsonl")]
        ids = [document.id for path in kept for document in read_documents(path)]
        for folder in (*chosen.sifted, *chosen.kept):
            ids += [row.id for row in read_rows(folder / "dropped.jsonl", Dropped)]
    assert sorted(ids) == sorted(f"{row['source']}:{row['id']}" for row in records)


def test_books_that_do_not_balance_fail_the_stage():
    with pytest.raises(FingroundError, match="10 came in, 9 went out"):
        balance({"in": 10, "trained": 6, "dropped": {"too short": 2, "no body": 1}})
