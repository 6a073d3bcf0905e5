"""The corpus on disk: it balances, it is repeatable, and it opens as datasets Arrow (laws 6, 7, 8)."""

import random
from datetime import UTC, date, datetime

import pytest

from finground.core.artifact import digest, manifest, read_json, read_rows
from finground.core.errors import InputError
from finground.corpus.build import build, choose, texts
from finground.corpus.dedup import shingles
from finground.corpus.tokens import Coder
from finground.records.document import Document, Dropped
from finground.sample.world import make
from finground.settings import Corpus, Sample

RULES = Corpus(
    min_words=5, block=64, holdout_from=date(2025, 1, 1), holdout_source="headlines", holdout_documents=15
)


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus") / "raw"
    make(folder, Sample(companies=6, years=2, news=60, stories=150, ends=date(2025, 6, 30)), seed=7)
    return folder


@pytest.fixture(scope="module")
def corpus(raw, tmp_path_factory, tokenizer):
    folder = tmp_path_factory.mktemp("built") / "corpus"
    return folder, build(raw, folder, RULES, tokenizer=tokenizer, seed=7)


def test_documents_and_tokens_in_equal_those_out(corpus):
    folder, ledger = corpus
    documents, tokens = ledger["documents"], ledger["tokens"]
    dropped = list(read_rows(folder / "dropped.jsonl", Dropped))
    assert documents["in"] == documents["trained"] + sum(documents["held_out"].values()) + len(dropped)
    assert len(dropped) == sum(documents["dropped"].values())
    assert tokens["in"] == tokens["trained"] + tokens["truncated"] + sum(tokens["held_out"].values())
    assert tokens["padded"] == 0 and 0 <= tokens["truncated"] < 64
    assert documents["dropped"].keys() >= {"no body", "exact duplicate", "near duplicate"}


def test_tokens_are_words_and_one_end_token_a_document(corpus):
    folder, ledger = corpus
    train = list(read_rows(folder / "documents" / "train.jsonl", Document))
    words = sum(len(f"{document.title} {document.text}".split()) for document in train)
    assert ledger["tokens"]["trained"] + ledger["tokens"]["truncated"] == words + len(train)


def test_the_table_counts_every_document_that_is_kept(corpus):
    _, ledger = corpus
    kept = ledger["documents"]["trained"] + sum(ledger["documents"]["held_out"].values())
    assert sum(row["documents"] for row in ledger["table"]) == kept
    assert [row["source"] for row in ledger["table"]] == ["headlines", "reuters", "sec"]
    assert all(
        row["mean_tokens"] == pytest.approx(row["mean_words"] + 1, abs=0.11) for row in ledger["table"]
    )


def test_the_sets_open_as_datasets_arrow(corpus):
    from datasets import Dataset

    folder, ledger = corpus
    blocks = Dataset.from_file(str(folder / "train.arrow"))
    assert blocks.column_names == ["input_ids"]
    assert {len(row) for row in blocks["input_ids"]} == {64}
    assert len(blocks) * 64 == ledger["tokens"]["trained"]
    for part in ("by-date", "by-source"):
        rows = Dataset.from_file(str(folder / f"{part}.arrow"))
        assert rows.column_names == ["id", "input_ids"] and 0 < len(rows) <= 15
        assert all(ids[-1] == 1 and ids.count(1) == 1 for ids in rows["input_ids"])
        assert rows["id"][:] == [
            each.id for each in read_rows(folder / "documents" / f"{part}.jsonl", Document)
        ]


def test_what_is_held_out_is_not_trained_on(corpus):
    folder, _ = corpus
    parts = {
        part: list(read_rows(folder / "documents" / f"{part}.jsonl", Document))
        for part in ("train", "by-date", "by-source")
    }
    assert {each.source for each in parts["by-source"]} == {"headlines"}
    assert all(each.published_at.date() >= date(2025, 1, 1) for each in parts["by-date"])
    assert all(
        each.published_at.date() < date(2025, 1, 1) and each.source != "headlines" for each in parts["train"]
    )
    for held in map(shingles, parts["by-date"] + parts["by-source"]):
        for grams in map(shingles, parts["train"]):
            assert len(held & grams) < 0.8 * len(held | grams)


def test_the_texts_for_a_tokenizer_are_the_training_texts(raw, corpus):
    folder, ledger = corpus
    found = list(texts(raw, RULES, 7))
    assert len(found) == ledger["documents"]["trained"]
    first = next(iter(read_rows(folder / "documents" / "train.jsonl", Document)))
    assert found[0] == f"{first.title}\n\n{first.text}"


def test_built_again_it_is_the_same_byte_for_byte(raw, corpus, tmp_path, tokenizer):
    folder, ledger = corpus
    assert build(raw, tmp_path / "again", RULES, tokenizer=tokenizer, seed=7) == ledger
    assert digest(tmp_path / "again" / "manifest.json") == digest(folder / "manifest.json")
    assert manifest(folder)["ledger"] == read_json(folder / "ledger.json") == ledger


def test_the_order_of_documents_changes_nothing():
    records = [story(n) for n in range(60)] + [Dropped("x", "reuters", "no body")]
    shuffled = list(records)
    random.Random(1).shuffle(shuffled)
    rules = RULES.model_copy(update={"max_documents": 20, "shares": {"reuters": 0.8}})
    assert choose(shuffled, rules, 7) == choose(records, rules, 7)


def test_limits_are_counted_as_reasons():
    rules = RULES.model_copy(update={"max_documents": 15, "holdout_documents": 3})
    chosen = choose([story(n) for n in range(60)], rules, 7)
    reasons = [each.reason for each in chosen.dropped]
    assert (len(chosen.train), len(chosen.by_date), len(chosen.by_source)) == (15, 3, 3)
    assert set(reasons) == {
        "over max_documents",
        "over holdout_documents (by-date)",
        "over holdout_documents (by-source)",
    }
    assert chosen.total == 60


def test_an_empty_folder_and_one_with_nothing_to_train_on_are_refused(raw, tmp_path, tokenizer):
    (tmp_path / "raw").mkdir()
    with pytest.raises(InputError, match=r"0 documents in .*raw"):
        build(tmp_path / "raw", tmp_path / "out", RULES, tokenizer=tokenizer, seed=7)
    early = RULES.model_copy(update={"holdout_from": date(1990, 1, 1)})
    with pytest.raises(InputError, match=r"0 documents to train on of \d+ .*no body"):
        build(raw, tmp_path / "out", early, tokenizer=tokenizer, seed=7)
    wide = RULES.model_copy(update={"block": 10**6})
    with pytest.raises(InputError, match=r"0 blocks: \d+ tokens"):
        build(raw, tmp_path / "out", wide, tokenizer=tokenizer, seed=7)
    assert not any((tmp_path).glob("*out*"))


def test_a_tokenizer_without_an_end_is_refused_and_a_transformers_one_is_taken(tokenizer):
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    with pytest.raises(InputError, match="no end-of-text token"):
        Coder.over(Tokenizer(models.WordLevel({"<unk>": 0}, unk_token="<unk>")))
    assert Coder.over(PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>")).end == 1


def story(number: int) -> Document:
    """A third each for training, held out by date, held out by source."""
    words = " ".join(random.Random(number).choices([f"the w{n}" for n in range(300)], k=40))
    day = datetime(2024 + (number % 3 == 1), 1 + number % 12, 5, tzinfo=UTC)
    return Document(
        f"d{number}", "headlines" if number % 3 == 2 else "reuters", day, f"Story {number}", words
    )
