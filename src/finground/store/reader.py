"""The store as others see it: opened by path or URL, its companies, what it covers, what it holds.

Every read of a figure, a bar or a headline takes `as_of` and returns nothing that was not known then (law 1).
The names of companies have no time of their own; their tickers may, and the catalogue adds those.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, event, func, inspect, or_, select

from finground.core.errors import InputError
from finground.store import schema
from finground.store.vectors import Vectors

if TYPE_CHECKING:
    from finground.catalog.companies import Company


class Store:
    """An open store; use it as a context manager, or close it."""

    def __init__(self, engine: Engine, vectors: Vectors) -> None:
        self.engine = engine
        self.vectors = vectors

    @classmethod
    def open(cls, place: "Path | str", *, create: bool = False, vectors: Vectors | None = None) -> "Store":
        """The store at a path (SQLite) or an SQLAlchemy URL (PostgreSQL). Vectors of headlines lie with it,
        or where `vectors` says.

        Raises:
            InputError: if it is not there (and not to be created), not a store, or of another schema version.
        """
        store = cls(_engine(str(place), create), vectors or _vectors(str(place)))
        with ExitStack() as unless_whole:
            unless_whole.callback(store.close)
            if create:
                store._prepare()
            store._check(str(place) if store.engine.dialect.name == "sqlite" else str(store.engine.url))
            unless_whole.pop_all()
        return store

    @classmethod
    def unchecked(cls, place: "Path | str") -> "Store":
        """A store of whatever version, to be migrated."""
        return cls(_engine(str(place), False), _vectors(str(place)))

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state throughout, whatever is ingested meanwhile (case S10)."""
        with self.engine.connect() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN")  # the driver itself begins only before it writes
            else:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection
            connection.connection.commit()  # rolled back, psycopg would forget what it has prepared

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction over everything, changes of tables among it."""
        with self.engine.connect() as connection, connection.begin():
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection

    def companies(self) -> "list[Company]":
        """All companies, those SEC lists first, with their tickers, industries and shipped aliases."""
        from finground.catalog.aliases import with_known
        from finground.catalog.companies import Company

        with self.reading() as connection:
            table = schema.companies.c
            columns = (table.id, table.name, table.currency, table.synthetic)
            rows = connection.execute(select(*columns).order_by(table.place, table.id)).all()
            tickers: dict[str, list[str]] = {}
            for company, ticker in connection.execute(
                select(schema.tickers.c.company, schema.tickers.c.ticker).order_by("place", "ticker")
            ):
                tickers.setdefault(company, []).append(ticker)
            groups = _industries(connection)
        found = []
        for id, name, currency, synthetic in rows:
            own = tickers.get(id, [""])
            sector, industry = groups.get(id, ("", ""))
            company = with_known(
                Company(id, name, own[0], sector, industry, currency, synthetic=bool(synthetic))
            )
            found.append(company if len(own) == 1 else _with_tickers(company, own))
        return found

    def covered(self, as_of: datetime) -> list[str]:
        """Ids of the companies with figures or prices known by then."""
        with self.reading() as connection:
            return with_data(connection, None, schema.seconds(as_of))

    def sessions(self, company: str, as_of: datetime) -> list[datetime]:
        """Closes of the company's sessions known at `as_of`, oldest first."""
        closed = schema.bars.c.closed_at
        known = (
            select(closed).distinct().where(schema.bars.c.entity == company, closed <= schema.seconds(as_of))
        )
        with self.reading() as connection:
            return [schema.moment(time) for time in connection.scalars(known.order_by(closed))]

    def last_ingest(self) -> str | None:
        """When rows were last added; None in a frozen store."""
        with self.reading() as connection:
            return _iso(connection.scalar(select(func.max(schema.ingested.c.recorded_at))))

    def status(self, now: datetime | None = None) -> dict[str, Any]:
        """Rows by table, the latest of each kind, its lag behind the last ingest (or `now`) in days, rows set
        aside.
        """
        with self.reading() as connection:
            rows = {table.name: _count(connection, table) for table in schema.METADATA.sorted_tables}
            latest = {
                table.name: connection.scalar(select(func.max(table.c[time])))
                for table, time in schema.KNOWN_AT.items()
                if table is not schema.news_companies
            }
            recorded = connection.scalar(select(func.max(schema.ingested.c.recorded_at)))
            reasons = dict(_reasons(connection))
        reference = schema.seconds(now) if now else recorded
        return {
            "rows": rows,
            "latest": {name: _iso(time) for name, time in latest.items()},
            "lag_days": {
                n: round((reference - t) / 86400, 2) for n, t in latest.items() if t is not None and reference
            },
            "last_ingest": _iso(recorded),
            "quarantine": reasons,
        }

    def _prepare(self) -> None:
        if not inspect(self.engine).has_table(schema.store_schema.name):
            with self.engine.begin() as connection:
                schema.METADATA.create_all(connection)
                connection.execute(schema.store_schema.insert(), [{"version": schema.VERSION}])
                if connection.dialect.name == "postgresql":
                    from finground.store.vectors.pgvector import PgVectors

                    PgVectors().prepare(connection)

    def _check(self, place: str) -> None:
        from sqlalchemy.exc import DatabaseError

        try:
            with self.reading() as connection:
                version = connection.scalar(select(schema.store_schema.c.version))
        except DatabaseError as error:
            raise InputError(
                f"{place} is not a store of ours ({error.orig}); `finground ingest` makes one"
            ) from error
        if version != schema.VERSION:
            raise InputError(
                f"{place} has schema version {version}, this finground reads {schema.VERSION}; "
                "`finground store migrate` brings it there"
            )


def with_data(connection: Connection, ids: Sequence[str] | None, until: int | None) -> list[str]:
    """Those of `ids` (None is all companies) with a figure or a bar known by then, in the store's order."""
    company, bars, values = schema.companies.c, schema.bars.c, schema.metric_values.c
    bar = select(bars.entity).where(bars.entity == company.id)
    value = select(values.company).where(values.company == company.id)
    if until is not None:
        bar, value = bar.where(bars.closed_at <= until), value.where(values.filed_at <= until)
    found = select(company.id).where(or_(bar.exists(), value.exists())).order_by(company.place, company.id)
    if ids is not None:
        found = found.where(company.id.in_(ids))
    return list(connection.scalars(found))


def _vectors(place: str) -> Vectors:
    """The backend that goes with a store: files beside SQLite, pgvector in PostgreSQL."""
    if "://" in place:
        from finground.store.vectors.pgvector import PgVectors

        return PgVectors()
    from finground.store.vectors.embedded import FileVectors

    return FileVectors(Path(place).with_suffix(".news"))


def _engine(place: str, create: bool) -> Engine:
    if "://" in place:
        return _server(place)
    path = Path(place)
    if create:
        path.parent.mkdir(parents=True, exist_ok=True)
    elif not path.is_file():
        raise InputError(
            f"{path} is not there; `finground ingest` makes the live store, the snapshot stage a frozen one"
        )
    mode = "rwc" if create else "rw"
    quoted = str(path.resolve()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    engine = create_engine(
        f"sqlite+pysqlite:///file:{quoted}?mode={mode}&uri=true", connect_args={"timeout": 60}
    )
    if create:
        event.listen(engine, "connect", _write_ahead)
    return engine


def _server(url: str) -> Engine:
    """A PostgreSQL by URL.

    Raises:
        InputError: if it is no URL of one, or its driver is not installed.
    """
    from sqlalchemy.exc import ArgumentError
    from sqlalchemy.exc import NoSuchModuleError as NoDialect

    try:
        engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://", 1))
    except (ArgumentError, NoDialect) as error:
        raise InputError(f"{url!r} is no database's URL; write postgresql://user@host/name") from error
    except ModuleNotFoundError as error:
        raise InputError(f"{error.name} is not installed; `pip install 'finground[server]'`") from error
    if engine.dialect.name != "postgresql":
        raise InputError(f"{engine.dialect.name} is no store's; by URL it is PostgreSQL, else give a path")
    return engine


def _write_ahead(connection: Any, _: Any) -> None:
    """Readers go on seeing the old state while a file is written."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA cache_size=-65536")  # 64 MB: a file's rows fall all over an index


def _with_tickers(company: "Company", tickers: list[str]) -> "Company":
    """The company with tickers added that the shipped catalogue has no days for."""
    from dataclasses import replace

    from finground.catalog.companies import DatedTicker

    dated = {one.ticker for one in company.dated}
    return replace(
        company, tickers=company.dated + tuple(DatedTicker(one) for one in tickers if one not in dated)
    )


def _industries(connection: Connection) -> dict[str, tuple[str, str]]:
    """Sector and industry by company, out of the preferred table."""
    table = schema.industries.c
    rows = connection.execute(
        select(table.company, table.sector, table.industry).order_by(table.preference.desc(), table.source)
    )
    return {company: (sector, industry) for company, sector, industry in rows}


def _count(connection: Connection, table: Any) -> int:
    return connection.scalar(select(func.count()).select_from(table)) or 0


def _reasons(connection: Connection) -> list[tuple[str, int]]:
    reason = schema.quarantine.c.reason
    return [
        (why, n)
        for why, n in connection.execute(select(reason, func.count()).group_by(reason).order_by(reason))
    ]


def _iso(time: int | None) -> str | None:
    return None if time is None else datetime.fromtimestamp(time, UTC).isoformat()
