"""The dates a year before those that were asked."""

from datetime import date

from finground.answer import year_before
from finground.records.request import Interval


def test_the_year_before_keeps_days_and_ends_february_with_its_last():
    asked = Interval(date(2023, 7, 1), date(2024, 2, 29))
    assert year_before(asked) == Interval(date(2022, 7, 1), date(2023, 2, 28))
