"""Vectors and headlines in Elasticsearch, by its official client: a thin further backend.

A search is a filter and an exact `script_score` over what it leaves, not the approximate `knn`. The store
stays the truth: the index can be made again from it, and an item is found only once its copy is there.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection

from finground.core.errors import FingroundError, InputError
from finground.store.vectors import Array, Search

SCORE = "cosineSimilarity(params.asked, 'embedding') + 1.0"  # a score may not be negative


class ElasticVectors:
    """Vectors in one index of a server.

    Args:
        client: an `elasticsearch.Elasticsearch`.
    """

    def __init__(self, client: Any, index: str = "finground-news") -> None:
        self.client = client
        self.index = index

    @classmethod
    def at(cls, url: str) -> "ElasticVectors":
        """The server at a URL.

        Raises:
            InputError: if the client is not installed.
        """
        try:
            from elasticsearch import Elasticsearch
        except ImportError as error:
            raise InputError("elasticsearch is not installed; `pip install 'finground[server]'`") from error
        return cls(Elasticsearch(url))

    def add(self, _: Connection, news: Sequence[Mapping[str, Any]], vectors: Array) -> None:
        """One document a headline, by its id: sent twice is stored once."""
        if not self.client.indices.exists(index=self.index):
            self.client.indices.create(index=self.index, mappings=mappings(vectors.shape[1]))
        self._send(_document(self.index, row, vector) for row, vector in zip(news, vectors, strict=True))

    def links(self, _: Connection, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The rows as they are; each company, with its time, goes to the document."""
        self._send(_link(self.index, row) for row in rows)
        return [{**row, "place": None} for row in rows]

    def nearest(self, _: Connection, wanted: Search, vector: Array) -> list[tuple[str, float]]:
        """Exact cosines over what the filter leaves."""
        found = self.client.search(index=self.index, size=wanted.k, query=query(wanted, vector), source=False)
        return [(hit["_id"], float(hit["_score"]) - 1) for hit in found["hits"]["hits"]]

    def of(self, _: Connection, news: Sequence[str]) -> Array:
        """The vectors as stored."""
        found = self.client.mget(index=self.index, ids=list(news), source=["embedding"])
        return np.array([row["_source"]["embedding"] for row in found["docs"]], dtype=np.float32)

    def _send(self, actions: Iterator[dict[str, Any]]) -> None:
        from elasticsearch.helpers import BulkIndexError, bulk

        try:
            bulk(self.client, actions, refresh="wait_for")
        except BulkIndexError as error:
            raise FingroundError(f"Elasticsearch refused {len(error.errors)} headlines: {error}") from error


def mappings(width: int) -> dict[str, Any]:
    """The fields of the index, as in FinBloom's: id, time, text, companies, embedding."""
    link = {"properties": {"company": {"type": "keyword"}, "published_at": {"type": "long"}}}
    return {
        "properties": {
            "published_at": {"type": "long"},
            "source": {"type": "keyword"},
            "headline": {"type": "text"},
            "about": {"type": "nested", **link},
            "embedding": {"type": "dense_vector", "dims": width, "index": False},
        }
    }


def query(wanted: Search, vector: Array) -> dict[str, Any]:
    """Filter by date and company first, then the cosine of each that is left."""
    window = {"gte": wanted.start, "lte": wanted.end}
    filters: list[dict[str, Any]] = [{"range": {"published_at": window}}]
    if wanted.companies is not None:
        inside = [
            {"terms": {"about.company": list(wanted.companies)}}, {"range": {"about.published_at": window}},
        ]  # fmt: skip
        filters.append({"nested": {"path": "about", "query": {"bool": {"filter": inside}}}})
    script = {"source": SCORE, "params": {"asked": vector.tolist()}}
    return {
        "script_score": {
            "query": {"bool": {"filter": filters}}, "script": script, "min_score": wanted.threshold + 1,
        }
    }  # fmt: skip


def _document(index: str, row: Mapping[str, Any], vector: Array) -> dict[str, Any]:
    kept = {key: row[key] for key in ("published_at", "source", "headline")}
    source = {**kept, "about": [], "embedding": vector.tolist()}
    return {"_op_type": "index", "_index": index, "_id": row["id"], "_source": source}


def _link(index: str, row: Mapping[str, Any]) -> dict[str, Any]:
    about = {"company": row["company"], "published_at": row["published_at"]}
    script = {
        "source": "if (!ctx._source.about.contains(params.one)) ctx._source.about.add(params.one)",
        "params": {"one": about},
    }
    return {"_op_type": "update", "_index": index, "_id": row["news"], "script": script}
