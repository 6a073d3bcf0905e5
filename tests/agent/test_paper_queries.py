"""The example queries of the paper (FinBloom, tables 2, 3 and 9, appendix D) and the authors' gold row, over
the shipped catalogue: whom, what and when they mean, worked out by hand.
"""

from datetime import UTC, date, datetime

import pytest

from finground.agent.rules import RulesAgent
from finground.catalog.catalog import Catalog
from finground.catalog.shipped import shipped
from finground.records.request import Interval, Rank

AS_OF = datetime(2025, 3, 14, 23, 59, tzinfo=UTC)


@pytest.fixture(scope="module")
def agent() -> RulesAgent:
    return RulesAgent(Catalog(shipped()))


def span(start: str, end: str) -> Interval:
    return Interval(date.fromisoformat(start), date.fromisoformat(end))


Y2022, Y2023 = span("2022-01-01", "2022-12-31"), span("2023-01-01", "2023-12-31")
QUERIES = [
    ("Judging by Apple’s revenue and profit margins in Q4 2024, is it a good investment opportunity?",
     ["AAPL"], ["total-revenue", "net-profit-margin"], span("2024-10-01", "2024-12-31")),
    ("Evaluate the return-on-equity ratio associated with Infosys in 2022.",
     ["INFY"], ["return-on-equity"], Y2022),
    ("Were there any improvements seen in the market share of Samsung in 2023 as compared to Apple?",
     ["005930", "AAPL"], ["market-share"], Y2023),
    ("Judging by Tesla’s market capitalization growth in 2023, is it a good investment opportunity?",
     ["TSLA"], ["market-capitalisation-growth"], Y2023),
    ("Judging by Google’s revenue in Q1 2024, is it a good investment opportunity?",
     ["GOOGL"], ["total-revenue"], span("2024-01-01", "2024-03-31")),
    ("Evaluate the customer retention rates associated with Netflix in 2023.",
     ["NFLX"], ["customer-retention-rate"], Y2023),
    ("Evaluate the price-to-earnings ratio associated with TCS in 2022.",
     ["TCS"], ["price-to-earnings"], Y2022),
    ("Were there any improvements seen in the renewable energy adoption metrics of Shell in 2023 as compared "
     "to ExxonMobil?", ["SHEL", "XOM"], ["renewable-energy-adoption"], Y2023),
    ("Were there any improvements seen in the employee satisfaction scores of Microsoft in 2023 as compared "
     "to Google?", ["MSFT", "GOOGL"], ["employee-satisfaction"], Y2023),
    ("Based on Amcor’s Acid Test Ratio, Bid Size and Cash Conversion Efficiency Ratio for the previous 6 "
     "months, should I invest in it?",
     ["AMCR"], ["quick-ratio", "bid-size", "cash-conversion-efficiency-ratio"],
     span("2024-09-14", "2025-03-14")),
    ("Give an overview of adobe and its competitor’s Sep 2018 sales revenue, EVA.",
     ["ADBE", "ADBE peers"], ["sales-revenue", "economic-value-added"], span("2018-09-01", "2018-09-30")),
    ("What were the return on average assets and ROWC of Halliburton co. and other companies in the energy "
     "sector from Apr 2016 to Jul 2017 compared to their Gross Profit Margin and CROAFA?",
     ["HAL", "Energy Companies"],
     ["return-on-average-assets", "return-on-working-capital", "gross-profit-margin",
      "cash-return-on-average-fixed-assets"], span("2016-04-01", "2017-07-31")),
    ("Based on their net income in the last quarter, should I invest in Pepsi or Coca Cola?",
     ["PEP", "KO"], ["net-income"], span("2024-10-01", "2024-12-31")),
    ("Please provide quarterly net sales for Reliance Industries Ltd for the last 12 quarters.",
     ["RELIANCE"], ["sales-revenue"], span("2022-01-01", "2024-12-31")),
    ("Please provide quarterly revenue figures for General Motors for the last 12 quarters.",
     ["GM"], ["total-revenue"], span("2022-01-01", "2024-12-31")),
    ("How has the variation of the service revenue, Debt Service Coverage Ratio, Accounts Payable Turnover "
     "Ratio, quick ratio of tyson foods's competitors been in the past 6 weeks and how does it compare to "
     "P&G?",
     ["TSN peers", "PG"],
     ["service-revenue", "debt-service-coverage-ratio", "accounts-payable-turnover-ratio", "quick-ratio"],
     span("2025-01-31", "2025-03-14")),
]  # fmt: skip


@pytest.mark.parametrize(("query", "who", "what", "when"), QUERIES)
def test_a_query_of_the_paper_means_what_the_paper_says(agent, query, who, what, when):
    found = agent.request(query, AS_OF)
    companies = agent.catalog.companies
    said = [
        {"company": "{}", "peers": "{} peers"}[entity.kind].format(companies.by_id(entity.id).ticker)
        if entity.kind in ("company", "peers")
        else entity.name
        for entity in found.entities
    ]
    assert (said, [metric.slug for metric in found.metrics if metric.primary]) == (who, what)
    assert (found.interval, found.rank, found.unresolved) == (when, None, ())


@pytest.mark.parametrize(
    ("query", "by", "when"),
    [
        ("List the top 5 companies in Q3 2023 in terms of stock price growth.", "stock-price-growth",
         span("2023-07-01", "2023-09-30")),
        ("List the top 5 companies in 2024 in terms of annual revenue.", "total-revenue",
         span("2024-01-01", "2024-12-31")),
    ],
)  # fmt: skip
def test_a_ranking_of_the_paper_is_of_the_whole_market(agent, query, by, when):
    found = agent.request(query, AS_OF)
    assert [entity.name for entity in found.entities] == ["General Companies"]
    assert (found.rank, found.interval) == (Rank(by, 5), when)


def test_the_company_that_the_paper_made_up_stays_unresolved(agent):
    query = "Based on Magnus Retail Limited’s EBITDA for last 4 quarters, is it a suitable investment?"
    found = agent.request(query, AS_OF)
    assert found.entities == () and found.unresolved == ("Magnus Retail Limited",)
    assert [metric.slug for metric in found.metrics if metric.primary] == ["ebitda"]
    assert found.interval == span("2024-01-01", "2024-12-31")
