"""Raw files as streams: plain, gz, zst or zip, on this machine or wherever fsspec reaches.

A file is never in memory whole because of us. A damaged one stops the run by its name: what it would have
held nobody knows, so nothing is made of it.
"""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from finground.core.errors import InputError

PIECE = 1 << 20


def found(place: str, raw: Path) -> list[tuple[str, int]]:
    """Files of a pattern below the raw folder, or of an address such as `s3://bucket/news/*.jsonl.zst`.

    Returns each with its size in bytes, sorted by name.
    """
    if "://" not in place:
        return [(str(path), path.stat().st_size) for path in sorted(raw.glob(place)) if path.is_file()]
    import fsspec

    system, pattern = fsspec.core.url_to_fs(place)
    return [
        (system.unstrip_protocol(name), int(about["size"]))
        for name, about in sorted(system.glob(pattern, detail=True).items())
        if about["type"] == "file"
    ]


def stamp(place: str) -> str:
    """What tells a changed file from the same one: its size and when or as what it was last written."""
    if "://" not in place:
        about = Path(place).stat()
        return f"{about.st_size} {about.st_mtime_ns}"
    import fsspec

    system, name = fsspec.core.url_to_fs(place)
    info = system.info(name)
    return f"{info['size']} {info.get('ETag') or info.get('mtime') or info.get('created')}"


def stem(place: str) -> str:
    """A file's name without folders and endings; `10-k.html.gz` is `10-k`."""
    return PurePosixPath(place).name.partition(".")[0]


@contextmanager
def opened(place: str) -> Iterator[IO[bytes]]:
    """The unpacked bytes of a file.

    Raises:
        InputError: if it is missing, or no whole gzip or zstd file.
    """
    try:
        with _raw(place) as packed, _unpacked(place, packed) as stream:
            yield stream
    except FileNotFoundError as error:
        raise InputError(f"{place} is not there; give an existing file") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{place} is not a whole gzip file ({error}); fetch it again") from error
    except OSError as error:
        if error.errno is None:  # pyarrow's way to say that the frame is broken
            raise InputError(f"{place} is not a whole zstd file ({error}); fetch it again") from error
        raise


def members(place: str) -> Iterator[tuple[str, bytes]]:
    """The files inside a zip archive by their names, or the one file itself.

    Raises:
        InputError: if it is damaged.
    """
    if not place.endswith(".zip"):
        yield place, whole(place)
        return
    from zipfile import BadZipFile, ZipFile

    try:
        with _raw(place) as stream, ZipFile(stream) as archive:
            for name in sorted(archive.namelist()):
                if not name.endswith("/"):
                    yield name, archive.read(name)
    except (BadZipFile, zlib.error, EOFError) as error:
        raise InputError(f"{place} is not a whole zip file ({error}); fetch it again") from error


def whole(place: str) -> bytes:
    """All bytes of one file, unpacked."""
    with opened(place) as stream:
        return stream.read()


def lines(place: str) -> Iterator[bytes]:
    """The lines of a file, without their ends."""
    with opened(place) as stream:
        for line in stream:
            yield line.rstrip(b"\r\n")


def text_of(data: bytes, encoding: str = "utf-8") -> str:
    """Bytes as text: in the encoding named, else as Windows-1252, which takes Latin-1 and old filings."""
    try:
        return data.decode("utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding)
    except (UnicodeDecodeError, LookupError):
        return data.decode("cp1252", errors="replace")


def _raw(place: str) -> Any:
    if "://" not in place:
        return Path(place).open("rb")
    import fsspec

    return fsspec.open(place, "rb").open()


def _unpacked(place: str, packed: IO[bytes]) -> Any:
    if place.endswith(".gz"):
        return gzip.GzipFile(fileobj=packed)
    if place.endswith(".zst"):
        import pyarrow as pa

        return io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(packed, mode="r"), "zstd"), PIECE)
    return packed
