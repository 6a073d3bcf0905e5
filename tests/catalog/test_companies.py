"""Which company a text means: resolved, or candidates; never a guess (cases D3, D4, D5)."""

import gzip
import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from finground.catalog.aliases import with_known
from finground.catalog.companies import Companies, Company, DatedName
from finground.catalog.names import company_keys, normal
from finground.core.errors import CatalogError


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Microsoft", "MICROSOFT CORP"),
        ("microsoft corporation", "MICROSOFT CORP"),
        ("amazon", "AMAZON COM INC"),
        ("Amazon.com, Inc.", "AMAZON COM INC"),
        ("AMZN", "AMAZON COM INC"),
        ("amzn", "AMAZON COM INC"),
        ("apple's", "Apple Inc."),
        ("Google", "Alphabet Inc."),
        ("Google's parent", "Alphabet Inc."),
        ("GOOG", "Alphabet Inc."),
        ("alphabet inc class a", "Alphabet Inc."),
        ("P&G", "PROCTER & GAMBLE Co"),
        ("Berkshire B", "BERKSHIRE HATHAWAY INC"),
        ("brk.b", "BERKSHIRE HATHAWAY INC"),
        ("AT&T", "AT&T INC."),
        ("3M", "3M CO"),
        ("Moody's", "MOODYS CORP /DE/"),
        ("Moody’s", "MOODYS CORP /DE/"),
        ("Kalvo Energy", "Kalvo Energy S.A."),
        ("cik:0000320193", "Apple Inc."),
        ("A", "AGILENT TECHNOLOGIES, INC."),
    ],
)
def test_a_company_is_known_by_the_ways_people_write_it(companies, text, name):
    assert companies.resolve(text).name == name


@pytest.mark.parametrize(
    "text", ["China Bank", "6912", "Apple and Google's parent", "Foobarium", "", "'; DROP TABLE c; --"]
)
def test_an_unknown_name_is_refused(companies, text):
    with pytest.raises(CatalogError, match="no company is known as"):
        companies.resolve(text)


def test_what_is_named_in_a_longer_text_is_a_candidate(companies):
    with pytest.raises(CatalogError) as caught:
        companies.resolve("Apple and Google's parent")
    assert set(caught.value.candidates) >= {"Apple Inc.", "Alphabet Inc."}


def test_the_beginning_of_several_names_is_no_name_and_they_are_the_candidates(companies):
    with pytest.raises(CatalogError) as caught:
        companies.resolve("Delta")
    assert set(caught.value.candidates) == {"DELTA AIR LINES, INC.", "DELTA APPAREL, INC"}


def test_a_slip_of_the_pen_makes_a_candidate_and_no_answer(companies):
    with pytest.raises(CatalogError) as caught:
        companies.resolve("Microsft")
    assert caught.value.candidates == ("MICROSOFT CORP",)


def test_a_ticker_that_is_one_company_and_a_name_that_is_another_are_ambiguous():
    two = Companies(
        [
            Company("us:1", "Forward Inc", "FORD", "", ""),
            Company("us:2", "Ford Motor Co", "F", "", "", aliases=("Ford",)),
        ]
    )
    with pytest.raises(CatalogError) as caught:
        two.resolve("FORD")
    assert set(caught.value.candidates) == {"Forward Inc", "Ford Motor Co"}
    assert two.resolve("Ford Motor").id == "us:2"


@pytest.mark.parametrize(
    ("ticker", "day", "name"),
    [
        ("META", (2021, 12, 31), None),
        ("FB", (2021, 12, 31), "Meta Platforms, Inc."),
        ("META", (2022, 7, 1), "Meta Platforms, Inc."),
        ("META", (2022, 6, 9), "Meta Platforms, Inc."),
        ("FB", (2022, 6, 8), "Meta Platforms, Inc."),
        ("FB", (2022, 6, 9), None),
        ("META", None, "Meta Platforms, Inc."),
        ("FB", None, None),
    ],
)
def test_a_ticker_is_a_company_only_on_the_days_it_was_its(companies, ticker, day, name):
    as_of = datetime(*day, tzinfo=UTC) if day else None
    if name:
        assert companies.resolve(ticker, as_of).name == name
    else:
        with pytest.raises(CatalogError) as caught:
            companies.resolve(ticker, as_of)
        assert "Meta Platforms, Inc." in caught.value.candidates


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("how do Apple and Google compare?", ["Apple Inc.", "Alphabet Inc."]),
        (
            "Did Amazon.com, Inc. and Berkshire B beat 3M and AT&T?",
            ["AMAZON COM INC", "BERKSHIRE HATHAWAY INC", "3M CO", "AT&T INC."],
        ),
        ("what is apple's and moody's margin", ["Apple Inc.", "MOODYS CORP /DE/"]),
        ("the margin of Halliburton co. and others", ["HALLIBURTON CO"]),
        ("HOW DID APPLE DO", ["Apple Inc."]),
        ("How Does Apple Compare To Microsoft In Sales?", ["Apple Inc.", "MICROSOFT CORP"]),
        ("Is A good? ALL and IT and ON ARE.", []),
        ("Is it a good target for all of us?", []),
        ("What is Target's price target?", ["TARGET CORP"]),
        ("Buy $A or NASDAQ: IT?", ["AGILENT TECHNOLOGIES, INC.", "GARTNER INC"]),
        ("AAPL, MSFT and T", ["Apple Inc.", "MICROSOFT CORP", "AT&T INC."]),
        ("Apple (AAPL) now", ["Apple Inc.", "Apple Inc."]),
    ],
)
def test_companies_are_found_in_questions(companies, today, question, names):
    mentions = companies.mentions(question, today)
    assert [one.found and one.found.name for one in mentions] == names
    assert all(question[one.start : one.end].startswith(one.text) for one in mentions)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What was the income of Foobarium in 2023?", "Foobarium"),
        ("Compare Apple and Quix Industries Inc's income", "Quix Industries Inc"),
        ("what was foobarium's income", "foobarium"),
        ("Foobarium and Apple: which earns more?", "Foobarium"),
        ("Is Apple Hospitality's revenue growing?", "Apple Hospitality"),
        ("How did META do?", "META"),
    ],
)
def test_a_name_nobody_knows_never_disappears(companies, question, text):
    as_of = datetime(2021, 12, 31, tzinfo=UTC)
    assert [one.text for one in companies.mentions(question, as_of) if one.found is None] == [text]


def test_names_of_months_metrics_and_countries_are_no_companies(companies, today):
    for question in (
        "Please Explain It",
        "Is China a market for US GAAP in May?",
        "What did the CEO say on Monday?",
    ):
        assert companies.mentions(question, today) == ()


def test_industries_are_sectors_and_industries_as_people_say_them(companies):
    assert companies.industry("energy") == "Energy"
    assert companies.industry("tech") == "Technology"
    assert companies.industry("healthcare") == "Health Care"
    assert {one.ticker for one in companies.in_industry("oil & gas")} == {"HAL", "KLV"}
    with pytest.raises(CatalogError, match="no industry is called 'energi'") as caught:
        companies.in_industry("energi")
    assert "Energy" in caught.value.candidates


def test_a_ticker_used_again_by_another_company_gets_no_shipped_name():
    fund = Company("us:META", "Roundhill Ball Fund", "META", "", "")
    invented = Company("us:AAPL", "Apple Orchards", "AAPL", "", "", synthetic=True)
    assert with_known(fund) is fund and with_known(invented) is invented


def test_a_company_of_a_store_gets_the_shipped_names_by_its_id_or_by_ticker_and_name():
    toyota = Company("cik:0001094517", "TOYOTA MOTOR CORP/", "TM", "", "")
    found = with_known(toyota)
    assert (found.id, found.name) == (toyota.id, toyota.name) and "Toyota" in found.aliases
    assert [dated.ticker for dated in found.tickers] == ["TM", "7203"]
    facebook = with_known(Company("us:FB", "Facebook, Inc.", "FB", "", ""))
    assert Companies([facebook]).resolve("META", datetime(2022, 6, 9, tzinfo=UTC)) is facebook
    assert facebook.name_at(date(2021, 10, 27)) == "Facebook"


def test_a_ticker_is_the_american_one_and_others_are_written_with_their_exchange():
    boeing = Company("us:BA", "Boeing", "BA", "", "", exchange="XNYS")
    bae = Company("XLON:BA", "BAE Systems", "BA", "", "", exchange="XLON")
    two = Companies([bae, boeing])
    assert two.resolve("BA") is boeing and two.resolve("XLON:BA") is bae and two.resolve("XNYS:BA") is boeing
    assert two.listed("BA") is boeing and two.listed("XPAR:BA") is None


def test_of_two_that_have_had_a_name_the_one_called_so_on_the_day_is_meant():
    old = (DatedName("Ingersoll-Rand plc", None, date(2020, 2, 29)), DatedName("Trane", date(2020, 3, 1)))
    new = (
        DatedName("Gardner Denver", None, date(2020, 2, 29)),
        DatedName("Ingersoll Rand", date(2020, 3, 1)),
    )
    trane = Company("us:TT", "Trane", "TT", "", "", names=old)
    ingersoll = Company("us:IR", "Ingersoll Rand", "IR", "", "", names=new)
    two = Companies([trane, ingersoll])
    assert two.resolve("Ingersoll Rand", datetime(2020, 2, 29, tzinfo=UTC)) is trane
    assert two.resolve("Ingersoll Rand", datetime(2020, 3, 1, tzinfo=UTC)) is ingersoll
    assert two.resolve("Ingersoll Rand") is ingersoll and two.resolve("Gardner Denver") is ingersoll


def test_keys_drop_what_only_says_how_a_company_is_incorporated():
    assert company_keys("The Coca-Cola Company")[1] == "coca cola"
    assert company_keys("GOLDMAN SACHS GROUP INC") == (
        "goldman sachs group inc",
        "goldman sachs group",
        "goldman sachs",
    )
    assert company_keys("US BANCORP \\DE\\")[1] == normal("U.S. Bancorp") == "us bancorp"
    assert company_keys("L'Oréal SA")[1] == "loreal"


@pytest.mark.realdata
def test_every_company_of_the_secs_own_file_that_has_a_name_of_its_own_is_found_by_it():
    path = Path(__file__).parents[3] / "shared/data/sec/company_tickers.json.gz"
    if not path.is_file():
        pytest.skip("no ../shared/data")
    rows = {row["cik_str"]: row for row in json.loads(gzip.decompress(path.read_bytes())).values()}
    every = Companies(
        Company(f"cik:{cik:010d}", row["title"], row["ticker"], "", "") for cik, row in rows.items()
    )
    wrong = [one.name for one in every.all if every.lookup(one.name) != (one,)]
    assert len(wrong) < 0.01 * len(rows)


@pytest.mark.parametrize("name", ["Bang & Olufsen A/S", "Vale S/A"])
def test_a_legal_form_with_a_slash_may_be_left_out(name, today):
    found = Companies([Company("x:1", name, "XXX", "", "")]).mentions(f"revenue of {name[:-4]}", today)
    assert [one.found and one.found.name for one in found] == [name]
