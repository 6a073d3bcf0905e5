"""Law 8: what is held out never occurs in training; a leak fails the stage and writes nothing."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from small_root import Said, copy, digests

from finground.context import build as context
from finground.context.pairs import read_pairs
from finground.context.split import NATURAL, TESTS, TRAINED, Held, LeakError, check
from finground.core.artifact import manifest, read_rows
from finground.core.paths import Root
from finground.records.document import Document
from finground.records.report import WriterPair
from finground.records.request import Pair

Parts = dict[str, list[Pair]]


@pytest.fixture
def parts(walked: Root) -> Parts:
    return {part: list(read_pairs(walked.context, part)) for part in (*TRAINED, *TESTS, NATURAL)}


@pytest.fixture(scope="module")
def held(walked: Root) -> Held:
    listed = manifest(walked.context)["held"]
    return Held(*(frozenset(listed[what]) for what in ("templates", "companies", "metrics")))


def test_training_holds_nothing_that_is_held_out(parts: Parts, held: Held):
    for part in TRAINED:
        for pair in parts[part]:
            assert held.of(pair) == {"template": False, "company": False, "metric": False}, pair.query


@pytest.mark.parametrize("new", ["template", "company", "metric"])
def test_each_test_part_is_new_in_what_it_says_and_in_nothing_else(parts: Parts, held: Held, new: str):
    for pair in parts[f"test-new-{new}"]:
        assert {what for what, is_held in held.of(pair).items() if is_held} == {new}, pair.query


def test_no_question_of_a_test_is_in_training(parts: Parts):
    trained = {pair.query for part in TRAINED for pair in parts[part]}
    tested = {pair.query for part in (*TESTS, NATURAL) for pair in parts[part]}
    assert trained & tested == set()


@pytest.mark.parametrize("new", ["template", "company", "metric"])
@pytest.mark.parametrize("into", TRAINED)
def test_one_held_out_pair_in_training_is_a_leak_and_named(parts: Parts, held: Held, new: str, into: str):
    check(parts, held)
    leaked = parts[f"test-new-{new}"][0]
    parts[into] = [*parts[into], dataclasses.replace(leaked, part=into)]
    with pytest.raises(LeakError, match=f"part {into} has a {new} that is held out") as raised:
        check(parts, held)
    assert leaked.query in str(raised.value)
    assert "nothing was written" in str(raised.value)


def test_a_leak_fails_the_stage_and_what_was_there_stays(
    walked: Root, tmp_path: Path, finground: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
):
    def leaking(*args: object, **kwargs: object) -> tuple[Parts, Held]:
        made, held = make(*args, **kwargs)
        return {**made, "train": [*made["train"], made["test-new-company"][0]]}, held

    make = context.make
    monkeypatch.setattr(context, "make", leaking)
    root = copy(walked, tmp_path / "root")
    said = finground("run", "context", "--root", root.folder)
    assert said.code == 1
    assert "a company that is held out" in said.sentence
    assert digests(root.context) == digests(walked.context)


def test_documents_held_out_of_the_corpus_are_not_trained_on(walked: Root):
    rows = {
        part: [
            row
            for path in (walked.corpus / "documents").glob(f"{part}*")
            for row in read_rows(path, Document)
        ]
        for part in ("train", "by-date", "by-source")
    }
    trained = rows["train"]
    assert {row.text for row in trained} & {row.text for row in rows["by-date"] + rows["by-source"]} == set()
    assert {row.source for row in trained} == {"reuters", "sec"}  # headlines are the source held out
    assert max(row.published_at.date().isoformat() for row in trained) < "2025-03-01"


def test_companies_and_dates_of_the_test_reports_are_not_in_training(walked: Root):
    train, new_time, new_company = (
        list(read_rows(walked.stocksis / f"{part}.jsonl", WriterPair))
        for part in ("train", "new-time", "new-company")
    )
    companies, last = {pair.company for pair in train}, max(pair.as_of for pair in train)
    assert companies & {pair.company for pair in new_company} == set()
    assert all(pair.as_of > last for pair in (*new_time, *new_company))
    assert {pair.labels for pair in train} == {"template-writer"}
