"""The tables of the store: a star of companies with figures, bars, flows and news around it; append-only.

Two times stand beside what is true of a period: when it became known (`filed_at`, `closed_at`,
`published_at`) and when we stored it (`recorded_at`). All four are whole seconds since 1970, UTC, so that an
as-of read is a comparison of integers on an index. A revised row is a new row; nothing is updated. Nothing
here is SQLite's alone. Vectors of headlines lie with a backend of `store/vectors`.
"""

from datetime import UTC, datetime
from functools import lru_cache

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    Float,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
)

VERSION = 2  # `store/migrate.py` has the steps from each version to the next
METADATA = MetaData()
SYNTHETIC = "synthetic"  # how the source of an invented row begins
AS_TRADED = "as traded"  # how the source of prices ends that no later split has changed


def _key(name: str, kind: type = Text) -> Column[object]:
    return Column(name, kind, primary_key=True, autoincrement=False)


def _value(name: str, kind: type = Text, optional: bool = False) -> Column[object]:
    return Column(name, kind, nullable=optional)


store_schema = Table("store_schema", METADATA, _key("version", Integer))

companies = Table(
    "companies", METADATA,
    _key("id"), _value("name"), _value("currency"), _value("synthetic", Boolean),
    _value("place", Integer),  # in the source's list; SEC lists by market value
    _value("source"), _value("recorded_at", BigInteger),
)  # fmt: skip

tickers = Table(
    "tickers", METADATA,
    _key("company"), _key("ticker"), _value("place", Integer), _value("recorded_at", BigInteger),
)  # fmt: skip

industries = Table(
    "industries", METADATA,
    _key("company"), _key("source"), _value("preference", Integer), _value("sector"), _value("industry"),
    _value("recorded_at", BigInteger),
)  # fmt: skip

metrics = Table(
    "metrics", METADATA,
    _key("slug"), _value("name"), _value("unit"), _value("frequency"), _value("instant", Boolean),
    _value("recorded_at", BigInteger),
)  # fmt: skip

metric_values = Table(
    "metric_values", METADATA,
    _key("company"), _key("metric"), _key("period_end", Date),
    _key("period_start", Date),  # that of an instant is its end
    _key("filed_at", BigInteger), _key("tag"), _key("accession"),
    _value("preference", Integer),  # place of the tag in the metric's list, 0 is best
    _value("value", Float), _value("unit"), _value("currency", optional=True),
    Column("scale", Float, nullable=False, server_default="1"),  # base units in one unit as the source wrote
    _value("form"), _value("fiscal_year", Integer, optional=True), _value("fiscal_period", optional=True),
    _value("source"), _value("recorded_at", BigInteger),
    Index(  # all that the bounds of a ranking need
        "metric_values_ranked", "metric", "period_end", "filed_at", "company", "currency", "value"
    ),
    sqlite_with_rowid=False,
)  # fmt: skip

BAR_COLUMNS = ("open", "high", "low", "close", "adj_close", "volume")
FLOW_COLUMNS = (
    "large_order_buy_shares",
    "large_order_sell_shares",
    "float_shares",
    "margin_balance",
    "institutional_share",
    "control_level",
)

bars = Table(
    "bars", METADATA,
    _key("entity"), _key("closed_at", BigInteger), _key("recorded_at", BigInteger),
    *(_value(name, Float, optional=True) for name in BAR_COLUMNS),
    _value("currency"), _value("source"),
    sqlite_with_rowid=False,
)  # fmt: skip

quotes = Table(  # bars finer than a day
    "quotes", METADATA,
    _key("entity"), _key("closed_at", BigInteger), _key("recorded_at", BigInteger),
    *(_value(name, Float, optional=True) for name in BAR_COLUMNS),
    _value("currency"), _value("source"),
    sqlite_with_rowid=False,
)  # fmt: skip

flows = Table(
    "flows", METADATA,
    _key("entity"), _key("closed_at", BigInteger), _key("recorded_at", BigInteger),
    *(_value(name, Float, optional=True) for name in FLOW_COLUMNS),
    _value("currency"), _value("source"),
    sqlite_with_rowid=False,
)  # fmt: skip

news = Table(
    "news", METADATA,
    _key("id"), _value("published_at", BigInteger), _value("headline"), _value("body"), _value("url"),
    _value("tickers"), _value("source"), _value("recorded_at", BigInteger),
    Index("news_by_time", "published_at"),
)  # fmt: skip

news_companies = Table(
    "news_companies", METADATA,
    _key("company"), _key("published_at", BigInteger), _key("news"),
    _value("place", Integer, optional=True),  # of the vector, where vectors lie in a file
    sqlite_with_rowid=False,
)  # fmt: skip

news_places = Table(
    "news_places", METADATA,
    _key("place", Integer), Column("news", Text, nullable=False, unique=True),
)  # fmt: skip

vector_space = Table("vector_space", METADATA, _key("width", Integer), _value("recorded_at", BigInteger))

ingested = Table(
    "ingested",
    METADATA,
    _key("sha256"),
    _value("path"),
    _value("kind"),
    _value("rows", Integer),
    _value("recorded_at", BigInteger),
)

quarantine = Table(
    "quarantine",
    METADATA,
    _key("sha256"),
    _key("place"),
    _value("path"),
    _value("reason"),
    _value("content"),
    _value("recorded_at", BigInteger),
)

KNOWN_AT = {
    metric_values: "filed_at",
    bars: "closed_at",
    quotes: "closed_at",
    flows: "closed_at",
    news: "published_at",
    news_companies: "published_at",
}


def seconds(time: datetime) -> int:
    """Whole seconds since 1970 UTC, rounded down.

    Raises:
        ValueError: if the time has no zone; a naive time could mean any.
    """
    if time.tzinfo is None:
        raise ValueError(f"{time} has no time zone; as_of and now are aware")
    return int(time.timestamp() // 1)


@lru_cache(maxsize=50_000)
def moment(stored: int) -> datetime:
    """The aware time of stored seconds."""
    return datetime.fromtimestamp(stored, UTC)


def is_synthetic(source: str) -> bool:
    """Whether a row of that source was invented."""
    return source.startswith(SYNTHETIC)
