"""The corpus on disk: it balances, repeats, and opens as datasets Arrow (laws 6, 7, 8, case T6)."""

import random
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from made_corpus import put

from finground.core.artifact import digest, manifest, read_json, read_rows
from finground.core.errors import InputError
from finground.corpus import build as room
from finground.corpus.build import texts
from finground.corpus.ledger import text as said
from finground.corpus.tokens import Coder, open_blocks, read_documents
from finground.corpus.work import Workplace
from finground.records.document import Document, Dropped
from finground.sample.world import make
from finground.settings import Corpus, Sample

RULES = Corpus(
    min_words=5, block=64, shard=60, holdout_from=date(2025, 1, 1), holdout_source="headlines",
    holdout_documents=15,
)  # fmt: skip
PARTS = ("train", "by-date", "by-source")


def build(raw, folder, rules, *, tokenizer, seed):
    at = Workplace(folder.with_name(f"{folder.name}-work"), map)
    return room.build(raw, folder, rules, tokenizer=tokenizer, seed=seed, at=at)


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus") / "raw"
    make(folder, Sample(companies=6, years=2, news=60, stories=150, ends=date(2025, 6, 30)), seed=7)
    return folder


@pytest.fixture(scope="module")
def corpus(raw, tmp_path_factory, tokenizer):
    folder = tmp_path_factory.mktemp("built") / "corpus"
    return folder, build(raw, folder, RULES, tokenizer=tokenizer, seed=7)


def documents(folder: Path, part: str) -> list[Document]:
    paths = sorted((folder / "documents").glob(f"{part}*.jsonl"))
    return [document for path in paths for document in read_documents(path)]


def test_documents_and_tokens_in_equal_those_out(corpus):
    folder, ledger = corpus
    column, tokens = ledger["documents"], ledger["tokens"]
    dropped = [row for path in (folder / "dropped").iterdir() for row in read_rows(path, Dropped)]
    assert column["in"] == column["trained"] + sum(column["held_out"].values()) + len(dropped)
    assert len(dropped) == sum(column["dropped"].values())
    assert tokens["in"] == tokens["trained"] + tokens["truncated"] + sum(tokens["held_out"].values())
    shards = len(list(folder.glob("train-*.arrow")))
    assert shards > 1 and tokens["padded"] == 0 and 0 <= tokens["truncated"] < 64 * shards
    assert column["dropped"].keys() >= {"exact duplicate", "near duplicate"}


def test_of_100_documents_the_10_over_length_stand_in_the_ledger(
    tmp_path, tokenizer, settings, write_article
):
    """T6."""
    sizes = [50 if n % 10 == 0 else 20 for n in range(100)]
    rows = [
        write_article(
            f"d{n}",
            " ".join(
                ["the", *random.Random(n).choices("abcdefgh", k=sizes[n] // 2 - 1)] + ["of"] * (sizes[n] // 2)
            ),
        )
        for n in range(100)
    ]
    rules = settings.model_copy(update={"max_words": 40})
    ledger = build(put(tmp_path / "raw", rows), tmp_path / "out", rules, tokenizer=tokenizer, seed=7)
    assert ledger["documents"] == {
        "in": 100, "trained": 90, "held_out": {"by-date": 0, "by-source": 0}, "dropped": {"too long": 10}
    }  # fmt: skip
    assert ledger["tokens"]["trained"] + ledger["tokens"]["truncated"] == ledger["tokens"]["in"] == 90 * 21


def test_tokens_are_words_and_one_end_token_a_document(corpus):
    folder, ledger = corpus
    train = documents(folder, "train")
    words = sum(len(f"{document.title} {document.text}".split()) for document in train)
    assert ledger["tokens"]["trained"] + ledger["tokens"]["truncated"] == words + len(train)


def test_the_table_counts_every_document_that_is_kept(corpus):
    _, ledger = corpus
    kept = ledger["documents"]["trained"] + sum(ledger["documents"]["held_out"].values())
    assert sum(row["documents"] for row in ledger["table"]) == kept
    assert [row["source"] for row in ledger["table"]] == ["headlines", "reuters", "sec"]
    for row in ledger["table"]:
        assert row["mean_tokens"] == pytest.approx(row["mean_words"] + 1, abs=0.11)
        counted = ledger["sources"][row["source"]]
        assert sum(counted["years"].values()) == sum(counted["lengths"].values()) == row["documents"]


def test_ledger_and_table_are_said_to_a_reader(corpus):
    _, ledger = corpus
    shown = said(ledger)
    assert f"dropped: exact duplicate{ledger['documents']['dropped']['exact duplicate']:>33,}" in shown
    assert "mean tokens  period" in shown and "headlines" in shown


def test_three_pictures_are_drawn(corpus):
    folder, _ = corpus
    for name in ("lengths", "years", "reasons"):
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_the_sets_open_as_datasets_arrow(corpus):
    from datasets import Dataset

    folder, ledger = corpus
    blocks = open_blocks(folder)
    assert blocks.column_names == ["input_ids"]
    assert {len(row) for row in blocks["input_ids"]} == {64}
    assert len(blocks) * 64 == ledger["tokens"]["trained"]
    for part in PARTS[1:]:
        rows = Dataset.from_file(str(folder / f"{part}.arrow"))
        assert rows.column_names == ["id", "input_ids"] and 0 < len(rows) <= 15
        assert all(ids[-1] == 1 and ids.count(1) == 1 for ids in rows["input_ids"])
        assert rows["id"][:] == [each.id for each in documents(folder, part)]


def test_the_index_says_where_each_document_lies_in_its_shard(corpus, tokenizer):
    from datasets import Dataset

    folder, _ = corpus
    for path in sorted(folder.glob("train-*.arrow")):
        stream = [id for row in Dataset.from_file(str(path))["input_ids"] for id in row]
        index = Dataset.from_file(str(folder / "index" / path.name))
        kept = list(read_documents(folder / "documents" / f"{path.stem}.jsonl"))
        assert index["id"][:] == [document.id for document in kept]
        ends = [start + tokens for start, tokens in zip(index["start"], index["tokens"], strict=True)]
        assert ends[:-1] == index["start"][1:] and index["start"][0] == 0
        assert all(stream[end - 1] == 1 for end in ends if end <= len(stream))
        assert ends[-1] - len(stream) < 64


def test_what_is_held_out_is_not_trained_on(corpus):
    folder, _ = corpus
    parts = {part: documents(folder, part) for part in PARTS}
    assert {each.source for each in parts["by-source"]} == {"headlines"}
    assert all(each.published_at.date() >= date(2025, 1, 1) for each in parts["by-date"])
    assert all(
        each.published_at.date() < date(2025, 1, 1) and each.source != "headlines" for each in parts["train"]
    )
    trained = [shingles(each) for each in parts["train"]]
    for held in map(shingles, parts["by-date"] + parts["by-source"]):
        for grams in trained:
            assert len(held & grams) < 0.7 * len(held | grams)


def shingles(document: Document) -> set[str]:
    words = document.text.lower().split()
    return {" ".join(words[at : at + 5]) for at in range(len(words) - 4)}


def test_the_texts_for_a_tokenizer_are_the_training_texts(raw, corpus):
    folder, ledger = corpus
    found = list(texts(raw, RULES, 7, Workplace(folder.with_name("corpus-work"), map)))
    assert len(found) == ledger["documents"]["trained"]
    first = documents(folder, "train")[0]
    assert found[0] == f"{first.title}\n\n{first.text}"


def test_built_again_it_is_the_same_byte_for_byte(raw, corpus, tmp_path, tokenizer):
    folder, ledger = corpus
    assert build(raw, tmp_path / "again", RULES, tokenizer=tokenizer, seed=7) == ledger
    assert digest(tmp_path / "again" / "manifest.json") == digest(folder / "manifest.json")
    assert manifest(folder)["ledger"] == read_json(folder / "ledger.json") == ledger


def test_limits_are_counted_as_reasons(choose, settings):
    rules = settings.model_copy(update={"max_documents": 15, "holdout_documents": 3})
    chosen = choose([story(n) for n in range(60)], rules)
    assert [len(chosen.ids(part)) for part in PARTS] == [15, 3, 3]
    assert set(chosen.dropped.values()) == {
        "over max_documents",
        "over holdout_documents (by-date)",
        "over holdout_documents (by-source)",
    }
    assert chosen.selected.records == 60


def test_an_empty_folder_and_one_with_nothing_to_train_on_are_refused(raw, tmp_path, tokenizer):
    (tmp_path / "raw").mkdir()
    with pytest.raises(InputError, match=r"0 documents in .*raw"):
        build(tmp_path / "raw", tmp_path / "out", RULES, tokenizer=tokenizer, seed=7)
    early = RULES.model_copy(update={"holdout_from": date(1990, 1, 1)})
    with pytest.raises(InputError, match=r"0 documents to train on of \d+ .*not English"):
        build(raw, tmp_path / "out", early, tokenizer=tokenizer, seed=7)
    wide = RULES.model_copy(update={"block": 10**6})
    with pytest.raises(InputError, match=r"0 blocks: \d+ tokens"):
        build(raw, tmp_path / "out", wide, tokenizer=tokenizer, seed=7)
    assert not (tmp_path / "out").exists() and not list(tmp_path.rglob(".tmp-*"))


def test_an_evaluation_set_that_is_not_there_or_has_no_such_field_is_named(raw, tmp_path, tokenizer):
    from finground.settings import Evaluation

    for files, fields, sentence in (
        ("none/*.jsonl", ("text",), r"no evaluation set at none/\*\.jsonl"),
        ("news/reuters-headlines/*.jsonl*", ("nothing",), "has no text in nothing"),
    ):
        rules = RULES.model_copy(update={"evaluation": (Evaluation(files=files, fields=fields),)})
        with pytest.raises(InputError, match=sentence):
            build(raw, tmp_path / "out", rules, tokenizer=tokenizer, seed=7)


def test_a_second_run_in_the_same_place_waits_its_turn(raw, tmp_path):
    at = Workplace(tmp_path / "work", map)
    with at.alone(), pytest.raises(InputError, match="another run works in"):
        list(texts(raw, RULES, 7, at))


def test_a_tokenizer_without_an_end_is_refused_and_a_transformers_one_is_taken(tokenizer):
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    with pytest.raises(InputError, match="no end-of-text token"):
        Coder.over(Tokenizer(models.WordLevel({"<unk>": 0}, unk_token="<unk>")))
    assert Coder.over(PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>")).end == 1


def story(number: int) -> Document:
    """A third each for training, held out by date, held out by source."""
    words = " ".join(random.Random(number).choices([f"the word{n}" for n in range(300)], k=40))
    day = datetime(2024 + (number % 3 == 1), 1 + number % 5, 5, tzinfo=UTC)
    return Document(
        f"d{number}", "headlines" if number % 3 == 2 else "reuters", day, f"Story {number}", words
    )
