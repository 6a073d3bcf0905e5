"""The JSON Schema of every record."""

from typing import Any

import msgspec

from finground.records.bundle import Bundle, Fact, Finding, Gap, Needs, Passage, Series
from finground.records.document import Document, Dropped
from finground.records.report import Answer, Plan, Report, Score, WriterPair
from finground.records.request import Entity, Pair, Request
from finground.records.score import KeptReply, ScoreRow

RECORDS = (
    Document, Dropped, Entity, Request, Pair, Fact, Series, Passage, Gap, Needs, Bundle, Finding, Plan,
    Report, Score, Answer, WriterPair, ScoreRow, KeptReply,
)  # fmt: skip


def schemas() -> dict[str, Any]:
    """The JSON Schema of every record, by name, with shared parts under `$defs`."""
    shapes, parts = msgspec.json.schema_components(
        RECORDS, schema_hook=_schema, ref_template="#/$defs/{name}"
    )
    return {"$defs": parts, **{kind.__name__: shape for kind, shape in zip(RECORDS, shapes, strict=True)}}


def _schema(_: type) -> dict[str, Any]:
    return {"type": "array", "items": {"type": ["number", "string", "null"]}}
