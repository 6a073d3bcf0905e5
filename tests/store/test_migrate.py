"""A store of version 1 is refused with the command that mends it, and keeps all its rows."""

import sqlite3

import numpy as np
import pytest
from sqlalchemy import update
from store_by_hand import METRICS, NOW, vectors_of

from finground.core.errors import InputError
from finground.store import schema
from finground.store.ingest import ingest
from finground.store.migrate import migrate
from finground.store.news import Search, search
from finground.store.reader import Store
from finground.store.snapshot import dump

BACK = """
ALTER TABLE metric_values DROP COLUMN scale;
DROP INDEX metric_values_ranked;
CREATE INDEX metric_values_by_metric ON metric_values (metric, period_end, filed_at);
CREATE TABLE news_vectors (news TEXT PRIMARY KEY, vector BLOB NOT NULL);
ALTER TABLE news_companies DROP COLUMN place;
DROP TABLE metrics; DROP TABLE quotes; DROP TABLE news_places; DROP TABLE vector_space;
UPDATE store_schema SET version = 1;
"""


def test_a_store_of_version_one_is_brought_here_with_all_its_rows(raw, tmp_path):
    place = tmp_path / "old.db"
    with Store.open(place, create=True) as store:
        ingest(store, raw, now=NOW, metrics=METRICS, embed=vectors_of)
        before = [line for line in dump(store) if not line.startswith("metrics ")]
        with store.reading() as connection:
            stored = connection.execute(schema.news.select()).mappings().all()
            vectors = store.vectors.of(connection, [row["id"] for row in stored])
    with sqlite3.connect(place) as connection:
        connection.executescript(BACK)
        rows = [(row["id"], v.astype("<f4").tobytes()) for row, v in zip(stored, vectors, strict=True)]
        connection.executemany("INSERT INTO news_vectors VALUES (?, ?)", rows)
    for file in (tmp_path / "old.news").iterdir():
        file.unlink()
    with pytest.raises(
        InputError, match=r"schema version 1, this finground reads 2.*finground store migrate"
    ):
        Store.open(place)
    assert migrate(place) == (1, 2) and migrate(place) == (2, 2)
    with Store.open(place) as store:
        assert list(dump(store)) == before
        with store.reading() as connection:
            question = vectors_of(["Beta rises"])[0]
            wanted = Search(["cik:0000000002"], 0, schema.seconds(NOW), 1, 0.0)
            (found,) = search(connection, store.vectors, wanted, question)
        assert found.headline == "Beta rises" and np.isclose(found.score, 1)


def test_a_store_of_a_later_version_is_refused(world):
    with world.store.engine.begin() as connection:
        connection.execute(update(schema.store_schema).values(version=9))
    with pytest.raises(InputError, match="schema version 9, and no step leads from it to 2"):
        migrate(world.place)
