"""Filed figures: they add up, and they carry the traps of the real ones."""

from collections import defaultdict
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from finground.core.artifact import read_json
from finground.sample.calendar import quarters, trading_days, weekday_from, years_before

REVENUES = ("Revenues", "RevenueFromContractWithCustomerExcludingAssessedTax")


@pytest.fixture(scope="module")
def facts(world: Path) -> list[dict[str, Any]]:
    return [read_json(path) for path in sorted((world / "sec" / "companyfacts").glob("*.json.gz"))]


def rows(company: dict[str, Any], tag: str, unit: str = "USD") -> list[dict[str, Any]]:
    return company["facts"]["us-gaap"].get(tag, {"units": {}})["units"].get(unit, [])


def revenue(company: dict[str, Any]) -> list[dict[str, Any]]:
    return rows(company, REVENUES[0]) or rows(company, REVENUES[1])


def days(row: dict[str, Any]) -> int:
    return (date.fromisoformat(row["end"]) - date.fromisoformat(row["start"])).days + 1


def test_every_balance_sheet_balances(facts):
    for company in facts:
        held = {
            tag: {(row["accn"], row["end"]): row["val"] for row in rows(company, tag)}
            for tag in (
                "Assets",
                "Liabilities",
                "StockholdersEquity",
                "CashAndCashEquivalentsAtCarryingValue",
            )
        }
        for key, assets in held["Assets"].items():
            assert assets == held["Liabilities"][key] + held["StockholdersEquity"][key]
            assert held["CashAndCashEquivalentsAtCarryingValue"][key] > 0


def test_the_three_cash_flows_make_the_change_of_cash(facts):
    change = "PeriodIncreaseDecreaseIncludingExchangeRateEffect"
    for company in facts:
        held = {
            (row["accn"], row["end"]): row["val"]
            for row in rows(company, "CashAndCashEquivalentsAtCarryingValue")
        }
        (tag,) = [tag for tag in company["facts"]["us-gaap"] if tag.endswith(change)]
        for row in rows(company, tag):
            opening = (date.fromisoformat(row["start"]) - timedelta(days=1)).isoformat()
            if (row["accn"], opening) in held:
                assert held[row["accn"], row["end"]] - held[row["accn"], opening] == row["val"]


def test_a_third_quarter_report_holds_four_revenues_under_one_label(facts):
    by_filing = defaultdict(list)
    for row in revenue(facts[0]):
        if row["form"] == "10-Q" and row["fp"] == "Q3":
            by_filing[row["accn"]].append(row)
    assert by_filing
    for filed in by_filing.values():
        assert sorted(round(days(row) / 91) for row in filed) == [1, 1, 3, 3]
        assert len({row["fy"] for row in filed}) == 1 and len({row["end"] for row in filed}) == 2


def test_annual_reports_give_full_years_only(facts):
    for company in facts:
        for tag in company["facts"]["us-gaap"]:
            annual = [row for row in rows(company, tag) if row["form"] == "10-K" and "start" in row]
            assert all(days(row) > 360 for row in annual)


def test_nine_months_are_the_sum_of_three_quarters(facts):
    for company in facts[:8]:
        original = [row for row in revenue(company) if row["form"] in ("10-Q", "10-Q/A")]
        latest = {
            (row["start"], row["end"]): row["val"] for row in sorted(original, key=lambda row: row["filed"])
        }
        quarter = {end: value for (start, end), value in latest.items() if span(start, end) < 100}
        for (start, end), value in latest.items():
            parts = [q for at, q in quarter.items() if start <= at <= end]
            if span(start, end) > 260 and len(parts) == 3:
                assert sum(parts) == value


def span(start: str, end: str) -> int:
    return (date.fromisoformat(end) - date.fromisoformat(start)).days


def test_some_figures_are_restated_by_an_amendment_or_a_later_annual_report(facts):
    forms = set()
    for company in facts:
        first: dict[tuple[str, str], float] = {}
        for row in sorted(revenue(company), key=lambda row: row["filed"]):
            if first.setdefault((row["start"], row["end"]), row["val"]) != row["val"]:
                forms.add(row["form"])
    assert forms >= {"10-Q/A", "10-K"}


def test_the_frame_is_on_one_value_of_a_period_the_last_filed(facts):
    for row in (framed := [row for row in revenue(facts[2]) if "frame" in row]):
        same = [
            other
            for other in revenue(facts[2])
            if (other["start"], other["end"]) == (row["start"], row["end"])
        ]
        assert row["filed"] == max(other["filed"] for other in same)
    assert len({row["frame"] for row in framed}) == len(framed)


def test_nothing_is_filed_before_its_period_ends_nor_after_the_last_day(facts):
    for company in facts:
        for row in revenue(company):
            assert row["end"] < row["filed"] <= "2025-06-30"


def test_fiscal_years_end_in_december_june_january_or_on_a_saturday(facts):
    ends = {row["end"][5:7] for company in facts for row in revenue(company) if row["form"] == "10-K"}
    assert ends == {"12", "06", "01", "09"}
    saturday = [row for c in facts for row in revenue(c) if row["form"] == "10-K" and row["end"][5:7] == "09"]
    assert {days(row) for row in saturday} == {52 * 7, 53 * 7}


def test_the_last_saturdays_of_september_give_a_year_of_53_weeks_in_2023():
    year = [
        quarter
        for quarter in quarters("saturday", date(2021, 9, 1), date(2024, 12, 31))
        if quarter.year == 2023
    ]
    assert (year[0].start, year[-1].end) == (date(2022, 9, 25), date(2023, 9, 30))
    assert [(quarter.end - quarter.start).days + 1 for quarter in year] == [98, 91, 91, 91]


def test_quarters_follow_one_another_without_a_day_between():
    for calendar in ("december", "june", "january", "saturday"):
        spans = quarters(calendar, date(2018, 2, 1), date(2025, 6, 30))
        assert spans[0].number == 1 and spans[0].start >= date(2018, 2, 1)
        assert all(a.end + timedelta(days=1) == b.start for a, b in pairwise(spans))


def test_trading_days_are_weekdays_without_fixed_holidays():
    assert trading_days(date(2024, 12, 23), date(2024, 12, 29)) == [
        date(2024, 12, d) for d in (23, 24, 26, 27)
    ]
    assert weekday_from(date(2024, 12, 28)) == date(2024, 12, 30)
    assert years_before(date(2024, 2, 29), 1) == date(2023, 2, 28)
