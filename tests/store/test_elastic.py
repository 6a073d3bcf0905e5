"""The thin Elasticsearch backend: what it asks, and where ELASTICSEARCH_URL names a server, what it finds.

No server can be had in the default tests; the query and the documents are held to what the server documents.
"""

import os
import uuid

import numpy as np
import pytest
from store_by_hand import METRICS, NOW, vectors_of

from finground.core.errors import InputError
from finground.settings import News
from finground.store import schema
from finground.store.ingest import ingest
from finground.store.news import Search, search
from finground.store.place import open_store
from finground.store.reader import Store
from finground.store.vectors.elastic import ElasticVectors, mappings, query

URL = os.environ.get("ELASTICSEARCH_URL")


def test_a_search_filters_first_and_scores_exactly():
    asked = query(Search(["c1", "c2"], 10, 20, 5, 0.2), np.array([0.6, 0.8], dtype=np.float32))[
        "script_score"
    ]
    window = {"gte": 10, "lte": 20}
    dated, about = asked["query"]["bool"]["filter"]
    assert dated == {"range": {"published_at": window}}
    assert about["nested"]["query"]["bool"]["filter"] == [
        {"terms": {"about.company": ["c1", "c2"]}}, {"range": {"about.published_at": window}},
    ]  # fmt: skip
    assert asked["min_score"] == 1.2 and asked["script"]["params"]["asked"] == pytest.approx([0.6, 0.8])
    everyone = query(Search(None, 10, 20, 5, 0.2), np.ones(2, dtype=np.float32))["script_score"]
    assert everyone["query"]["bool"]["filter"] == [dated]
    assert mappings(384)["properties"]["embedding"] == {"type": "dense_vector", "dims": 384, "index": False}


def test_the_servers_address_comes_from_the_environment(monkeypatch, tmp_path):
    class Chosen:
        news = News(index="elasticsearch")

    monkeypatch.delenv("ELASTICSEARCH_URL", raising=False)
    with pytest.raises(InputError, match="ELASTICSEARCH_URL is not set"):
        open_store(tmp_path / "s.db", Chosen, create=True)


@pytest.mark.skipif(URL is None, reason="ELASTICSEARCH_URL names no server")
def test_a_server_finds_what_the_embedded_backend_finds(raw, tmp_path):
    vectors = ElasticVectors.at(URL)
    vectors.index = f"finground-test-{uuid.uuid4().hex[:8]}"
    wanted, question = (
        Search(["cik:0000000002"], 0, schema.seconds(NOW), 5, -1),
        vectors_of(["Beta rises"])[0],
    )
    try:
        found = []
        for name, backend in (("a.db", vectors), ("b.db", None)):
            with Store.open(tmp_path / name, create=True, vectors=backend) as store:
                ingest(store, raw, now=NOW, metrics=METRICS, embed=vectors_of)
                with store.reading() as connection:
                    rows = search(connection, store.vectors, wanted, question)
            found.append([(row.id, pytest.approx(row.score, abs=1e-5)) for row in rows])
        assert found[0] == found[1]
    finally:
        vectors.client.indices.delete(index=vectors.index, ignore_unavailable=True)
