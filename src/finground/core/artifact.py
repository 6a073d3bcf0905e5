"""Artifacts at rest: written whole or not at all.

A file goes to a temporary name beside its place and is renamed; a folder is filled under a temporary name,
gets its manifest last and then replaces what was there. So whatever is present is complete (law 7, case O1),
and a killed run leaves at most a name that starts with `.tmp-`, which the next write removes.
"""

import errno
import gzip
import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from finground.core.coding import decode, encode
from finground.core.errors import FingroundError, InputError

MANIFEST = "manifest.json"
T = TypeVar("T")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path; on a clean exit it becomes `path`, on an error nothing is left.

    Raises:
        FingroundError: if the disk is full.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".tmp-{path.name}"
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(path)
    except OSError as error:
        raise _full(error, path) from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path, about: dict[str, Any] | None = None) -> Iterator[Path]:
    """Yield a temporary folder; on a clean exit it gets a manifest and becomes `path`.

    Args:
        about: goes into the manifest beside the sha256 of every file; fill it while the folder is open.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".tmp-{path.name}"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    try:
        yield temporary
        files = {
            str(f.relative_to(temporary)): digest(f) for f in sorted(temporary.rglob("*")) if f.is_file()
        }
        write_json(temporary / MANIFEST, {**(about or {}), "files": files})
        _swap(temporary, path)
    except OSError as error:
        raise _full(error, path) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a complete artifact folder.

    Raises:
        InputError: if the folder is not there or was not written to its end.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise InputError(
            f"{folder} is not there or not complete (it has no {MANIFEST}); run the stage that writes it"
        )
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


def digest(path: Path) -> str:
    """sha256 of a file's bytes, in hex."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def write_json(path: Path, value: Any) -> None:
    """Sorted keys, two spaces, a newline at the end: the same value gives the same bytes."""
    with whole_file(path) as temporary:
        temporary.write_text(json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    """A JSON file, plain or gz.

    Raises:
        InputError: if it is missing, or not whole JSON; names the file and the place.
    """
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}, line {error.lineno}: {error.msg}; the file should be whole JSON (truncated download?)"
        ) from error


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Text of a file, plain or gz; bytes that are not of the encoding are replaced.

    Raises:
        InputError: if it is missing or a damaged gzip.
    """
    return read_bytes(path).decode(encoding, errors="replace")


def read_bytes(path: Path) -> bytes:
    """Bytes of a file, unpacked if its name ends in .gz.

    Raises:
        InputError: if it is missing or a damaged gzip.
    """
    if not path.is_file():
        raise InputError(f"{path} is not there; give an existing file")
    if path.suffix != ".gz":
        return path.read_bytes()
    try:
        if not (packed := path.read_bytes()):
            raise EOFError("it is empty")
        return gzip.decompress(packed)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} is not a whole gzip file ({error}); fetch it again") from error


def write_rows(path: Path, rows: Iterable[Any]) -> int:
    """Records (or plain mappings) as JSONL, one a line; returns how many."""
    count = 0
    with whole_file(path) as temporary, temporary.open("wb") as out:
        for row in rows:
            out.write(encode(row) + b"\n")
            count += 1
    return count


def write_table(path: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A small CSV of numbers and plain words, for plots."""
    with whole_file(path) as temporary:
        lines = [",".join(head), *(",".join(str(cell) for cell in row) for row in rows)]
        temporary.write_text("\n".join(lines) + "\n")


def read_rows(path: Path, kind: type[T]) -> Iterator[T]:
    """Records out of a JSONL file.

    Raises:
        InputError: naming the file and the line that is not such a record.
    """
    for number, line in enumerate(read_bytes(path).splitlines(), start=1):
        try:
            yield decode(line, kind)
        except msgspec.MsgspecError as error:
            raise InputError(f"{path}, line {number}: {error}; a line holds one {kind.__name__}") from error


def _swap(new: Path, old: Path) -> None:
    """Put `new` in the place of `old`, which may be a full folder."""
    if not old.exists():
        new.replace(old)
        return
    aside = old.parent / f".tmp-old-{old.name}"
    shutil.rmtree(aside, ignore_errors=True)
    old.replace(aside)
    new.replace(old)
    shutil.rmtree(aside, ignore_errors=True)


def _full(error: OSError, path: Path) -> OSError | FingroundError:
    if error.errno == errno.ENOSPC:
        return FingroundError(
            f"the disk is full; {path} was not written and what was there before is untouched"
        )
    return error
