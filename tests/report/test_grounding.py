"""Every number, date, quotation, ticker and direction traces to what was read; one changed digit does not."""

from dataclasses import replace
from datetime import date

import pytest
from made_brief import CATALOG, FINDINGS, analysis_brief, data_brief, fact, prices

from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies, Company
from finground.records.report import Report, Section
from finground.records.request import Rank
from finground.report.grounding import check
from finground.report.template import TemplateWriter


def flaws(text, brief=None):
    report = Report("analysis", (Section("text", text),), "test", "complete")
    return [flaw.text for flaw in check(report, brief or analysis_brief()).ungrounded]


@pytest.mark.parametrize(
    "text",
    [
        "The last price is 25.28 USD.",
        "The last price is 25.3 USD.",
        "The last price is $25.28.",
        "RSI is 80.5.",
        "The price is down 12%.",
        "The price moved -12.00%.",
        "The price fell by 12 percent.",
        "DDX comes to 6.397.",
        "Net income is 19,881 million USD.",
        "Net income is 19.88 billion USD.",
        "The quarter ended on March 31, 2024.",
        "A golden cross formed on June 20th.",
        "The figures are of Q1 2024.",
        "On 2024-06-25 the close was 25.07 USD.",
        'The news says "hold a meeting on 3 plants".',
        "Net income is lower.",
        "Control is at a medium level, AAA.",
    ],
)
def test_what_was_read_may_be_said_rounded_rescaled_and_in_words(text):
    assert flaws(text) == []


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ("The last price is 25.29 USD.", "25.29 USD"),
        ("The last price is 25.4 USD.", "25.4 USD"),
        ("The last price is 25.28 EUR.", "25.28 EUR"),
        ("The last price is 25.28%.", "25.28%"),
        ("Net income is 19,891 million USD.", "19,891 million USD"),
        ("Net income is 19,881 billion USD.", "19,881 billion USD"),
        ("The price is up 12%.", "12%"),
        ("Net income is down 22.36%.", "22.36%"),
        ("A golden cross formed on 2024-06-20 and 2023-06-20.", "2023-06-20"),
        ("The figures are of Q3 2021.", "Q3 2021"),
        ("ZZZ leads the field.", "ZZZ"),
        ("A death cross formed.", "death cross"),
        ("Net income increased.", "increased"),
        ("Institutional analysis shows strong institutional control.", "strong institutional control"),
        ('The news says "a record order".', "a record order"),
        ("On 2024-06-25 the close was 25.14 USD.", "25.14 USD"),
    ],
)
def test_what_was_not_read_is_flagged(text, flaw):
    assert flaws(text) == [flaw]


def test_every_single_changed_digit_of_a_figure_is_found():
    figure = "19,881"
    for at, digit in enumerate(figure):
        if digit.isdigit():
            changed = f"{figure[:at]}{(int(digit) + 1) % 10}{figure[at + 1 :]}"
            assert flaws(f"Net income is {changed} million USD.")


def test_the_template_says_nothing_that_is_not_borne_out():
    for brief in (
        analysis_brief(),
        analysis_brief(synthetic=True),
        data_brief([fact("us:AAA", 19_881e6), fact("us:BBB", 18_368e6)]),
        data_brief([fact("us:AAA", 5e6), fact("us:AAA", 4e6, date(2023, 12, 31))], companies=("us:AAA",)),
    ):
        assert check(TemplateWriter().write(brief), brief).ungrounded == ()


def test_a_flaw_makes_a_report_partial_and_a_failed_one_stays_failed():
    report = Report("analysis", (Section("text", "It costs 99 USD."),), "test", "complete")
    assert check(report, analysis_brief()).status == "partial"
    assert check(replace(report, status="failed"), analysis_brief()).status == "failed"


def test_a_price_of_another_day_bears_out_only_a_sentence_that_names_the_day():
    brief = analysis_brief(FINDINGS, series=(prices(),))
    assert flaws("The close of 2024-06-24 was 25.00 USD.", brief) == []
    assert flaws("The close was 25.00 USD.", brief) == ["25.00 USD"]


# of whom and of what ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ("The P/E ratio is 25.28.", "25.28"),  # that is the price
        ("RSI is 26.40.", "26.40"),  # that is the P/E ratio
        ("Net income is down 12.00%.", "12.00%"),  # that is the price's change
        ("The 5-day cumulative DDX is 0.50.", "0.50"),  # that is the control level
        ("The last price is 25.28 USD on 2024-06-20.", "2024-06-20"),  # that is the day of the cross
        ("MACD formed a golden cross on 2024-06-25.", "2024-06-25"),
        ("The last price is -25.28 USD.", "-25.28 USD"),
        ("DDX comes to -6.397.", "-6.397"),
        ("The price is down -12%.", "12%"),
        ("The P/E ratio is 26.40, below the median of 8 peers, 18.00.", "below"),
        ("The P/E ratio is 26.40, above the median of 3 peers, 18.00.", "3"),
        ("The moving averages are in bearish alignment: 5-day 25.10.", "bearish"),
        ("The DDX shows a net outflow of large orders.", "outflow"),
        ("RSI(14) is oversold.", "oversold"),
        ("In the short term, the signals are mostly bearish and caution is suggested.", "bearish"),
        ("In the long term, attention is suggested.", "attention"),
        ("Aaa Corp (BBB) is calm.", "BBB"),
        ("The figures of Bbb Inc are good.", "Bbb Inc"),
    ],
)
def test_what_is_true_of_something_else_is_flagged(text, flaw):
    assert flaw in " ".join(flaws(text)) and len(flaws(text)) <= 2


FOREIGN = """
Aaa Corp (AAA) closed at $25.28 on June 28, 2024, a drop of 12% against the previous session.
On the chart, MACD showed a golden cross above the zero axis on June 20th, and the RSI of 80.5 tells of an overbought stock.
Moving averages are aligned bullishly, with the 5-day one at 25.10.
Large orders brought a net inflow: DDX over 5 days stands at 6.4, while control by main funds is at a medium level.
For Q1 2024 the company earned 19.88 billion USD, 22.6% less than a year before; the report was filed on May 2.
At a P/E of 26.4 the stock is valued above the 18.0 median of its 8 peers.
In the news, Test Wire reported "Aaa to hold a meeting on 3 plants" on June 27.
In the short term the signals are mostly bullish, so attention is warranted; in the medium to long term caution is advised.
"""  # noqa: E501 - one sentence a line, as another writer would put it


@pytest.mark.parametrize("sentence", FOREIGN.strip().split("\n"))
def test_another_writers_words_for_the_same_findings_pass(sentence):
    assert flaws(sentence) == []


def test_in_a_comparison_each_figure_must_be_its_own_companys_and_in_the_order_said():
    brief = data_brief([fact("us:AAA", 19_881e6), fact("us:BBB", 18_368e6)])
    a, b = "Net Income of Aaa Corp ({} million USD)", "that of Bbb Inc ({} million USD)."
    assert flaws(f"{a.format('19,881')} is higher than {b.format('18,368')}", brief) == []
    assert len(flaws(f"{a.format('18,368')} is lower than {b.format('19,881')}", brief)) == 2
    assert flaws(f"{a.format('19,881')} is lower than {b.format('18,368')}", brief) == ["lower than"]
    assert flaws("Bbb Inc earned 19,881 million USD.", brief) == ["19,881 million USD"]


def test_a_period_that_no_figure_has_and_a_wrong_yes_are_found():
    brief = data_brief(
        [fact("us:AAA", 5e6), fact("us:AAA", 4e6, date(2023, 3, 31))],
        query="Did net income increase?", kind="yes-no", companies=("us:AAA",),
    )  # fmt: skip
    said = "Net Income of Aaa Corp rose from 4.0 million USD (2023-01-01 to 2023-03-31) to 5.0 million USD"
    assert flaws(f"Yes. {said} (2024-01-01 to 2024-03-31).", brief) == []
    assert flaws(f"No. {said} (2024-01-01 to 2024-03-31).", brief) == ["No"]
    assert flaws(f"Yes. {said} (2024-01-01 to 2024-05-02).", brief) == [
        "5.0 million USD",
        "2024-01-01 to 2024-05-02",
    ]
    assert flaws(f"Yes. {said.replace('rose', 'fell')} (2024-01-01 to 2024-03-31).", brief) == ["fell"]


def test_a_figure_with_its_day_beside_it_is_the_figure_of_that_day():
    brief = data_brief([fact("us:AAA", 5e6), fact("us:AAA", 4e6, date(2023, 3, 31))], companies=("us:AAA",))
    said = "Net Income of Aaa Corp is {} million USD ({} to 2023-03-31)."
    assert flaws(said.format("4.0", "2023-01-01"), brief) == []
    assert flaws(said.format("5.0", "2023-01-01"), brief) == ["5.0 million USD"]
    row = "Aaa Corp  Net Income  {} to {}  {} million USD  2024-05-02  test filing"
    assert flaws(row.format("2023-01-01", "2023-03-31", "4.0"), brief) == []
    assert flaws(row.format("2023-01-01", "2023-03-31", "5.0"), brief) == ["5.0 million USD"]
    assert flaws("Net Income of Aaa Corp of the quarter ended 2024-01-01 is 5.0 million USD.", brief) == [
        "2024-01-01"
    ]


def test_a_filing_day_is_no_end_of_a_period_and_the_other_way_round():
    brief = data_brief([fact("us:AAA", 5e6)], companies=("us:AAA",))
    said = "Net Income of Aaa Corp of the quarter ended {} is 5.0 million USD, filed {}."
    assert flaws(said.format("2024-03-31", "2024-05-02"), brief) == []
    assert flaws(said.format("2024-03-31", "2024-03-31"), brief) == ["2024-03-31"]
    assert flaws(said.format("2024-05-02", "2024-05-02"), brief) == ["2024-05-02"]


def test_a_ranking_is_of_the_end_that_was_asked_for():
    brief = data_brief([fact("us:AAA", 5e6)], rank=Rank("net-income", 3), kind="ranking")
    said = "Net Income, {} first among those that have figures: Aaa Corp (5.0 million USD)."
    assert flaws(said.format("highest"), brief) == []
    assert flaws(said.format("lowest"), brief) == ["lowest first"]


def test_a_company_beside_one_that_was_read_is_found():
    companies = [*CATALOG.companies.all, Company("us:CCC", "Ccc Vaccines Inc", "CCC", "Health", "Drugs")]
    companies.append(Company("us:DDD", "Dddstrom", "DDD", "Health", "Drugs"))
    brief = replace(data_brief([fact("us:AAA", 5e6)]), catalog=Catalog(Companies(companies), CATALOG.metrics))
    assert flaws("We read Ccc Vaccines Inc, Bbb Inc and Aaa Corp.", brief) == ["Ccc Vaccines Inc"]
    assert flaws("Dddstrom: no Net Income; not on file.", brief) == ["Dddstrom"]
    assert flaws("Dddstrom  Net Income  2024-03-31", brief) == ["Dddstrom"]
    assert flaws("Dddstrom Aaa Corp", brief) == []  # any word may begin a sentence


def test_an_earlier_figure_bears_out_only_a_sentence_that_names_its_period():
    brief = analysis_brief()
    old = fact("us:AAA", 25_695e6, date(2023, 3, 31))
    brief = replace(brief, bundle=replace(brief.bundle, facts=(old,)))
    assert flaws("Net income is 25,695 million USD.", brief) == ["25,695 million USD"]
    assert flaws("Net income of the quarter ended 2023-03-31 is 25,695 million USD.", brief) == []
