"""Under the grammar of the compact form a model can write every request, and nothing unreadable."""

import random
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from finground.agent.grammar import compact
from finground.catalog import dialect
from finground.catalog.catalog import MARKET, Catalog, company_entity, industry_entity, peers_entity
from finground.catalog.companies import Companies, Company
from finground.catalog.metrics import Metrics
from finground.core.errors import InputError
from finground.records.request import Interval, Rank, Request

xgrammar = pytest.importorskip("xgrammar")
AS_OF = datetime(2025, 6, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def catalog():
    return Catalog(
        Companies(
            [
                Company("us:ACME", "Acme Robotics Inc.", "ACME", "Industrials", "Machinery"),
                Company("us:SOGN", "Søgne & Æren A/S", "SOGN", "Consumer Staples", "Food"),
                Company("us:PEER", 'The "Jury" Peers', "PEER", "Industrials", "Machinery"),
            ]
        )
    )


@pytest.fixture(scope="module")
def accepts(catalog):
    from xgrammar.testing import _is_grammar_accept_string

    grammar = xgrammar.Grammar.from_ebnf(compact(catalog))
    return lambda text: bool(_is_grammar_accept_string(grammar, text))


INTERVALS = [
    None,
    Interval(date(2018, 1, 1), date(2018, 12, 31)),
    Interval(date(2018, 7, 1), date(2018, 12, 31)),
    Interval(date(2018, 7, 1), date(2018, 9, 30)),
    Interval(date(2018, 9, 1), date(2018, 9, 30)),
    Interval(date(2024, 2, 29), date(2024, 2, 29)),
    Interval(date(2016, 4, 1), date(2017, 7, 31)),
]


def test_every_gold_request_can_be_written(catalog, accepts):
    rng = random.Random(5)
    known = [company_entity(c) for c in catalog.companies.all] + [
        peers_entity(c) for c in catalog.companies.all
    ]
    known += [industry_entity(name) for name in catalog.companies.industries] + [MARKET]
    for number, metric in enumerate(rng.sample(catalog.metrics.all, 60)):
        entities = tuple(rng.sample(known, number % 4))
        asked = Request(
            "ranking", entities, catalog.expand([metric.slug]), INTERVALS[number % len(INTERVALS)]
        )
        ranked = replace(asked, rank=Rank(metric.slug, 5, number % 2 == 0))
        others = replace(asked, unresolved=("Foo Bar Inc",)), replace(asked, metrics=())
        for request in (ranked, (asked, *others)[number % 3]):
            text = dialect.write(request, "compact", catalog)
            assert accepts(text), text
            assert set(dialect.read(text, "compact", catalog, AS_OF).entities) == set(entities)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(Acme Robotics Inc.)",
        "(Acme) (Net Income) ()",
        "(Acme Robotics Inc.) (Profit of Acme) ()",
        "(Acme Robotics Inc.) (Net Income) (20180231)",
        "(Acme Robotics Inc.) (Net Income) (20230229)",
        "(Acme Robotics Inc.) (Net Income) (201813)",
        "(Acme Robotics Inc.) () () (top 5)",
        "(Acme Robotics Inc.) (Net Income) () (top 0)",
        " (Acme Robotics Inc.) (Net Income) ()",
        '(?"") (Net Income) ()',
    ],
)
def test_what_the_reader_would_refuse_cannot_be_written(text, accepts):
    assert not accepts(text)


def test_a_grammar_needs_companies_and_metrics(catalog):
    with pytest.raises(InputError, match="0 companies"):
        compact(Catalog(Companies([]), catalog.metrics))
    with pytest.raises(InputError, match="0 metrics"):
        compact(Catalog(catalog.companies, Metrics([])))
