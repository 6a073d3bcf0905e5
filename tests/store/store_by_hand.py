"""What the store's tests are written with: raw files by hand, a stand-in for the encoder, rows of figures."""

import gzip
import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import numpy as np

from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies
from finground.catalog.metrics import Metric, Metrics
from finground.store.facts import Reported
from finground.store.ingest import Ingested, ingest
from finground.store.reader import Store
from finground.store.schema import seconds

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HEADER = "Date,Open,High,Low,Close,Adj Close,Volume\n"
REVENUE = Metric("revenue", "Revenue", tags=("Revenues", "SalesRevenueNet"))
METRICS = Metrics(
    (
        REVENUE,
        Metric("income", "Income", tags=("NetIncomeLoss",)),
        Metric("equity", "Equity", instant=True, tags=("StockholdersEquity",)),
        Metric("eps", "EPS", unit="per-share", tags=("EarningsPerShareDiluted",)),
        Metric(
            "shares-outstanding", "Shares Outstanding", unit="shares", instant=True, tags=("EntityShares",)
        ),
        Metric("margin", "Margin", unit="ratio", formula="income / revenue"),
        Metric("return", "Return", unit="ratio", formula="income / equity"),
        Metric("stock-price", "Stock Price", unit="per-share", frequency="daily"),
        Metric("volume", "Volume", unit="shares", frequency="daily"),
        Metric("stock-price-growth", "Stock Price Growth", unit="ratio", frequency="daily"),
        Metric(
            "market-capitalisation",
            "Market Value",
            frequency="daily",
            formula="stock-price * shares-outstanding",
        ),
        Metric("beta", "Beta", unit="ratio", frequency="daily"),
    )
)


def end_of(year: int, month: int, day: int) -> datetime:
    """The last microsecond of a day, UTC: what a bare date means."""
    return datetime(year, month, day, 23, 59, 59, 999999, tzinfo=UTC)


def reported(value: float, period: str, filed: str, form: str = "10-Q") -> dict[str, Any]:
    """An EDGAR fact: `period` is "2023-01-01..2023-03-31", or a day."""
    start, _, end = period.rpartition("..")
    days = {"start": start, "end": end} if start else {"end": end}
    return {**days, "val": value, "accn": f"1-{filed}", "fy": 2023, "fp": "Q1", "form": form, "filed": filed}


def company_facts(cik: int, name: str, tags: dict[str, list[dict[str, Any]]], unit: str = "USD") -> str:
    """A company facts file whose tags are all in one unit."""
    us_gaap = {tag: {"label": tag, "units": {unit: rows}} for tag, rows in tags.items()}
    return json.dumps({"cik": cik, "entityName": name, "facts": {"us-gaap": us_gaap}})


def headline(ts: str, title: str, *matched: str) -> str:
    return (
        json.dumps({"ts": ts, "title": title, "href": f"http://x/{len(title)}", "matched": list(matched)})
        + "\n"
    )


def write(path: Path, text: str) -> Path:
    """A file with its folders; packed if the name ends in .gz."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode())
    return path


def vectors_of(texts: list[str]) -> np.ndarray:
    """A stand-in for the encoder: a unit vector that depends on the text alone."""
    rows = [np.random.default_rng(list(text.encode())).normal(size=8) for text in texts]
    return np.array([row / np.linalg.norm(row) for row in rows], dtype=np.float32)


@dataclass
class World:
    """A raw folder and the store it is read into."""

    raw: Path
    place: Path | str
    store: Store

    def ingest(self, now: datetime = NOW) -> Ingested:
        return ingest(self.store, self.raw, now=now, metrics=METRICS, embed=vectors_of)

    @property
    def catalog(self) -> Catalog:
        return Catalog(Companies(self.store.companies()), METRICS)


def row(
    value: float,
    period: str,
    filed: str,
    *,
    tag: str = "Revenues",
    preference: int = 0,
    metric: str = "revenue",
    currency: str | None = "USD",
) -> Reported:
    """`period` is "2023-01-01..2023-03-31", or a day."""
    start, _, end = period.rpartition("..")
    known = seconds(datetime.combine(date.fromisoformat(filed), time(23, 59, 59), UTC))
    return Reported(
        "c",
        metric,
        tag,
        preference,
        date.fromisoformat(start or end),
        date.fromisoformat(end),
        value,
        "currency",
        currency,
        known,
        f"1-{filed}",
        "10-Q",
        "EDGAR",
        known,
    )
