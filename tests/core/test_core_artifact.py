"""Files that cannot be read are named with the place; a full disk leaves what was there before."""

import errno
import gzip
from pathlib import Path

import pytest

from finground.core.artifact import (
    manifest,
    read_bytes,
    read_json,
    read_rows,
    whole_file,
    whole_folder,
    write_rows,
)
from finground.core.errors import FingroundError, InputError
from finground.records.document import Dropped

FULL = OSError(errno.ENOSPC, "No space left on device")


def rows_until_the_disk_is_full():
    yield Dropped("1", "reuters", "too short")
    raise FULL


def test_a_full_disk_is_one_sentence_and_the_old_rows_are_untouched(tmp_path: Path):
    path = tmp_path / "dropped.jsonl"
    write_rows(path, [Dropped("0", "reuters", "no body")])
    before = path.read_bytes()
    with pytest.raises(FingroundError, match=r"the disk is full; .*dropped.jsonl was not written") as raised:
        write_rows(path, rows_until_the_disk_is_full())
    assert raised.value.exit_code == 1
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["dropped.jsonl"]


def test_a_disk_that_fills_while_a_folder_is_written_leaves_the_old_folder(tmp_path: Path):
    with whole_folder(tmp_path / "corpus") as folder:
        (folder / "train").write_text("old")
    untouched = pytest.raises(FingroundError, match="what was there before is untouched")
    with untouched, whole_folder(tmp_path / "corpus") as folder:
        (folder / "train").write_text("new")
        raise FULL
    assert (tmp_path / "corpus" / "train").read_text() == "old"
    assert manifest(tmp_path / "corpus")["files"].keys() == {"train"}
    assert [found.name for found in tmp_path.iterdir()] == ["corpus"]


def test_other_failures_of_the_system_fly(tmp_path: Path):
    with pytest.raises(PermissionError), whole_file(tmp_path / "a.json"):
        raise PermissionError(errno.EACCES, "Permission denied")


def test_what_a_killed_run_left_is_gone_after_the_next(tmp_path: Path):
    (tmp_path / ".tmp-corpus").mkdir()
    (tmp_path / ".tmp-corpus" / "half").write_text("x")
    (tmp_path / ".tmp-old-corpus").mkdir()
    (tmp_path / ".tmp-rows.jsonl").write_text("{")
    for _ in range(2):
        with whole_folder(tmp_path / "corpus") as folder:
            (folder / "train").write_text("whole")
    write_rows(tmp_path / "rows.jsonl", [])
    assert sorted(found.name for found in tmp_path.iterdir()) == ["corpus", "rows.jsonl"]
    assert sorted(found.name for found in (tmp_path / "corpus").iterdir()) == ["manifest.json", "train"]


@pytest.mark.parametrize(
    "damaged",
    [b"<html>Too many requests</html>", gzip.compress(b"x" * 999)[:-9], gzip.compress(b"x" * 999)[:20], b""],
    ids=["no gzip", "cut before its checksum", "cut in the middle", "empty"],
)
def test_a_damaged_gzip_is_named(tmp_path: Path, damaged: bytes):
    path = tmp_path / "CIK1.json.gz"
    path.write_bytes(damaged)
    with pytest.raises(InputError, match=r"CIK1.json.gz is not a whole gzip file .*; fetch it again"):
        read_bytes(path)


def test_a_flipped_bit_in_a_gzip_is_found(tmp_path: Path):
    path = tmp_path / "a.json.gz"
    packed = bytearray(gzip.compress(b'{"a": 1}' * 50))
    packed[len(packed) // 2] ^= 1
    path.write_bytes(packed)
    with pytest.raises(InputError, match=r"a.json.gz is not a whole gzip file"):
        read_bytes(path)


def test_a_truncated_json_is_named_with_its_line(tmp_path: Path):
    path = tmp_path / "facts.json"
    path.write_text('{\n  "cik": 1,\n  "facts": {\n')
    with pytest.raises(InputError, match=r"facts.json, line 4: .*; the file should be whole JSON"):
        read_json(path)


def test_a_line_of_rows_cut_in_the_middle_is_named(tmp_path: Path):
    path = tmp_path / "dropped.jsonl"
    write_rows(path, [Dropped(str(number), "reuters", "no body") for number in range(3)])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"dropped.jsonl, line 3: .*; a line holds one Dropped"):
        list(read_rows(path, Dropped))


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(InputError, match=r"a.json is not there; give an existing file"):
        read_json(tmp_path / "a.json")
