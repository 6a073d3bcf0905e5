"""Every number, date, quotation, ticker and direction traces to what was read; one changed digit does not."""

from dataclasses import replace
from datetime import date

import pytest
from made_brief import FINDINGS, analysis_brief, data_brief, fact, prices

from finground.records.report import Report, Section
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
