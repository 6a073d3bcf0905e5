"""Records as JSON and back, and the JSON Schema of each (msgspec: dataclasses, dates and schemas in one fast library).

Arrays: float columns are lists of numbers with null for NaN; times are lists of ISO texts. Same record, same bytes.
"""

from typing import Any, TypeVar

import msgspec
import numpy as np

from finground.records.bundle import Bundle, Fact, Finding, Gap, Needs, Passage, Series
from finground.records.document import Document, Dropped
from finground.records.report import Answer, Plan, Report, Score, WriterPair
from finground.records.request import Entity, Pair, Request
from finground.records.score import ScoreRow

RECORDS = (
    Document, Dropped, Entity, Request, Pair, Fact, Series, Passage, Gap, Needs, Bundle, Finding, Plan, Report, Score,
    Answer, WriterPair, ScoreRow,
)  # fmt: skip
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


def schemas() -> dict[str, Any]:
    """The JSON Schema of every record, by name, with shared parts under `$defs`."""
    shapes, parts = msgspec.json.schema_components(RECORDS, schema_hook=_schema, ref_template="#/$defs/{name}")
    return {"$defs": parts, **{kind.__name__: shape for kind, shape in zip(RECORDS, shapes, strict=True)}}


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


def _schema(kind: type) -> dict[str, Any]:
    return {"type": "array", "items": {"type": ["number", "string", "null"]}}
