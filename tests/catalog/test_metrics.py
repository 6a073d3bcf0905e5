"""The shipped metrics hold together, and are found by the names people give them."""

from datetime import UTC, datetime

import pytest

from finground.catalog import formula
from finground.catalog.catalog import Catalog
from finground.catalog.dates import find
from finground.catalog.metrics import Metrics
from finground.catalog.names import normal
from finground.core.errors import CatalogError

METRICS = Metrics.load()


def test_the_catalogue_is_large():
    keys = {normal(name) for metric in METRICS.all for name in (metric.name, *metric.aliases)}
    assert len(METRICS.all) >= 400
    assert len(keys) >= 1500


def test_every_written_name_finds_its_metric_alone_and_in_a_question():
    for metric in METRICS.all:
        for name in (metric.name, *metric.aliases):
            assert METRICS.resolve(name) is metric
            for question in (
                f"What was Acme's {name} in 2022?",
                f"{name.upper()} OF ACME",
                f"acme {name.lower()}",
            ):
                assert [one.found for one in METRICS.mentions(question)] == [metric], question


def test_no_name_is_a_date_or_a_word_of_every_question():
    everyday = (
        "costs growth position performance return returns yield income tax margin price value float outlook"
    )
    for word in everyday.split():
        assert not METRICS.knows(word), word
    for metric in METRICS.all:
        for name in (metric.name, *metric.aliases):
            assert not find(f"the {name} of Acme", datetime(2023, 9, 15, tzinfo=UTC)), name


def test_what_is_told_in_words_is_neither_numeric_nor_trackable():
    assert {m.slug for m in METRICS.all if not m.numeric} >= {
        "revenue-breakdown",
        "market-segmentation",
        "customer-demographics",
    }
    assert all(m.unit == "text" and not m.trackable and not m.tags for m in METRICS.all if not m.numeric)


def test_the_preferred_tag_of_revenue_stands_first():
    assert METRICS.by_slug("total-revenue").tags[:3] == (
        "RevenueFromContractWithCustomerExcludingAssessedTax",
        "Revenues",
        "SalesRevenueNet",
    )


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("acid test ratio", "quick-ratio"),
        ("Acid-Test Ratio", "quick-ratio"),
        ("EVA", "economic-value-added"),
        ("CROAFA", "cash-return-on-average-fixed-assets"),
        ("ROWC", "return-on-working-capital"),
        ("CFROI", "cash-flow-return-on-investment"),
        ("bottom line", "net-income"),
        ("top line", "total-revenue"),
        ("DSO", "days-sales-outstanding"),
        ("RASM", "rasm"),
        ("CET1", "cet1-ratio"),
        ("same-store sales", "same-store-sales"),
        ("Altman Z", "altman-z-score"),
        ("Bid Size", "bid-size"),
        ("P/E ratio", "price-to-earnings"),
        ("P / E ratio", "price-to-earnings"),
        ("return-on-equity ratio", "return-on-equity"),
        ("shareholders’ equity", "shareholders-equity"),
        ("net-income", "net-income"),
    ],
)
def test_a_metric_is_known_by_its_names(name, slug):
    assert METRICS.resolve(name).slug == slug


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("What is a P/E ratio?", ["P/E ratio"]),
        ("A P/E of 12, or A/P of 3?", ["P/E", "A/P"]),
        ("What is A / P?", ["A / P"]),
        ("net income, tax expense and EPS", ["net income", "tax expense", "EPS"]),
        ("is a P/B or a debt-to-equity ratio better", ["P/B", "debt-to-equity ratio"]),
    ],
)
def test_an_article_is_no_part_of_a_name(question, texts):
    assert [one.text for one in METRICS.mentions(question)] == texts


def test_the_longest_name_wins_in_a_question():
    question = "Its sales revenue, gross profit margin and EBITDA's trend"
    assert [one.found.slug for one in METRICS.mentions(question)] == [
        "sales-revenue",
        "gross-profit-margin",
        "ebitda",
    ]
    assert METRICS.mentions(question)[0].text == "sales revenue"


def test_an_unknown_metric_is_refused_with_names_that_are_near():
    with pytest.raises(CatalogError, match="no metric is called 'net incom'") as caught:
        METRICS.resolve("net incom")
    assert "Net Income" in caught.value.candidates


def test_primary_metrics_are_followed_by_their_related_ones_and_none_comes_twice(catalog: Catalog):
    expanded = [(one.slug, one.primary) for one in catalog.expand(["net-income", "total-revenue"])]
    assert expanded == [
        ("net-income", True),
        ("cost-of-revenue", False),
        ("operating-expense", False),
        ("depreciation-and-amortization", False),
        ("interest-expense", False),
        ("total-revenue", True),
        ("gross-profit", False),
    ]


def test_the_digest_stands_for_the_content_and_not_the_order(catalog: Catalog):
    from finground.catalog.companies import Companies

    turned = Catalog(Companies(reversed(catalog.companies.all)))
    fewer = Catalog(Companies(catalog.companies.all[1:]))
    assert turned.digest == catalog.digest != fewer.digest


def test_a_formula_is_arithmetic_over_slugs():
    values = {"stock-price": 8.0, "net-income": 3.0, "b2b": 2.0}
    assert formula.value("stock-price - net-income * b2b", values) == 2.0
    assert formula.value("(stock-price - net-income) / b2b / 2", values) == 1.25
    assert formula.inputs("(stock-price - net-income) / stock-price") == ("stock-price", "net-income")
    with pytest.raises(KeyError):
        formula.value("stock-price / cash", values)
    for wrong in ("__import__('os')", "(stock-price", "stock-price net-income", "* 2", ""):
        with pytest.raises(ValueError):
            formula.value(wrong, values)
