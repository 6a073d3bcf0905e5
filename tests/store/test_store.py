"""Opening a store, its snapshots, and readers beside an ingest."""

import json
from datetime import UTC, datetime

import numpy as np
import pytest
from sqlalchemy import insert, update
from store_by_hand import METRICS, NOW, end_of, headline, vectors_of, write

from finground.core.artifact import manifest
from finground.core.errors import InputError
from finground.store import schema
from finground.store.ingest import add, ingest
from finground.store.news import Search, search
from finground.store.reader import Store
from finground.store.snapshot import dump, dump_digest, snapshot


def test_a_store_that_is_missing_of_another_version_or_something_else_is_refused(world, tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.db is not there"):
        Store.open(tmp_path / "nowhere.db")
    (tmp_path / "text.db").write_text("not a database, but long enough to look like a file of something else")
    with pytest.raises(InputError, match="not a store of ours"):
        Store.open(tmp_path / "text.db")
    with world.store.engine.begin() as connection:
        connection.execute(update(schema.store_schema).values(version=99))
    with pytest.raises(
        InputError, match=r"has schema version 99, this finground reads 2.*finground store migrate"
    ):
        Store.open(world.place)


def test_status_counts_rows_and_tells_the_lag(world):
    status = world.store.status(datetime(2023, 7, 2, 20, tzinfo=UTC))
    assert (status["rows"]["bars"], status["rows"]["news"], status["last_ingest"]) == (11, 2, NOW.isoformat())
    assert (status["latest"]["bars"], status["lag_days"]["bars"]) == ("2023-06-30T20:00:00+00:00", 2.0)


def test_a_snapshot_holds_what_was_known_and_no_more(world, tmp_path):
    counts = snapshot(world.store, tmp_path / "snap", as_of=end_of(2023, 6, 29))
    assert (counts["bars"], counts["news"], counts["news_vectors"], counts["metric_values"]) == (9, 1, 1, 1)
    with Store.open(tmp_path / "snap/store.db") as frozen:
        assert frozen.sessions("cik:0000000001", NOW)[-1] == datetime(2023, 6, 29, 20, tzinfo=UTC)
        assert manifest(tmp_path / "snap")["dump_sha256"] == dump_digest(frozen)


def test_snapshots_of_one_store_are_equal_and_leave_no_other_files(world, tmp_path):
    made = [snapshot(world.store, tmp_path / name, as_of=end_of(2023, 12, 1)) for name in ("one", "two")]
    assert made[0] == made[1]
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == [
        "manifest.json", "store.db", "store.news",
    ]  # fmt: skip
    json.dumps(made[0])


def test_readers_see_one_state_while_rows_are_written(world):
    with world.store.reading() as reading:
        before = list(dump(world.store))
        reading.exec_driver_sql("SELECT count(*) FROM bars").scalar()
        with world.store.engine.begin() as writing:
            add(writing, schema.tickers, [{"company": "x", "ticker": "X", "place": 1, "recorded_at": 1}])
            assert list(dump(world.store)) == before
        assert reading.exec_driver_sql("SELECT count(*) FROM tickers WHERE ticker = 'X'").scalar() == 0
    assert len(list(dump(world.store))) == len(before) + 1


def test_news_is_filtered_first_and_then_ranked_exactly(world):
    texts = [f"item {n}" for n in range(400)]
    vectors = vectors_of(texts)
    rows = [item(n, text) for n, text in enumerate(texts)]
    links = [{"company": "us:GONE", "published_at": n, "news": f"n{n:03}"} for n in range(0, 400, 2)]
    with world.store.engine.begin() as connection:
        connection.execute(insert(schema.news), rows)
        world.store.vectors.add(connection, rows, vectors)
        connection.execute(insert(schema.news_companies), world.store.vectors.links(connection, links))
    question = vectors_of(["question"])[0]

    def found(k, threshold, companies=("us:GONE",), end=399):
        with world.store.reading() as connection:
            wanted = Search(companies, 0, end, k, threshold)
            return search(connection, world.store.vectors, wanted, question)

    scores = vectors[::2] @ question
    assert [passage.id for passage in found(20, -1)] == [f"n{2 * at:03}" for at in np.argsort(-scores)[:20]]
    assert len(found(999, -1)) == 200 and len(found(999, 0.5)) == int((scores >= 0.5).sum())
    everyone = vectors[:300] @ question
    assert [p.id for p in found(9, -1, None, 299)] == [f"n{at:03}" for at in np.argsort(-everyone)[:9]]


def test_an_encoder_of_another_width_is_refused(world):
    wide = np.ones(1024, dtype=np.float32) / 32
    refused = pytest.raises(InputError, match="vectors of width 8, this encoder's have 1024")
    with world.store.reading() as connection, refused:
        search(connection, world.store.vectors, Search(None, 0, 9, 1, 0), wide)
    write(world.raw / "news/reuters-headlines/more.jsonl", headline("20230701 1:00PM UTC", "Another one"))
    before = list(dump(world.store))
    with refused:
        ingest(
            world.store,
            world.raw,
            now=NOW,
            metrics=METRICS,
            embed=lambda texts: np.stack([wide] * len(texts)),
        )
    assert list(dump(world.store)) == before


def item(n, text):
    return {
        "id": f"n{n:03}",
        "published_at": n,
        "headline": text,
        "body": "",
        "url": "",
        "tickers": "",
        "source": "t",
        "recorded_at": 0,
    }
