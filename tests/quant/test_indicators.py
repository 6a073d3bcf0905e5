"""Indicators equal references written from their definitions; the warm-up is undefined (case R1)."""

import random
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from finground.quant.indicators import (
    Cross,
    average,
    bollinger,
    chaikin_money_flow,
    crosses,
    macd,
    money_flow_index,
    rsi,
)


@pytest.fixture(scope="module")
def close():
    rng = random.Random(3)
    values = [100.0]
    for _ in range(119):
        values.append(values[-1] * (1 + rng.uniform(-0.03, 0.031)))
    return np.array(values)


def wilder_rsi(close, days):
    gains = [max(b - a, 0) for a, b in pairwise(close)]
    losses = [max(a - b, 0) for a, b in pairwise(close)]
    gain, loss = sum(gains[:days]) / days, sum(losses[:days]) / days
    found = [float("nan")] * days + [100 * gain / (gain + loss)]
    for up, down in zip(gains[days:], losses[days:], strict=True):
        gain, loss = (gain * (days - 1) + up) / days, (loss * (days - 1) + down) / days
        found.append(100 * gain / (gain + loss))
    return found


def exponential(values, days, first):
    """Seeded with the plain mean of the `days` values up to and with `first`."""
    mean = sum(values[first - days + 1 : first + 1]) / days
    found = [float("nan")] * first + [mean]
    for value in values[first + 1 :]:
        mean += (value - mean) * 2 / (days + 1)
        found.append(mean)
    return found


@pytest.mark.parametrize("days", [6, 12, 14])
def test_rsi_is_wilders_and_undefined_until_its_window_is_full(close, days):
    assert np.isnan(rsi(close, days)[:days]).all()
    np.testing.assert_allclose(rsi(close, days), wilder_rsi(close, days), atol=1e-6)


def test_macd_is_the_difference_of_two_exponential_averages_and_its_signal_theirs(close):
    line = np.array(exponential(close, 12, 25)) - np.array(exponential(close, 26, 25))
    signal = exponential(line, 9, 33)
    ours, smoothed = macd(close)
    assert np.isnan(ours[:33]).all() and np.isnan(smoothed[:33]).all()
    np.testing.assert_allclose(ours[33:], line[33:], atol=1e-6)
    np.testing.assert_allclose(smoothed[33:], signal[33:], atol=1e-6)


@pytest.mark.parametrize("days", [5, 10, 20, 60])
def test_a_moving_average_is_the_mean_of_its_window(close, days):
    assert np.isnan(average(close, days)[: days - 1]).all()
    assert average(close, days)[-1] == pytest.approx(close[-days:].mean(), abs=1e-6)


def test_bollinger_bands_lie_two_population_deviations_off(close):
    upper, middle, lower = bollinger(close)
    assert np.isnan(upper[:19]).all()
    assert upper[-1] == pytest.approx(close[-20:].mean() + 2 * close[-20:].std(), abs=1e-6)
    assert lower[-1] == pytest.approx(2 * middle[-1] - upper[-1], abs=1e-6)


def money(close, days=10):
    """High, low and volume of sessions around the closes, one of them at one price."""
    rng = random.Random(5)
    high = np.array([value + rng.uniform(0, 2) for value in close])
    low = np.array([value - rng.uniform(0, 2) for value in close])
    high[50] = low[50] = close[50]
    return high, low, close, np.array([rng.uniform(1e5, 1e6) for _ in close])


def test_the_money_flow_index_is_the_share_of_money_on_higher_typical_prices(close):
    high, low, close, volume = money(close)
    typical = (high + low + close) / 3
    found = money_flow_index(high, low, close, volume, 10)
    assert np.isnan(found[:10]).all()
    for at in range(10, len(close)):
        window = range(at - 9, at + 1)
        up = sum(typical[i] * volume[i] for i in window if typical[i] > typical[i - 1])
        down = sum(typical[i] * volume[i] for i in window if typical[i] < typical[i - 1])
        assert found[at] == pytest.approx(100 * up / (up + down), abs=1e-6)


def test_chaikin_money_flow_weighs_volume_by_the_place_of_the_close(close):
    high, low, close, volume = money(close)
    found = chaikin_money_flow(high, low, close, volume, 10)
    assert np.isnan(found[:9]).all()
    for at in range(9, len(close)):
        window = range(at - 9, at + 1)
        flow = sum(
            volume[i] * ((close[i] - low[i]) - (high[i] - close[i])) / (high[i] - low[i])
            for i in window
            if high[i] > low[i]
        )
        assert found[at] == pytest.approx(flow / sum(volume[i] for i in window), abs=1e-6)
    assert np.isnan(chaikin_money_flow(high, low, close, np.zeros(len(close)), 10)).all()


def test_a_cross_is_golden_from_below_and_death_from_above_and_touching_is_none():
    line = np.array([np.nan, -1.0, 1.0, 1.0, 0.0, 1.0, -2.0])
    assert crosses(line, np.zeros(7)) == [Cross(2, True, True), Cross(6, False, False)]


def test_loading_talib_loads_no_pandas_and_leaves_it_importable():
    code = (
        "import sys; from finground.quant.indicators import talib; talib();"
        "assert 'pandas' not in sys.modules; import pandas; assert pandas.DataFrame"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
