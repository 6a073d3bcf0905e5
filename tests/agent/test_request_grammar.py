"""Under the grammar of a written form a model can write every request, and nothing unreadable."""

import random
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from finground.agent.grammar import ends_early, grammar, hides_a_known
from finground.catalog import dialect
from finground.catalog.catalog import MARKET, Catalog, company_entity, industry_entity, peers_entity
from finground.catalog.companies import Companies, Company
from finground.catalog.dates import parse
from finground.catalog.metrics import Metrics
from finground.core.errors import InputError
from finground.records.request import Interval, Rank, Request

xgrammar = pytest.importorskip("xgrammar")
AS_OF = datetime(2025, 6, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def accepts(catalog):
    from xgrammar.testing import _is_grammar_accept_string

    made = {form: xgrammar.Grammar.from_ebnf(grammar(form, catalog).text) for form in dialect.FORMS}
    return lambda text, form="compact": bool(_is_grammar_accept_string(made[form], text))


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
            for form in dialect.FORMS:
                text = dialect.write(request, form, catalog)
                assert accepts(text, form), text
                assert not grammar(form, catalog).refuses(text)
                assert set(dialect.read(text, form, catalog, AS_OF).entities) == set(entities)


PHRASES = [
    "since 2019", "Q4 2024", "last year", "2018", "FY2023", "last month", "last 3 quarters", "this year",
    "YTD", "past 12 months", "between January 2020 and March 2021", "Apr 2016 to Jul 2017", "2024-02-29",
    "H1 2020", "first quarter of 2020", "1/4/2023 - 30/6/2023", "30/6/2023", "3 weeks ago", "since last year",
    "yesterday",
]  # fmt: skip


@pytest.mark.parametrize("phrase", PHRASES)
def test_the_dates_of_the_paper_can_be_written_as_asked(phrase, catalog, accepts):
    text = f"Companies: Acme Robotics Inc.\nMetrics: Net Income\nDates: {phrase}"
    assert accepts(text, "required")
    assert dialect.read(text, "required", catalog, AS_OF).interval == parse(phrase, AS_OF)


@pytest.mark.parametrize(
    "phrase", ["31/2/2020", "Feb 31", "some day", "2023-02-29", "last 0 days", "Q5 2020"]
)
def test_a_phrase_that_is_no_date_cannot_be_written(phrase, accepts):
    assert not accepts(f"Companies: \nMetrics: Net Income\nDates: {phrase}", "required")


@pytest.mark.parametrize(
    ("text", "early"),
    [
        ("(A) (B) (20230501-20230430", True),
        ("(A) (B) (20230501-202304", True),
        ("(A) (B) (20230501-2023", False),
        ("(A) (B) (20230501-2022", True),
        ("(A) (B) (20230531-20230531)", False),
        ("(A) (B) (1/5/2023 - 30/4/2023)", True),
        ("(A) (B) (1/5/2023 - 30/4/202", False),
        ("(A) (B) (1/5/2023 - 30/4/201", True),
        ("Companies: A\nMetrics: B\nDates: 2/1/2020 - 1/1/2020", True),
        ("Companies: A\nMetrics: B\nDates: 2/1/2020 - 1/1/2021", False),
    ],
)
def test_an_interval_that_must_end_early_is_seen_at_its_first_wrong_digit(text, early):
    assert ends_early(text) == early


def test_a_known_company_is_not_written_as_unknown(catalog):
    assert hides_a_known('(?"Acme Robotics"', catalog) and hides_a_known('(?"Foo"; ?"ACME"', catalog)
    assert not hides_a_known('(?"Acme Robo', catalog) and not hides_a_known('(?"Foo Bar"; Acme', catalog)


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


def test_names_that_share_an_accented_beginning_can_be_written_under_the_compiled_grammar():
    """Of "aöb" | "aöc" in a rule of plain strings xgrammar 0.2.9 refuses both, once it is compiled."""
    names = ["Klöckner & Co", "Klöpper AG", "Søgne A/S", "中国银行", "中国石化", "Kl Plain Inc."]
    catalog = Catalog(
        Companies(
            [Company(f"x:{n}", name, f"X{n}", "Industrials", "Machinery") for n, name in enumerate(names)]
        )
    )
    bytes_alone = [b"<s>", *(bytes([value]) for value in range(256))]
    info = xgrammar.TokenizerInfo(
        bytes_alone, xgrammar.VocabType.RAW, vocab_size=len(bytes_alone), stop_token_ids=[0]
    )
    for form in dialect.FORMS:
        text = xgrammar.Grammar.from_ebnf(grammar(form, catalog).text)
        compiled = xgrammar.GrammarCompiler(info).compile_grammar(text)
        for company in catalog.companies.all:
            asked = Request("peers", (company_entity(company), peers_entity(company)), ())
            matcher = xgrammar.GrammarMatcher(compiled)
            written = dialect.write(asked, form, catalog)
            assert all(matcher.accept_token(1 + value) for value in written.encode()), (form, written)


def test_a_grammar_needs_companies_and_metrics(catalog):
    with pytest.raises(InputError, match="0 companies"):
        grammar("compact", Catalog(Companies([]), catalog.metrics))
    with pytest.raises(InputError, match="0 metrics"):
        grammar("compact", Catalog(catalog.companies, Metrics([])))
