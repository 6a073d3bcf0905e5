"""What is written is read back, up to what the form carries."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finground.catalog.catalog import MARKET, Catalog, company_entity, industry_entity, peers_entity
from finground.catalog.companies import Companies, Company
from finground.catalog.dialect import FORMS, read, shortest, write
from finground.catalog.periods import month, quarter, year
from finground.core.errors import RequestError
from finground.records.request import Interval, Rank, Request

AS_OF = datetime(2024, 7, 7, 23, tzinfo=UTC)
AWKWARD = (
    "Adobe Inc.",
    "Foo Peers",
    "A; B (x",
    'Q"uote\\ (Class A)',
    "General Companies",
    "Twin Co",
    "Twin Co",
    "Été & Fils (A)",
)
WORLD = Catalog(
    Companies(Company(f"us:{i}", name, f"T{i}X", "Energy", "Oil & Gas") for i, name in enumerate(AWKWARD))
)
EVERYONE = [make(one) for one in WORLD.companies.all for make in (company_entity, peers_entity)]
ENTITIES = st.lists(
    st.sampled_from([*EVERYONE, MARKET, industry_entity("Energy"), industry_entity("Oil & Gas")]), max_size=4
)
SLUGS = st.lists(st.sampled_from([one.slug for one in WORLD.metrics.all]), max_size=4, unique=True)
DAYS = st.dates(date(1990, 1, 1), date(2026, 1, 1))
INTERVALS = st.none() | st.tuples(DAYS, DAYS).map(lambda two: Interval(min(two), max(two)))
NAMES = st.lists(st.text(min_size=1).map(lambda text: f"Unknown {text}"), max_size=2)


@given(ENTITIES, SLUGS, INTERVALS, NAMES, st.integers(1, 500), st.booleans())
def test_what_is_written_is_read_back(entities, slugs, interval, names, n, descending):
    rank = Rank(slugs[-1], n, descending) if slugs else None
    asked = Request(
        "open-ended", tuple(dict.fromkeys(entities)), WORLD.expand(slugs), interval, "", rank, tuple(names)
    )
    for form in FORMS:
        back = read(write(asked, form, WORLD), form, WORLD, AS_OF)
        assert (back.entities, back.interval, back.unresolved) == (asked.entities, interval, asked.unresolved)
        assert [one.slug for one in back.metrics] == [one.slug for one in asked.metrics]
        assert back.rank == (rank if form == "compact" else None)
        if form != "sdr":
            assert back.metrics == asked.metrics


def test_the_papers_own_request_is_written_as_the_paper_writes_it():
    adobe = WORLD.companies.all[0]
    metrics = WORLD.expand(["sales-revenue", "economic-value-added"])
    who = (company_entity(adobe), peers_entity(adobe))
    asked = Request("peers", who, metrics, month(2018, 9), "Sep 2018")
    assert write(asked, "sdr", WORLD) == (
        "(Adobe Inc.; Adobe Inc. Peers) (Sales Revenue; Total Revenue; Economic Value Added; Net operating"
        " profit after tax (NOPAT); Cost of capital) (1/9/2018 - 30/9/2018)"
    )
    assert write(asked, "required", WORLD) == (
        "Companies: Adobe Inc.; Adobe Inc. Peers\n"
        "Metrics: Sales Revenue (Related Metrics: Total Revenue); Economic Value Added (Related Metrics: Net"
        " operating profit after tax (NOPAT), Cost of capital)\n"
        "Dates: Sep 2018"
    )
    assert (
        write(asked, "compact", WORLD)
        == "(Adobe Inc.; Adobe Inc. Peers) (Sales Revenue; Economic Value Added) (201809)"
    )
    assert read(write(asked, "required", WORLD), "required", WORLD, AS_OF) == asked
    assert read(write(asked, "sdr", WORLD), "sdr", WORLD, AS_OF) == replace(asked, phrase="")


def test_a_ranking_of_everyone_in_short():
    text = "(General Companies) (Stock Price Growth) (2023Q3) (top 5)"
    asked = read(text, "compact", WORLD, AS_OF)
    assert asked.entities == (MARKET,) and asked.interval == quarter(2023, 3) and asked.kind == "ranking"
    assert asked.rank == Rank("stock-price-growth", 5) and write(asked, "compact", WORLD) == text


def test_the_empty_cases():
    for form in ("sdr", "compact"):
        assert read("() (Price to Earnings Ratio) ()", form, WORLD, AS_OF).kind == "educational"
        nothing = read("(Adobe Inc.) () ()", form, WORLD, AS_OF)
        assert nothing.metrics == () and nothing.interval is None and nothing.kind == "analysis"


def test_short_dates():
    day = Interval(date(2018, 9, 15), date(2018, 9, 15))
    assert [shortest(one) for one in (year(2018), quarter(2018, 3), month(2018, 9), day)] == [
        "2018",
        "2018Q3",
        "201809",
        "20180915",
    ]
    assert shortest(Interval(date(2018, 9, 1), date(2018, 9, 15))) == "20180901-20180915"


def test_a_known_company_can_never_be_written_as_unknown():
    with pytest.raises(RequestError, match="written as unknown, but it is Adobe Inc"):
        read('(?"Adobe") () ()', "compact", WORLD, AS_OF)
    assert read('(?"Foo Bar Inc") () ()', "compact", WORLD, AS_OF).unresolved == ("Foo Bar Inc",)


def test_the_authors_wording_is_read_too():
    text = (
        "Companies: Adobe Information: Quick Ratio (Related Concepts: Cash, Current Liability) Dates: in 2021"
    )
    asked = read(text, "required", WORLD, AS_OF)
    assert [(one.slug, one.primary) for one in asked.metrics] == [
        ("quick-ratio", True),
        ("cash", False),
        ("current-liabilities", False),
    ]
    assert asked.interval == year(2021) and asked.phrase == "in 2021"


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("sdr", "Adobe Inc."),
        ("sdr", "(Adobe Inc.) (Sales Revenue)"),
        ("sdr", "(Adobe Inc.) (Sales Revenue) (1/9/2018 - 30/8/2018)"),
        ("sdr", "(Adobe Inc.) (Sales Revenue) (2018) (top 5)"),
        ("sdr", "(Adobe Inc.) (Sales Revenue (2018)"),
        ("sdr", "(Adobe Inc.) (Total Dept) ()"),
        ("sdr", "(Nobody Knows) () ()"),
        ("sdr", "(Adobe Inc.;; ) () ()"),
        ("compact", "(Adobe Inc.) (Sales Revenue) (20189)"),
        ("compact", "(Adobe Inc.) (Sales Revenue) (201813)"),
        ("compact", "(Adobe Inc.) (Sales Revenue) () (top 0)"),
        ("compact", "(Adobe Inc.) () () (top 5)"),
        ("compact", '("Adobe) () ()'),
        ("required", "Companies: Adobe Inc."),
        ("required", "Metrics: EPS\nCompanies: Adobe Inc.\n"),
        ("required", ""),
        ("haiku", "(Adobe Inc.) () ()"),
    ],
)
def test_what_is_not_of_the_form_is_refused(form, text):
    with pytest.raises(RequestError):
        read(text, form, WORLD, AS_OF)


@pytest.mark.realdata
def test_a_row_the_authors_released_is_read():
    path = Path(__file__).parents[3] / "shared/data/questions/finbloom_repo_rows.jsonl"
    if not path.is_file():
        pytest.skip("no ../shared/data")
    row = json.loads(path.read_text().splitlines()[0])
    world = Catalog(
        Companies(
            [Company("us:1", "Tyson Foods", "TSN", "", ""), Company("us:2", "Procter & Gamble", "PG", "", "")]
        )
    )
    asked = read(row["Required Data"], "required", world, AS_OF)
    assert len(asked.entities) == 2 and len(asked.metrics) == 14
