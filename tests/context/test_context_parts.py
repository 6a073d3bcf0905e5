"""Parts of the context data set: as large as asked, the same for the same seed, held out where they say."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from finground.context.build import build, make
from finground.context.natural import questions
from finground.context.pairs import read_pairs
from finground.context.split import NATURAL, TESTS, TRAINED, LeakError, check
from finground.core.errors import FingroundError, InputError
from finground.records.request import Entity
from finground.settings import Context


def test_evaluation_is_a_fifth_and_the_tests_are_of_one_size(made):
    parts, _ = made
    assert {part: len(pairs) for part, pairs in parts.items()} == {
        "train": 480, "evaluation": 120, **dict.fromkeys(TESTS, 50), NATURAL: len(questions()),
    }  # fmt: skip


def test_no_question_is_asked_twice(made):
    queries = [pair.query for pairs in made[0].values() for pair in pairs]
    assert len(set(queries)) == len(queries)


def test_what_is_held_out_never_occurs_in_training_and_always_in_its_own_part(made):
    parts, held = made
    for part in (*TRAINED, "test-seen"):
        assert not any(any(held.of(pair).values()) for pair in parts[part])
    for new in ("template", "company", "metric"):
        for pair in parts[f"test-new-{new}"]:
            assert held.of(pair) == {what: what == new for what in ("template", "company", "metric")}
    check(parts, held)


def test_a_planted_leak_fails(made):
    parts, held = made
    pair = parts["train"][0]
    company = Entity("company", min(held.companies), "Whoever Inc.")
    for leaky in (
        replace(pair, template=min(held.templates)),
        replace(pair, request=replace(pair.request, entities=(company,))),
        replace(pair, request=parts["test-new-metric"][0].request),
    ):
        with pytest.raises(LeakError, match="held out"):
            check({**parts, "train": [*parts["train"], leaky]}, held)
    with pytest.raises(LeakError, match="also in training"):
        check({**parts, NATURAL: [replace(parts[NATURAL][0], query=pair.query)]}, held)
    with pytest.raises(LeakError, match="seen in training"):
        check({**parts, "test-new-template": [replace(pair, part="test-new-template")]}, held)


def test_most_questions_have_no_noise_and_all_are_asked_by_the_last_day(made, as_of):
    pairs = [pair for part, pairs in made[0].items() for pair in pairs if part != NATURAL]
    assert 0.75 < sum(pair.noise == "none" for pair in pairs) / len(pairs) < 0.9
    assert {pair.noise for pair in pairs} == {"none", "misspelling", "casing", "punctuation"}
    assert max(pair.as_of for pair in pairs) <= as_of
    started = [pair.request.interval.start <= pair.as_of.date() for pair in pairs if pair.request.interval]
    assert all(started)


def test_the_folder_holds_what_the_counts_say_and_only_companies_with_data(catalog, as_of, tmp_path):
    folder, ids = tmp_path / "context", [company.id for company in catalog.companies.all[:5]]
    counts = build(catalog, folder, Context(pairs=50, test_pairs=8), as_of=as_of, seed=1, companies=ids)
    read = {part: list(read_pairs(folder, part)) for part in counts["pairs"]}
    assert {part: len(pairs) for part, pairs in read.items()} == counts["pairs"]
    assert sum(counts["kinds"].values()) == sum(counts["pairs"].values())
    about = {
        e.id
        for part, pairs in read.items()
        for p in pairs
        if part != NATURAL
        for e in p.request.entities
        if e.kind in ("company", "peers")
    }
    assert about <= set(ids)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["catalog"], manifest["seed"]) == (catalog.digest, 1)


def test_the_smallest_settings_make_one_pair_a_part(catalog, as_of):
    parts, _ = make(catalog, catalog.companies.all, Context(pairs=1, test_pairs=1), as_of=as_of, seed=1)
    assert {len(pairs) for part, pairs in parts.items() if part != NATURAL} == {1}


def test_too_few_companies_or_questions_is_said_and_nothing_is_written(catalog, as_of, tmp_path):
    folder = tmp_path / "context"
    with pytest.raises(InputError, match="2 companies have data"):
        build(catalog, folder, Context(pairs=10), as_of=as_of, seed=1, companies=["us:ORRD", "us:PLMF"])
    assert list(tmp_path.iterdir()) == []


def test_same_seed_same_bytes_in_another_process_with_other_hashes(catalog, as_of, tmp_path):
    code = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
import conftest
from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies, Company
from finground.context.build import build
from finground.settings import Context
companies = [Company(f"us:{{t}}", n, t, "Any", i, aliases=a) for n, t, i, a in conftest.NAMES]
build(Catalog(Companies(companies)), Path(sys.argv[1]), Context(pairs=40, test_pairs=8),
      as_of=conftest.AS_OF, seed=3)
"""
    run = {**os.environ, "PYTHONHASHSEED": "5", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "there")], check=True, env=run)
    build(catalog, tmp_path / "here", Context(pairs=40, test_pairs=8), as_of=as_of, seed=3)
    assert (tmp_path / "here/manifest.json").read_bytes() == (tmp_path / "there/manifest.json").read_bytes()
    other = build(catalog, tmp_path / "other", Context(pairs=40, test_pairs=8), as_of=as_of, seed=4)
    assert other["pairs"] == {
        "train": 32,
        "evaluation": 8,
        **dict.fromkeys(TESTS, 2),
        NATURAL: len(questions()),
    }
    assert (tmp_path / "here/train.parquet").read_bytes() != (tmp_path / "other/train.parquet").read_bytes()


def test_a_catalogue_without_enough_questions_fails_with_what_would_mend_it(catalog, as_of, monkeypatch):
    from finground.context import build as stage

    monkeypatch.setattr(stage.fill, "usable", lambda template, pool: template.id == "technology-114")
    with pytest.raises(FingroundError, match="are too few"):
        make(catalog, catalog.companies.all, Context(pairs=900, test_pairs=4), as_of=as_of, seed=1)


def test_natural_questions_keep_their_words_and_find_their_companies():
    from finground.catalog.catalog import Catalog
    from finground.catalog.shipped import shipped
    from finground.context.natural import MARK, natural

    asked = {pair.template: pair for pair in natural(Catalog(shipped()))}
    assert len(asked) >= 300
    for question in questions():
        pair = asked[question.id]
        known = "BYND" not in question.text
        assert not known or pair.query == MARK.sub(r"\2", question.text)
        assert len(pair.request.entities) == len(question.entities)
        assert pair.request.unresolved == question.unresolved
    lines = {pair.query.casefold() for pair in asked.values()}
    assert len(lines) == len(asked)


def test_an_invented_world_plays_the_natural_questions_with_its_own_companies(catalog):
    from finground.context.natural import natural

    ids = {company.id for company in catalog.companies.all}
    for pair in natural(catalog):
        assert {e.id for e in pair.request.entities if e.kind in ("company", "peers")} <= ids
        assert "{" not in pair.query


def test_the_parts_load_as_a_dataset_and_as_the_authors_csv(catalog, as_of, tmp_path):
    import csv

    from datasets import load_dataset

    from finground.catalog import dialect

    folder = tmp_path / "context"
    build(catalog, folder, Context(pairs=30, test_pairs=8), as_of=as_of, seed=2)
    files = {"train": str(folder / "train.parquet"), "test": str(folder / "test-seen.parquet")}
    loaded = load_dataset("parquet", data_files=files, cache_dir=str(tmp_path / "cache"))
    row = loaded["train"][0]
    with (folder / "csv" / "train.csv").open(newline="") as opened:
        theirs = next(csv.DictReader(opened))
    assert theirs == {
        "Query": row["query"], "Required Data": row["required"], "Structured Data Request": row["sdr"],
    }  # fmt: skip
    for form in dialect.FORMS:
        read = dialect.read(row[form], form, catalog, row["as_of"])
        assert [entity.id for entity in read.entities] == [
            entity.id for entity in next(read_pairs(folder, "train")).request.entities
        ]
