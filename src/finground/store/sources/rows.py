"""What the readers of raw files hand to `ingest`: batches of rows for one table, and rows set aside with a
reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of one table, by its column names, all but `recorded_at`; they go to the database as they are."""

    table: Table
    rows: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Aside:
    """A record of a file that cannot be used: where it stood, why, and what it was."""

    place: str
    reason: str
    content: str


Read = Batch | Aside
