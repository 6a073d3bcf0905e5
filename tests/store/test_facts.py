"""Fiscal periods out of filings: restatements, a quarter's own figures, the calendar asked."""

from datetime import date

import pytest
from store_by_hand import row

from finground.catalog.metrics import Metric, Metrics
from finground.records.request import Interval
from finground.store.computed import Ledger
from finground.store.facts import align, figures, is_trailing, latest

REVENUE = Metric("revenue", "Revenue", tags=("Revenues", "SalesRevenueNet"))
EPS = Metric("eps", "EPS", unit="per-share", tags=("EarningsPerShareDiluted",))
CASH = Metric("cash", "Cash", instant=True, tags=("Cash",))
Q2 = Interval(date(2023, 4, 1), date(2023, 6, 30))
TODAY = date(2024, 1, 1)


def values(metric, rows, kind):
    return [(fact.period_end.isoformat(), fact.value) for fact in figures(metric, rows).get(kind, [])]


def test_of_two_filings_for_a_period_the_last_one_counts():
    rows = [row(5, "2023-01-01..2023-03-31", "2023-05-01"), row(6, "2023-01-01..2023-03-31", "2023-08-01")]
    assert values(REVENUE, rows, "quarter") == [("2023-03-31", 6)]


def test_a_figure_repeated_later_is_known_from_its_first_filing():
    rows = [row(5, "2023-01-01..2023-03-31", filed) for filed in ("2023-05-01", "2024-05-01")]
    assert figures(REVENUE, rows)["quarter"][0].filed_at.date() == date(2023, 5, 1)


def test_four_revenues_under_one_label_give_the_quarters_own_figure():
    rows = [
        row(330, "2023-01-01..2023-09-30", "2023-11-01"), row(120, "2023-07-01..2023-09-30", "2023-11-01"),
        row(300, "2022-01-01..2022-09-30", "2023-11-01"), row(105, "2022-07-01..2022-09-30", "2023-11-01"),
    ]  # fmt: skip
    assert values(REVENUE, rows, "quarter") == [("2022-09-30", 105), ("2023-09-30", 120)]


def test_the_fourth_quarter_is_the_year_minus_nine_months_and_says_so():
    rows = [
        row(480, "2023-01-01..2023-12-31", "2024-02-15"),
        row(330, "2023-01-01..2023-09-30", "2023-11-01"),
    ]
    (fact,) = figures(REVENUE, rows)["quarter"]
    assert (fact.value, fact.rule) == (150, "year minus nine months")
    assert (fact.period_start, fact.filed_at.date()) == (date(2023, 10, 1), date(2024, 2, 15))
    assert fact.source.count("EDGAR") == 2


def test_cash_flows_filed_only_year_to_date_have_quarters_too():
    rows = [row(10, "2023-01-01..2023-03-31", "2023-05-01"), row(25, "2023-01-01..2023-06-30", "2023-08-01")]
    found = figures(REVENUE, rows)["quarter"]
    assert [(fact.value, fact.rule) for fact in found] == [(10, ""), (15, "six months minus three months")]


def test_what_is_per_share_is_never_subtracted():
    rows = [
        row(4, "2023-01-01..2023-12-31", "2024-02-15", metric="eps"),
        row(3, "2023-01-01..2023-09-30", "2023-11-01"),
    ]
    assert figures(EPS, rows)["quarter"] == []
    known = figures(EPS, [*rows, row(5, "2024-01-01..2024-03-31", "2024-05-01")])
    _, gap = align(EPS, known, Interval(date(2023, 10, 1), date(2023, 12, 31)), "c", TODAY)
    assert gap.why.endswith("; figures per share of longer periods are not subtracted")


@pytest.mark.parametrize(
    "period", ["2023-04-02..2023-07-01", "2023-03-26..2023-07-01", "2023-05-01..2023-07-31"]
)
def test_weeks_and_odd_year_ends_map_to_the_period_with_the_largest_overlap(period):
    known = figures(REVENUE, [row(7, period, "2023-08-20"), row(6, "2022-12-25..2023-03-25", "2023-05-01")])
    facts, gap = align(REVENUE, known, Q2, "c", TODAY)
    assert [fact.value for fact in facts] == [7] and gap is None


def test_a_quarter_not_filed_yet_is_a_gap_that_shows_the_last_one():
    known = figures(REVENUE, [row(6, "2023-01-01..2023-04-01", "2023-05-01")])
    facts, gap = align(REVENUE, known, Q2, "c", date(2023, 7, 30))
    assert facts == [] and gap.nearest.value == 6
    assert gap.why == "not filed by 2023-07-30; the last filed is of 2023-01-01 to 2023-04-01"


def test_a_year_asked_is_the_fiscal_year_and_a_longer_time_is_its_quarters():
    rows = [row(99, "2021-09-26..2022-09-24", "2022-10-28"), row(20, "2022-06-26..2022-09-24", "2022-10-28")]
    year, _ = align(
        REVENUE, figures(REVENUE, rows), Interval(date(2022, 1, 1), date(2022, 12, 31)), "c", TODAY
    )
    long, gap = align(
        REVENUE, figures(REVENUE, rows), Interval(date(2022, 1, 1), date(2022, 9, 30)), "c", TODAY
    )
    assert [fact.value for fact in year] == [99] and [fact.value for fact in long] == [20] and gap is None


def test_a_balance_stands_for_the_quarter_that_ends_on_its_day():
    known = figures(CASH, [row(1, "2023-04-01", "2023-05-01"), row(2, "2023-07-01", "2023-08-01")])
    assert [fact.value for fact in align(CASH, known, Q2, "c", TODAY)[0]] == [2]
    assert latest(CASH, known)[0].period_start is None


def quarters_of(year, values):
    """Four quarters filed a month after their ends."""
    ends = (("01-01", "03-31", "05-01"), ("04-01", "06-30", "08-01"), ("07-01", "09-30", "11-01"))
    rows = [
        row(value, f"{year}-{start}..{year}-{end}", f"{year}-{filed}")
        for value, (start, end, filed) in zip(values, ends, strict=False)
    ]
    return [*rows, row(sum(values), f"{year}-01-01..{year}-12-31", f"{year + 1}-02-15")]


def test_twelve_months_that_are_no_calendar_year_are_the_last_four_quarters():
    rows = quarters_of(2022, (1, 2, 3, 4)) + quarters_of(2023, (5, 6, 7, 8))[:2]
    rows.append(row(6, "2022-01-01..2022-09-30", "2022-11-01"))  # so that Q4 2022 is 10 - 6
    ledger = Ledger({"revenue": rows}, Metrics((REVENUE,)))
    assert [(fact.period_end.isoformat(), fact.value) for fact in ledger.trailing("revenue")] == [
        ("2022-12-31", 10), ("2023-03-31", 2 + 3 + 4 + 5), ("2023-06-30", 3 + 4 + 5 + 6),
    ]  # fmt: skip
    last = ledger.trailing("revenue")[-1]
    assert last.rule == (
        "trailing twelve months: sum of the quarters ended 2022-09-30, 2022-12-31, 2023-03-31, 2023-06-30"
    )
    assert last.source.count("EDGAR") == 4 and last.period_start == date(2022, 7, 1)


def test_only_twelve_months_that_are_no_calendar_year_are_trailing():
    assert is_trailing(Interval(date(2022, 7, 7), date(2023, 7, 6)))
    assert not is_trailing(Interval(date(2023, 1, 1), date(2023, 12, 31)))
    assert not is_trailing(Interval(date(2023, 4, 1), date(2023, 9, 30)))


def test_ratios_of_twelve_months_are_of_the_sums_and_per_share_figures_are_not_added():
    income = Metric("income", "Income", tags=("NetIncomeLoss",))
    margin = Metric("margin", "Margin", unit="ratio", formula="income / revenue")
    rows = {
        "revenue": [one for year in (2022, 2023) for one in quarters_of(year, (10, 10, 10, 10))[:3]],
        "income": [one for year in (2022, 2023) for one in quarters_of(year, (1, 2, 3, 4))[:3]],
        "eps": [one for year in (2022, 2023) for one in quarters_of(year, (1, 2, 3, 4))[:3]],
    }
    for slug in ("revenue", "income"):  # the fourth quarter as filed
        rows[slug].append(row(10 if slug == "revenue" else 4, "2022-10-01..2022-12-31", "2023-02-15"))
    ledger = Ledger(
        {slug: [one._replace(metric=slug) for one in own] for slug, own in rows.items()},
        Metrics((REVENUE, income, margin, EPS)),
    )
    assert [round(fact.value, 6) for fact in ledger.trailing("margin")] == [0.25, 0.25, 0.25, 0.25]
    assert ledger.trailing("eps") == []


@pytest.mark.parametrize(
    ("period", "kind"),
    [
        ("2023-01-29..2023-05-20", "quarter"),  # 16 weeks, as Kroger's first
        ("2023-05-21..2023-08-12", "quarter"),  # 12 weeks
        ("2022-09-25..2023-09-30", "year"),  # 53 weeks, as Apple's 2023
        ("2022-09-25..2023-04-01", "year-to-date"),
        ("2022-09-25..2023-07-01", "year-to-date"),
    ],
)
def test_periods_of_weeks_are_what_they_are(period, kind):
    assert [k for k, facts in figures(REVENUE, [row(1, period, "2023-11-01")]).items() if facts] == [kind]


@pytest.mark.parametrize(
    ("period", "filed", "fiscal", "named"),
    [
        ("2023-04-02..2023-07-01", "2023-08-04", (2023, "Q3"), "fiscal Q3 2023 (calendar Q2 2023)"),
        ("2022-09-25..2023-09-30", "2023-11-03", (2023, "FY"), "fiscal year 2023 (calendar 2023)"),
        ("2023-05-01..2023-07-31", "2023-08-31", (2024, "Q2"), "fiscal Q2 2024 (calendar Q2 2023)"),
        ("2023-04-02..2023-07-01", "2024-08-02", (2024, "Q3"), ""),  # the next year's report calls it its own
    ],
)
def test_a_period_keeps_the_companys_name_and_the_calendars(period, filed, fiscal, named):
    one = row(1, period, filed)._replace(fiscal_year=fiscal[0], fiscal_period=fiscal[1])
    (fact,) = [fact for facts in figures(REVENUE, [one]).values() for fact in facts]
    assert fact.rule == named


def test_a_preferred_tag_wins_and_another_fills_where_it_is_missing():
    rows = [
        row(1, "2023-01-01..2023-03-31", "2023-05-01", tag="SalesRevenueNet", preference=1),
        row(2, "2023-01-01..2023-03-31", "2023-05-01"),
        row(3, "2022-10-01..2022-12-31", "2023-02-01", tag="SalesRevenueNet", preference=1),
    ]
    assert values(REVENUE, rows, "quarter") == [("2022-12-31", 3), ("2023-03-31", 2)]
