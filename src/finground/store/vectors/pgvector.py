"""Vectors in PostgreSQL by its extension pgvector: one statement filters, scores exactly and orders.

There is no approximate index: what a filter of company and date leaves is small, and all of it is scored.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Column, Connection, Dialect, MetaData, Table, Text, insert, literal, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import Float, UserDefinedType

from finground.core.errors import InputError
from finground.store import schema
from finground.store.vectors import Array, Search


class Vector(UserDefinedType[Array]):
    """pgvector's type, written as text."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "vector"

    def bind_processor(self, _: Dialect) -> Callable[[Array | None], str | None]:
        return lambda array: None if array is None else f"[{','.join(map(repr, array.tolist()))}]"

    def bind_expression(self, bindvalue: Any) -> Any:
        from sqlalchemy import cast

        return cast(bindvalue, self)

    def result_processor(self, _: Dialect, __: object) -> Callable[[str], Array]:
        return lambda text: np.array(text[1:-1].split(","), dtype=np.float32)


embeddings = Table(
    "news_embeddings", MetaData(),
    Column("news", Text, primary_key=True), Column("embedding", Vector(), nullable=False),
)  # fmt: skip


class PgVectors:
    """Vectors in the same database as the facts."""

    def prepare(self, connection: Connection) -> None:
        """Make the table, once.

        Raises:
            InputError: if the server has no pgvector.
        """
        try:
            connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS vector")
        except DBAPIError as error:
            raise InputError(
                f"this PostgreSQL has no pgvector ({error.orig}); install the extension on the server"
            ) from error
        embeddings.create(connection, checkfirst=True)

    def add(self, connection: Connection, news: Sequence[Mapping[str, Any]], vectors: Array) -> None:
        """One row a headline."""
        rows = [{"news": row["id"], "embedding": vector} for row, vector in zip(news, vectors, strict=True)]
        connection.execute(insert(embeddings), rows)

    def links(self, _: Connection, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """As they are: the vectors are joined by the id of the news."""
        return [{**row, "place": None} for row in rows]

    def nearest(self, connection: Connection, wanted: Search, vector: Array) -> list[tuple[str, float]]:
        """Exact cosines over what the filter leaves; vectors have length 1."""
        news, about = schema.news.c, schema.news_companies.c
        asked = literal(vector, Vector())
        score = (1 - embeddings.c.embedding.op("<=>", return_type=Float())(asked)).label("score")
        query = (
            select(news.id, score)
            .join(embeddings, embeddings.c.news == news.id)
            .where(news.published_at.between(wanted.start, wanted.end), score >= wanted.threshold)
        )
        if wanted.companies is not None:
            named = select(about.news).where(
                about.company.in_(wanted.companies), about.published_at.between(wanted.start, wanted.end)
            )
            query = query.where(news.id.in_(named))
        found = query.order_by(score.desc(), news.published_at.desc(), news.id).limit(wanted.k)
        return [(id, float(value)) for id, value in connection.execute(found)]

    def of(self, connection: Connection, news: Sequence[str]) -> Array:
        """The vectors as stored."""
        known = select(embeddings.c.news, embeddings.c.embedding).where(embeddings.c.news.in_(news))
        held: dict[str, Array] = dict(connection.execute(known).tuples().all())
        return np.array([held[id] for id in news], dtype=np.float32)
