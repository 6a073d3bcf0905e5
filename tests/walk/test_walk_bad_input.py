"""Bad files: the file, the place, what would be right; nothing half-written; mended, it goes on."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from small_root import Said, leftovers, make, params

from finground.core.paths import Root
from finground.store.reader import Store

Finground = Callable[..., Said]


@pytest.fixture
def root(walked: Root, tmp_path: Path) -> Root:
    """A root whose raw folder holds two companies and a few texts; their files are plain copies."""
    raw, whole = tmp_path / "raw", walked.sample
    listed = json.loads((whole / "sec" / "company_tickers.json").read_text())
    two = [listed["0"], listed["1"]]
    files = ["sec/company_tickers.json", "market/securities.csv"]
    files += [f"sec/companyfacts/CIK{row['cik_str']:010d}.json.gz" for row in two]
    files += [f"market/prices/{row['ticker']}.csv" for row in two]
    files += [str(path.relative_to(whole)) for path in sorted((whole / "news" / "reuters21578").iterdir())]
    for name in ["SYNTHETIC", *files]:
        (raw / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(whole / name, raw / name)
    return make(tmp_path / "root", params(track=False, raw="../raw", sample=None))


@pytest.fixture
def raw(root: Root) -> Path:
    return root.folder.parent / "raw"


@pytest.fixture
def stage(root: Root, finground: Finground) -> Callable[[str], Said]:
    return lambda name: finground("run", name, "--root", root.folder)


def refused(said: Said, root: Root, *words: str) -> None:
    """One sentence with these words, exit 2, and nothing half-written."""
    assert (said.code, said.out) == (2, ""), said.err
    for word in words:
        assert word in said.sentence
    assert "Traceback" not in said.err
    assert leftovers(root) == []


@pytest.mark.parametrize("name", ["ingest", "base"])
def test_a_missing_raw_folder(root: Root, raw: Path, stage, name: str):
    shutil.rmtree(raw)
    refused(stage(name), root, "raw, named as `raw` in", "params.yaml, is not a folder")
    assert not root.live.exists()
    assert not root.plain.exists()


def test_init_with_a_raw_folder_that_is_not_there(finground: Finground, tmp_path: Path):
    said = finground("init", tmp_path / "new", "--profile", "small", "--raw", tmp_path / "nowhere")
    assert said.code == 2
    assert "nowhere is not a folder" in said.sentence
    assert not (tmp_path / "new").exists()


def test_a_raw_folder_without_any_file_we_know(root: Root, raw: Path, stage):
    shutil.rmtree(raw)
    (raw / "sec").mkdir(parents=True)
    (raw / "sec" / "readme.txt").write_text("soon")
    refused(stage("ingest"), root, "has no file of a known layout")


def test_an_empty_corpus(root: Root, raw: Path, stage):
    shutil.rmtree(raw / "news")
    refused(stage("base"), root, "0 documents in", "news/reuters21578/*.sgm")
    assert not root.plain.exists()


def test_a_corpus_of_which_nothing_is_left(root: Root, stage):
    make(root.folder, params(track=False, raw="../raw", sample=None, corpus={
        **params()["corpus"], "holdout_from": "1999-01-01",
    }))  # fmt: skip
    refused(stage("base"), root, "0 documents to train on", "holdout_from")


def test_a_corrupt_gzip_among_the_texts(root: Root, raw: Path, stage):
    path = next((raw / "news" / "reuters21578").iterdir())
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    refused(stage("base"), root, path.name, "is not a whole gzip file", "fetch it again")
    assert not root.plain.exists()


def facts_file(raw: Path) -> Path:
    return sorted((raw / "sec" / "companyfacts").iterdir())[-1]


def held(root: Root) -> dict[str, int]:
    with Store.open(root.live) as store:
        return dict(store.status()["rows"])


def test_a_corrupt_gzip_among_the_facts_and_mended(root: Root, raw: Path, stage):
    path = facts_file(raw)
    whole = path.read_bytes()
    path.write_bytes(whole[:1000])
    refused(stage("ingest"), root, path.name, "is not a whole gzip file")
    first = held(root)["metric_values"]
    assert not root.ingested.exists()
    path.write_bytes(whole)
    assert stage("ingest").code == 0
    assert held(root)["metric_values"] > first > 0


def test_a_truncated_json(root: Root, raw: Path, stage):
    path = facts_file(raw)
    text = gzip.decompress(path.read_bytes())
    path.unlink()
    plain = path.with_suffix("")
    plain.write_bytes(text[: len(text) // 2])
    refused(stage("ingest"), root, f"{plain.name}, line 1", "whole JSON")


def test_a_web_page_in_the_place_of_a_json(root: Root, raw: Path, stage):
    path = facts_file(raw)
    path.write_bytes(gzip.compress(b"<!DOCTYPE html><html>Request Rate Threshold Exceeded</html>"))
    refused(stage("ingest"), root, path.name)
    assert not root.ingested.exists()


def price_file(raw: Path) -> Path:
    return sorted((raw / "market" / "prices").iterdir())[0]


def test_a_price_file_with_a_missing_column(root: Root, raw: Path, stage):
    path = price_file(raw)
    path.write_text(path.read_text().replace("Volume", "Turnover", 1))
    refused(stage("ingest"), root, path.name, "Volume")
    assert held(root)["bars"] == 0
    assert not root.ingested.exists()


def test_a_price_that_is_no_number(root: Root, raw: Path, stage):
    path = price_file(raw)
    lines = path.read_text().splitlines()
    cells = lines[3].split(",")
    lines[3] = ",".join([*cells[:4], "n/a", *cells[5:]])
    path.write_text("\n".join(lines))
    refused(stage("ingest"), root, f"{path.name}, line 4, Close is 'n/a'", "a number is needed")
    assert held(root)["bars"] == 0


def test_a_stage_whose_inputs_were_not_made(root: Root, stage):
    refused(stage("corpus"), root, str(root.plain))
    refused(stage("snapshot"), root, "is not there")
    refused(stage("context"), root, "store.db is not there")


def test_asking_before_anything_was_ingested(root: Root, finground: Finground):
    said = finground("ask", "Please analyze Apple", "--root", root.folder)
    refused(said, root, "live.db is not there", "finground run ingest")


def test_the_sample_stage_belongs_to_the_demo(root: Root, stage):
    refused(stage("sample"), root, "'sample' is not a stage of this project")


def test_under_accelerate_launch_one_stage_is_run_at_a_time(
    root: Root, finground: Finground, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("WORLD_SIZE", "2")
    refused(finground("run", "agent", "--root", root.folder), root, "one of agent@plain, agent@domain")
