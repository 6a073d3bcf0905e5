"""Briefs built by hand: two companies with a quarter each, and one with everything the six tools find."""

from datetime import UTC, date, datetime

import numpy as np

from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies, Company
from finground.catalog.metrics import Metrics
from finground.records.bundle import Bundle, Fact, Finding, Passage, Series
from finground.records.report import Plan, Subtask
from finground.records.request import Entity, Request, RequestedMetric
from finground.report.brief import Brief

AS_OF = datetime(2024, 6, 28, 23, 59, 59, tzinfo=UTC)
CATALOG = Catalog(
    Companies([
        Company("us:AAA", "Aaa Corp", "AAA", "Industrials", "Machinery"),
        Company("us:BBB", "Bbb Inc", "BBB", "Industrials", "Machinery"),
    ]),
    Metrics.load(),
)  # fmt: skip
NAMES = {"us:AAA": "Aaa Corp", "us:BBB": "Bbb Inc"}
TOOLS = ("volume-price", "technical", "capital-flow", "financial", "fundamental", "catalysts")


def fact(entity, value, end=date(2024, 3, 31), metric="net-income", currency="USD", unit="currency"):
    filed = datetime(2024, 5, 2, 23, 59, 59, tzinfo=UTC)
    start = date(end.year, end.month - 2, 1)
    return Fact(
        f"{entity}/{metric}/{end}",
        entity,
        metric,
        value,
        unit,
        currency,
        start,
        end,
        filed,
        filed,
        "test filing",
    )


def data_brief(
    facts=(), *, query="How do Aaa Corp and Bbb Inc compare by net income?", kind="comparative", **parts
):
    companies = parts.pop("companies", ("us:AAA", "us:BBB"))
    entities = tuple(Entity("company", id, NAMES[id]) for id in companies)
    slugs = parts.pop("metrics", ("net-income",))
    metrics = tuple(RequestedMetric(slug, at == 0) for at, slug in enumerate(slugs))
    request = Request(
        kind, entities, metrics, interval=parts.pop("interval", None),
        rank=parts.pop("rank", None), unresolved=parts.pop("unresolved", ()),
    )  # fmt: skip
    bundle = Bundle(AS_OF, tuple(facts), **{"synthetic": False, **parts})
    return Brief(query, Plan("data", (Subtask("read", "lookup", "asked"),)), request, bundle, (), CATALOG)


def finding(tool, name, value, unit, text, signal="neutral", end=date(2024, 6, 28)):
    return Finding(f"{tool}/{name}", tool, "us:AAA", name, value, unit, None, end, (), signal, text)


def prices(n=5):
    times = np.array([f"2024-06-{24 + at}T20:00:00" for at in range(n)], dtype="datetime64[s]")
    close = np.linspace(25.0, 25.28, n)
    return Series("bars:us:AAA", "us:AAA", ("close",), times, (close,), "USD", "test prices")


FOUND = """
volume-price|last-price|25.28|USD|The last price is 25.28 USD on 2024-06-28.
volume-price|change|-12.0|percent|The price is down 12.00% on 2024-06-28 against the session before.|bearish
technical|macd-cross|golden cross above the zero axis|word|MACD formed a golden cross above the zero axis on 2024-06-20.|bullish
technical|rsi|80.54|points|RSI(14) is 80.54, overbought.|bearish
technical|moving-averages|bullish alignment|word|The moving averages are in bullish alignment: 5-day 25.10.|bullish
capital-flow|ddx-5-day|6.397|percent of float|The 5-day cumulative DDX is 6.397, a net inflow of large orders.|bullish
capital-flow|control-level|medium|word|Control by main funds is at a medium level (0.50).
financial|net-income|19881000000.0|USD|Net income of the quarter ended 2024-03-31 is 19,881 million USD, filed 2024-05-02.
financial|net-income-yoy|-22.63|percent|Net income is down 22.63% year on year.|bearish
fundamental|price-to-earnings|26.4|ratio|The P/E ratio is 26.40, above the median of 8 peers, 18.00.|bearish
catalysts|news-1|Aaa to hold a meeting on 3 plants|headline|On 2024-06-27 Test Wire wrote: "Aaa to hold a meeting on 3 plants".
catalysts|movement|usual|word|No unusual movement in the past 15 days.
"""  # noqa: E501 - one finding a line: tool, name, value, unit, text, signal


def _findings():
    for line in FOUND.strip().split("\n"):
        tool, name, value, unit, text, *signal = line.split("|")
        number = value if unit in ("word", "headline") else float(value)
        yield finding(tool, name, number, unit, text, *signal)


FINDINGS = tuple(_findings())
HEADLINE = "Aaa to hold a meeting on 3 plants"
NEWS = (Passage("n1", datetime(2024, 6, 27, 14, tzinfo=UTC), "Test Wire", HEADLINE, "", "", ("AAA",), 0.4),)


def analysis_brief(findings=FINDINGS, *, passages=NEWS, gaps=(), synthetic=False, series=None, profile=None):
    request = Request("analysis", (Entity("company", "us:AAA", "Aaa Corp"),), ())
    plan = Plan("analysis", tuple(Subtask(f"look at {tool}", tool, "an analysis") for tool in TOOLS))
    bundle = Bundle(AS_OF, (), (prices(),) if series is None else series, passages, gaps, synthetic)
    return Brief("Please analyze Aaa Corp.", plan, request, bundle, tuple(findings), CATALOG, profile)
