"""The rules agent reads the papers' questions as the papers read them, and refuses what asks for nothing."""

from datetime import UTC, date, datetime

import pytest

from finground.agent.rules import RulesAgent
from finground.catalog.aliases import merged
from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies, Company
from finground.core.errors import CatalogError, DateError, RequestError
from finground.records.request import Interval, Rank

AS_OF = datetime(2023, 9, 15, 23, 59, tzinfo=UTC)
ROWS = (
    ("cik:0000320193", "Apple Inc.", "AAPL", "Technology", "Hardware"),
    ("cik:0001652044", "Alphabet Inc.", "GOOGL", "Technology", "Software"),
    ("cik:0000789019", "MICROSOFT CORP", "MSFT", "Technology", "Software"),
    ("cik:0000796343", "Adobe Inc.", "ADBE", "Technology", "Software"),
    ("cik:0000045012", "HALLIBURTON CO", "HAL", "Energy", "Oil & Gas"),
    ("cik:0001748790", "Amcor plc", "AMCR", "Materials", "Packaging"),
    ("cik:0000100493", "TYSON FOODS, INC.", "TSN", "Consumer", "Food"),
    ("cik:0000080424", "PROCTER & GAMBLE Co", "PG", "Consumer", "Household Products"),
    ("cik:0000027904", "DELTA AIR LINES, INC.", "DAL", "Industrials", "Airlines"),
    ("cik:0001101396", "DELTA APPAREL, INC", "DLA", "Consumer", "Apparel"),
    ("cik:0000019617", "JPMORGAN CHASE & CO", "JPM", "Financials", "Banks"),
)
AGENT = RulesAgent(Catalog(Companies(merged(Company(*row) for row in ROWS))))


def ask(question: str):
    return AGENT.request(question, AS_OF)


def names(question: str) -> list[str]:
    return [entity.name for entity in ask(question).entities]


def primary(question: str) -> list[str]:
    return [metric.slug for metric in ask(question).metrics if metric.primary]


def test_two_companies_by_a_metric_in_the_last_quarter():
    asked = ask("Based on their net income in the last quarter, how do Apple and Google compare?")
    assert asked.kind == "comparative"
    assert [(one.kind, one.id, one.name) for one in asked.entities] == [
        ("company", "cik:0000320193", "Apple Inc."),
        ("company", "cik:0001652044", "Alphabet Inc."),
    ]
    assert [(one.slug, one.primary) for one in asked.metrics] == [
        ("net-income", True),
        ("total-revenue", False),
        ("cost-of-revenue", False),
        ("operating-expense", False),
        ("depreciation-and-amortization", False),
        ("interest-expense", False),
    ]
    assert asked.interval == Interval(date(2023, 4, 1), date(2023, 6, 30)) and asked.phrase == "last quarter"
    assert asked.rank is None and asked.unresolved == ()


def test_an_analysis_names_a_company_and_no_metric():
    asked = ask("Please analyze Microsoft")
    assert (asked.kind, asked.metrics, asked.interval, asked.phrase) == ("analysis", (), None, "")
    assert names("please analyze microsoft") == ["MICROSOFT CORP"]


def test_an_educational_question_names_a_metric_and_no_company():
    for question in ("Explain the P/E ratio", "What is the price to earnings ratio?", "P/E ratio"):
        assert primary(question) == ["price-to-earnings"] and names(question) == []
    assert ask("Explain the P/E ratio").kind == "educational"
    assert ask("Explain the P/E ratio of Apple").kind == "open-ended"


@pytest.mark.parametrize(
    ("question", "entities", "metrics"),
    [
        (
            "Based on Amcor’s Acid Test Ratio, Bid Size and Cash Conversion Efficiency Ratio for the "
            "previous 6 months, should I invest in it?",
            ["Amcor plc"],
            ["quick-ratio", "bid-size", "cash-conversion-efficiency-ratio"],
        ),
        (
            "Give an overview of adobe and its competitor’s Sep 2018 sales revenue, EVA.",
            ["Adobe Inc.", "Adobe Inc. Peers"],
            ["sales-revenue", "economic-value-added"],
        ),
        (
            "What were the return on average assets and ROWC of Halliburton co. and other companies in the "
            "energy sector from Apr 2016 to Jul 2017 compared to their Gross Profit Margin and CROAFA?",
            ["HALLIBURTON CO", "Energy Companies"],
            [
                "return-on-average-assets",
                "return-on-working-capital",
                "gross-profit-margin",
                "cash-return-on-average-fixed-assets",
            ],
        ),
        (
            "How has the quick ratio of tyson foods's competitors been against P&G?",
            ["TYSON FOODS, INC. Peers", "PROCTER & GAMBLE Co"],
            ["quick-ratio"],
        ),
        (
            "Compare Apple with its peers on net margin",
            ["Apple Inc.", "Apple Inc. Peers"],
            ["net-profit-margin"],
        ),
        ("the net margin of the competitors of Apple", ["Apple Inc. Peers"], ["net-profit-margin"]),
        (
            "Where does Apple rank against peers by revenue?",
            ["Apple Inc.", "Apple Inc. Peers"],
            ["total-revenue"],
        ),
        ("revenue for companies in energy in 2022", ["Energy Companies"], ["total-revenue"]),
        ("revenue of software companies in 2022", ["Software Companies"], ["total-revenue"]),
    ],
)
def test_whom_and_what_a_question_is_about(question, entities, metrics):
    assert names(question) == entities
    assert primary(question) == metrics


@pytest.mark.parametrize(
    ("question", "entities", "rank"),
    [
        (
            "List the top 5 companies in Q3 2023 in terms of stock price growth.",
            ["General Companies"],
            Rank("stock-price-growth", 5),
        ),
        (
            "Which five energy companies had the highest revenue in 2022?",
            ["Energy Companies"],
            Rank("total-revenue", 5),
        ),
        (
            "Which company has the lowest P/E ratio?",
            ["General Companies"],
            Rank("price-to-earnings", 1, False),
        ),
        (
            "Which company had in 2022 the highest revenue?",
            ["General Companies"],
            Rank("total-revenue", 1),
        ),
        ("Of all energy companies, which 10 had the most debt?", ["Energy Companies"], Rank("debt", 10)),
        ("What are the 5 largest banks?", ["Banks Companies"], Rank("market-capitalisation", 5)),
        (
            "Show me the bottom 3 stocks by net margin",
            ["General Companies"],
            Rank("net-profit-margin", 3, False),
        ),
        (
            "Which company, Apple or Google, has the highest net margin?",
            ["Apple Inc.", "Alphabet Inc."],
            None,
        ),
    ],
)
def test_rankings(question, entities, rank):
    assert names(question) == entities
    assert ask(question).rank == rank


def test_the_kinds_of_questions():
    assert ask("Did Apple's revenue increase in 2022?").kind == "yes-no"
    assert ask("What was Apple's revenue in 2022?").kind == "open-ended"
    assert ask("What was the revenue of Apple's rivals?").kind == "peers"
    assert ask("What was the revenue of energy companies?").kind == "industry"
    assert ask("Top 3 by revenue").kind == "ranking"
    assert ask("Is a high debt ratio good or bad?").kind == "educational"
    assert ask("Between Apple and Google, which one has more revenue?").rank is None


def test_two_periods_are_asked_from_the_first_to_the_end_of_the_last():
    asked = ask("How did Apple's revenue in Q2 2023 compare with Q2 2022?")
    assert asked.interval == Interval(date(2022, 4, 1), date(2023, 6, 30))
    assert asked.phrase == "Q2 2023 and Q2 2022"


def test_an_unknown_company_stays_in_the_request_if_there_is_more_to_it():
    asked = ask("Compare the net income of Apple and Foobarium in 2022")
    assert asked.unresolved == ("Foobarium",) and len(asked.entities) == 1
    assert ask("What was Foobarium's net income?").unresolved == ("Foobarium",)
    assert ask("Revenue of companies in widgets in 2022").unresolved == ("widgets companies",)
    assert ask("How did revenue in the quantum widget sector grow?").unresolved == (
        "quantum widget companies",
    )


def test_an_unknown_company_alone_is_refused_with_what_is_near():
    with pytest.raises(CatalogError, match="no company is known as 'Microsft'") as caught:
        ask("Please analyze Microsft")
    assert caught.value.candidates == ("MICROSOFT CORP",)


def test_an_ambiguous_company_is_never_guessed():
    with pytest.raises(CatalogError, match="'Delta' may be") as caught:
        ask("What was Delta's revenue in 2022?")
    assert set(caught.value.candidates) == {"DELTA AIR LINES, INC.", "DELTA APPAREL, INC"}


@pytest.mark.parametrize(
    "question", ["hello", "asdf qwer", "", "?", "'; DROP TABLE c; --", "What happened in 2022?"]
)
def test_a_question_about_nothing_is_refused_with_what_a_question_needs(question):
    with pytest.raises(RequestError, match=r"names no company, industry or metric; ask e\.g\."):
        ask(question)


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("What was the net income last quarter?", "names no company or industry"),
        ("List the top companies by revenue", "how many"),
        ("List the top 0 companies by revenue", "1 to 500"),
        ("List the top 2000 companies by revenue", "1 to 500"),
        ("List the top 5 companies", "name a metric"),
    ],
)
def test_half_a_question_is_refused_with_the_half_that_is_missing(question, why):
    with pytest.raises(RequestError, match=why):
        ask(question)


def test_a_date_that_is_none_is_refused():
    with pytest.raises(DateError, match="Q1 to Q4"):
        ask("What was Apple's revenue in Q7 2023?")


@pytest.mark.parametrize(
    ("question", "unresolved"),
    [
        ("Foobar revenue", "Foobar"),
        ("foobar revenue", "foobar"),
        ("China Bank revenue", "China Bank"),
        ("What is the revenue of 6912?", "6912"),
        ("revenue of foobar in 2022", "foobar"),
        ("Quillmark net income last quarter", "Quillmark"),
        ("Compare foobar and Apple on revenue", "foobar"),
        ("Apple vs foobar revenue 2022", "foobar"),
        ("compare apple with foobar by revenue", "foobar"),
    ],
)
def test_a_name_that_nobody_knows_is_noticed_without_a_capital_too(question, unresolved):
    assert ask(question).unresolved == (unresolved,)


@pytest.mark.parametrize(
    "question",
    [
        "What is a good current ratio for retailers?",
        "Trailing P/E",
        "how is adjusted EBITDA computed",
        "ROE vs ROA?",
    ],
)
def test_a_word_that_qualifies_a_metric_is_no_name(question):
    found = ask(question)
    assert found.kind == "educational" and found.unresolved == ()


def test_a_ticker_in_small_letters_is_the_company():
    assert [entity.name for entity in ask("aapl revenue 2022").entities] == ["Apple Inc."]
