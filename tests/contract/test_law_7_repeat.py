"""Law 7: the same value gives the same bytes, and what is present is whole."""

from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest

from finground.core.artifact import (
    MANIFEST,
    manifest,
    read_rows,
    whole_file,
    whole_folder,
    write_json,
    write_rows,
)
from finground.core.coding import decode, encode
from finground.core.errors import FingroundError, InputError
from finground.records.bundle import Bundle, Fact, Gap, Series
from finground.records.schema import RECORDS, schemas
from finground.records.score import ScoreRow

NOW = datetime(2024, 2, 20, 21, 0, tzinfo=UTC)
QUARTER = (date(2023, 10, 1), date(2023, 12, 31))
FACT = Fact("f1", "cik:0000000001", "net-income", -5e6, "currency", "USD", *QUARTER, NOW, NOW, "edgar")
SERIES = Series("s1", "cik:0000000001", ("close",), np.array(["2024-02-20T21:00:00"], "datetime64[s]"),
                (np.array([np.nan]),), "USD", "csv")  # fmt: skip
ROW = ScoreRow("rules", "request", 1, "test-seen", "exact", 0.1 + 0.2, None, 3, 1, 0, 7, "abc")


@pytest.mark.parametrize("record", [FACT, Gap("cik:1", "net income", "not filed", FACT), ROW])
def test_a_record_read_back_is_the_one_written(record: object):
    assert decode(encode(record), type(record)) == record


def test_a_missing_price_stays_missing_in_the_written_form():
    back = decode(encode(Bundle(NOW, (FACT,), (SERIES,))), Bundle)
    assert encode(back) == encode(Bundle(NOW, (FACT,), (SERIES,)))
    assert np.isnan(back.series[0].columns[0][0])
    assert back.series[0].times[0] == SERIES.times[0]


def test_the_same_rows_are_the_same_bytes(tmp_path: Path):
    write_rows(tmp_path / "a.jsonl", [ROW, FACT])
    write_rows(tmp_path / "b.jsonl", [ROW, FACT])
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_keys_of_a_json_do_not_depend_on_their_order(tmp_path: Path):
    write_json(tmp_path / "a.json", {"b": 1, "a": 2})
    write_json(tmp_path / "b.json", {"a": 2, "b": 1})
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_a_file_whose_writing_failed_is_not_there_and_the_old_one_is(tmp_path: Path):
    path = tmp_path / "scores.jsonl"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as temporary:
        temporary.write_text("half")
        raise ZeroDivisionError
    assert [p.name for p in tmp_path.iterdir()] == ["scores.jsonl"]
    assert path.read_text() == "old"


def test_a_folder_whose_writing_failed_is_not_there_and_the_old_one_is(tmp_path: Path):
    with whole_folder(tmp_path / "corpus", {"made": 1}) as folder:
        (folder / "train").write_text("one")
    with pytest.raises(ZeroDivisionError), whole_folder(tmp_path / "corpus") as folder:
        (folder / "train").write_text("two")
        raise ZeroDivisionError
    assert [p.name for p in tmp_path.iterdir()] == ["corpus"]
    assert (tmp_path / "corpus" / "train").read_text() == "one"
    assert manifest(tmp_path / "corpus")["made"] == 1


def test_a_folder_without_its_manifest_is_not_an_artifact(tmp_path: Path):
    (tmp_path / "corpus").mkdir()
    with pytest.raises(InputError, match=f"has no {MANIFEST}"):
        manifest(tmp_path / "corpus")


def test_a_full_disk_is_one_sentence(tmp_path: Path):
    with pytest.raises(FingroundError, match="the disk is full"), whole_file(tmp_path / "corpus"):
        raise OSError(28, "No space left on device")


def test_a_line_that_is_no_record_is_named(tmp_path: Path):
    (tmp_path / "rows.jsonl").write_bytes(encode(ROW) + b'\n{"system": 1}\n')
    with pytest.raises(InputError, match=r"rows.jsonl, line 2"):
        list(read_rows(tmp_path / "rows.jsonl", ScoreRow))


def test_every_record_has_a_json_schema():
    assert {kind.__name__ for kind in RECORDS} < set(schemas())
