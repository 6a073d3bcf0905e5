"""Lots and limits of exchanges, by market code and day."""

from datetime import date

import pytest

from finground.quant.exchanges import exchange_of


@pytest.mark.parametrize(
    ("entity", "day", "lot", "limit"),
    [
        ("XSHG:600036", date(2017, 7, 26), 100, 10.0),
        ("XSHE:300104", date(2020, 8, 21), 100, 10.0),
        ("XSHE:300104", date(2020, 8, 24), 100, 20.0),
        ("XSHG:688001", date(2020, 1, 2), 100, 20.0),
        ("XTAI:3450", date(2015, 5, 29), 1000, 7.0),
        ("XTAI:3450", date(2026, 7, 9), 1000, 10.0),
        ("cik:0000320193", date(2024, 1, 2), 100, None),
    ],
)
def test_rules_follow_market_board_and_day(entity, day, lot, limit):
    found = exchange_of(entity, day)
    assert (found.lot, found.limit) == (lot, limit)


def test_the_limit_price_is_rounded_to_a_tick():
    shanghai = exchange_of("XSHG:600036", date(2017, 1, 3))
    assert shanghai.at_limit(11.03, 10.03)  # 11.033
    assert not shanghai.at_limit(11.02, 10.03) and not shanghai.at_limit(10.03, 10.03)
    taiwan = exchange_of("XTAI:3450", date(2026, 7, 9))
    assert taiwan.at_limit(524.0, 477.0) and not taiwan.at_limit(523.0, 477.0)  # 524.7 in steps of 1
    assert taiwan.at_limit(427.0, 474.0) and not taiwan.at_limit(427.5, 474.0)  # 426.6 in steps of 0.5
    assert not exchange_of("us:AAA", date(2024, 1, 2)).at_limit(20.0, 10.0)
