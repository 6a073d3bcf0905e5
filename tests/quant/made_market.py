"""A small made-up market: series and facts built by hand."""

from datetime import UTC, date, datetime, timedelta

import numpy as np

from finground.records.bundle import Bundle, Fact, Passage, Series

AS_OF = datetime(2024, 6, 28, 23, 59, 59, tzinfo=UTC)


def sessions(n, last=date(2024, 6, 28)):
    """The closes of the last `n` weekdays up to `last`, as the store gives them."""
    days = []
    while len(days) < n:
        if last.weekday() < 5:
            days.append(last)
        last -= timedelta(days=1)
    return np.array([f"{day}T20:00:00" for day in reversed(days)], dtype="datetime64[s]")


def bars(closes, entity="us:AAA", last=date(2024, 6, 28), source="synthetic test", **columns):
    close = np.asarray(closes, dtype=np.float64)
    shape = {
        "open": close,
        "high": close + 1,
        "low": close - 1,
        "close": close,
        "volume": np.full(len(close), 1000.0),
    }
    shape |= {name: np.asarray(values, dtype=np.float64) for name, values in columns.items()}
    return Series(
        f"bars:{entity}",
        entity,
        tuple(shape),
        sessions(len(close), last),
        tuple(shape.values()),
        "USD",
        source,
    )


def flows(n=70, entity="us:AAA", last=date(2024, 6, 28), **columns):
    shape = {
        "large_order_buy_shares": np.full(n, 300.0),
        "large_order_sell_shares": np.full(n, 200.0),
        "float_shares": np.full(n, 10_000.0),
        "margin_balance": np.linspace(100.0, 169.0, n),
        "institutional_share": np.linspace(0.5, 0.569, n),
        "control_level": np.full(n, 0.5),
    } | {name: np.asarray(values, dtype=np.float64) for name, values in columns.items()}
    return Series(
        f"flows:{entity}", entity, tuple(shape), sessions(n, last), tuple(shape.values()), None, "test"
    )


def fact(metric, value, end, *, start=None, entity="us:AAA", filed=None, unit="currency", currency="USD"):
    filed = filed or datetime(end.year, end.month, end.day, 12, tzinfo=UTC) + timedelta(days=30)
    mark = f"{entity}/{metric}/{end}/{filed.date()}"
    return Fact(mark, entity, metric, value, unit, currency, start, end, filed, filed, "test")


def quarterly(metric, values, **kind):
    """Quarters up to 2024-03-31, newest first."""
    ends = [date(2024, 3, 31), date(2023, 12, 31), date(2023, 9, 30), date(2023, 6, 30), date(2023, 3, 31)]
    return [
        fact(metric, value, end, start=end - timedelta(days=90), **kind)
        for value, end in zip(values, ends, strict=False)
    ]


def news(day, headline, id="n1", hour=14):
    return Passage(id, datetime(2024, 6, day, hour, tzinfo=UTC), "Test Wire", headline, "", "", ("AAA",), 0.5)


def bundle(series=(), facts=(), passages=()):
    return Bundle(AS_OF, tuple(facts), tuple(series), tuple(passages))


NAMES = {"us:AAA": "Aaa Corp", "us:BBB": "Bbb Inc", "us:CCC": "Ccc Ltd"}
