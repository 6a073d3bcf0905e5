"""Values as JSON and back (msgspec: dataclasses and dates in one fast library). Same value, same bytes.

Arrays: float columns are lists of numbers with null for NaN; times are lists of ISO texts.
"""

from typing import Any, TypeVar

import msgspec
import numpy as np

T = TypeVar("T")


def encode(record: Any) -> bytes:
    """One line of JSON."""
    return msgspec.json.encode(record, enc_hook=_to_list, order="deterministic")


def decode(line: bytes | str, kind: type[T]) -> T:
    """The record of that kind.

    Raises:
        msgspec.MsgspecError: saying where the text is not one.
    """
    return msgspec.json.decode(line, type=kind, dec_hook=_to_array)


def plain(record: Any) -> Any:
    """The record as dicts, lists and texts."""
    return msgspec.json.decode(encode(record))


def _to_list(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "M":
            return [f"{time}Z" for time in value.astype("datetime64[s]").astype(str)]
        return [None if number != number else number for number in value.tolist()]
    raise NotImplementedError(type(value))


def _to_array(kind: type, value: Any) -> Any:
    if getattr(kind, "__origin__", kind) is not np.ndarray:
        raise NotImplementedError(kind)
    if value and isinstance(value[0], str):
        return np.array([time.removesuffix("Z") for time in value], dtype="datetime64[s]")
    return np.array([np.nan if number is None else number for number in value], dtype=np.float64)
