"""The shipped companies: who they are, and what their names and tickers meant when (cases D3, D4, S9)."""

import importlib.util
import re
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from importlib import resources
from pathlib import Path

import pytest

from finground.catalog.companies import Companies, Company
from finground.catalog.names import normal
from finground.catalog.shipped import shipped
from finground.core.errors import CatalogError

HERE = Path(__file__)
SEC = HERE.parents[3] / "shared/data/sec/company_tickers.json.gz"
AMBIGUOUS = (
    "adani", "constellation", "first bancorp", "lg", "marathon", "merck", "porsche", "prudential", "softbank",
    "volvo",
)  # fmt: skip


@pytest.fixture(scope="module")
def companies() -> Companies:
    return shipped()


def day(text: str) -> datetime:
    return datetime.combine(date.fromisoformat(text), datetime.max.time(), UTC)


def candidates(companies: Companies, text: str, as_of: datetime | None = None) -> tuple[str, ...]:
    with pytest.raises(CatalogError) as caught:
        companies.resolve(text, as_of)
    return caught.value.candidates


def test_at_least_1500_companies_of_many_countries_each_with_all_that_is_known_of_it(companies):
    assert len(companies.all) >= 1_500
    countries = Counter(company.country for company in companies.all)
    assert sum(n >= 10 for n in countries.values()) >= 20
    assert len({company.id for company in companies.all}) == len(companies.all)
    for one in companies.all:
        assert re.fullmatch(rf"cik:\d{{10}}|{one.exchange}:{re.escape(one.ticker)}", one.id), one
        assert re.fullmatch(r"[A-Z]{2} [A-Z]{3} [A-Z]{4}", f"{one.country} {one.currency} {one.exchange}"), (
            one
        )
        assert one.name and one.sector and one.industry and not one.synthetic, one


def test_sectors_and_industries_are_a_tidy_set(companies):
    sectors = {company.industry: {company.sector} for company in companies.all}
    for company in companies.all:
        sectors[company.industry].add(company.sector)
    assert all(len(found) == 1 for found in sectors.values())
    assert len({company.sector for company in companies.all}) == 11 and 60 <= len(sectors) <= 100
    assert {one.name for one in companies.in_industry("airlines")} >= {"Delta Air Lines", "Japan Airlines"}


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("chip makers", "Semiconductors"), ("semis", "Semiconductors"), ("pharma", "Pharmaceuticals"),
        ("drug makers", "Pharmaceuticals"), ("big oil", "Oil & Gas"), ("telcos", "Telecommunications"),
        ("carmakers", "Automobiles"), ("lenders", "Banks"), ("tech", "Information Technology"),
        ("insurers", "Insurance"), ("defence contractors", "Aerospace & Defense"),
        ("biotech", "Biotechnology"), ("grocers", "Supermarkets"), ("miners", "Metals & Mining"),
        ("healthcare", "Health Care"),
    ],
)  # fmt: skip
def test_industries_are_known_by_the_ways_people_say_them(companies, said, meant):
    assert companies.industry(said) == meant


@pytest.mark.parametrize(
    ("text", "as_of", "name"),
    [
        ("FB", "2021-12-31", "Meta Platforms"),
        ("META", "2022-07-01", "Meta Platforms"),
        ("META", "2022-06-09", "Meta Platforms"),
        ("META", None, "Meta Platforms"),
        ("FB", "2022-06-08", "Meta Platforms"),
        ("METV", "2022-01-31", "Roundhill Ball Metaverse ETF"),
        ("Facebook", "2015-01-01", "Meta Platforms"),
        ("Facebook", None, "Meta Platforms"),
        ("Google", "2015-10-01", "Alphabet Inc."),
    ],
)
def test_a_ticker_or_name_is_whose_it_was_on_the_day(companies, text, as_of, name):
    assert companies.resolve(text, as_of and day(as_of)).name == name


def test_meta_was_a_funds_ticker_then_nobodys_before_it_was_meta_platforms(companies):
    (fund,) = companies.by_ticker("META", day("2021-12-31"))
    assert fund.name == "Roundhill Ball Metaverse ETF"
    assert candidates(companies, "META", day("2021-12-31"))[0] == fund.name
    assert companies.by_ticker("META", day("2022-03-01")) == ()
    assert "Meta Platforms" in candidates(companies, "META", day("2022-03-01"))
    assert candidates(companies, "FB")[0] == "Meta Platforms"


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("P&G", "cik:0000080424"),
        ("alphabet inc class a", "cik:0001652044"),
        ("Berkshire B", "cik:0001067983"),
        ("AT&T", "cik:0000732717"),
        ("3M", "cik:0000066740"),
        ("Moody's", "cik:0001059556"),
        ("Moody’s", "cik:0001059556"),
        ("J&J", "cik:0000200406"),
        ("BofA", "cik:0000070858"),
        ("GE", "cik:0000040545"),
        ("Proctor & Gamble", "cik:0000080424"),
        ("T", "cik:0000732717"),
        ("Toyota", "cik:0001094517"),
        ("7203", "cik:0001094517"),
        ("TM", "cik:0001094517"),
        ("LVMH", "XPAR:MC"),
        ("XPAR:MC", "XPAR:MC"),
        ("loreal", "XPAR:OR"),
        ("Kweichow Moutai", "XSHG:600519"),
        ("Samsung", "XKRX:005930"),
        ("ping an", "XSHG:601318"),
    ],
)
def test_a_company_is_known_by_the_ways_people_write_it(companies, text, id):
    assert companies.resolve(text).id == id


@pytest.mark.parametrize(
    ("text", "among"),
    [
        ("China Bank", {"Bank of China", "China Merchants Bank", "China Construction Bank"}),
        ("Delta", {"Delta Air Lines", "Delta Electronics"}),
        ("Apple and Google's parent", {"Apple Inc.", "Alphabet Inc."}),
        ("HP", {"HP Inc.", "Helmerich & Payne"}),
        ("Microsft", {"Microsoft"}),
        ("Bank of Amercia", {"Bank of America"}),
        ("6912", set()),
        ("'; DROP TABLE companies; --", set()),
        ("", set()),
    ],
)
def test_what_is_unknown_or_ambiguous_is_refused_with_candidates(companies, text, among):
    assert set(candidates(companies, text)) >= among


@pytest.mark.parametrize(
    ("ticker", "last_day", "after", "name"),
    [
        ("SQ", "2025-01-17", "XYZ", "Block, Inc."),
        ("UTX", "2020-04-02", "RTX", "RTX Corporation"),
        ("PCLN", "2018-02-26", "BKNG", "Booking Holdings"),
        ("SYMC", "2019-11-04", "NLOK", "Gen Digital"),
        ("NLOK", "2022-11-07", "GEN", "Gen Digital"),
        ("ANTM", "2022-06-27", "ELV", "Elevance Health"),
        ("VIAC", "2022-02-16", "PARA", "Paramount Skydance"),
        ("BBT", "2019-12-06", "TFC", "Truist Financial"),
        ("IR", "2020-02-28", "TT", "Trane Technologies"),
        ("DAI", "2022-01-31", "MBG", "Mercedes-Benz Group"),
    ],
)
def test_a_company_keeps_its_id_through_a_change_of_ticker(companies, ticker, last_day, after, name):
    end = day(last_day)
    (company,) = companies.by_ticker(ticker, end)
    assert company.name == name
    assert companies.by_ticker(after, end + timedelta(days=4)) == (company,)
    assert company not in companies.by_ticker(ticker, end + timedelta(days=1))


def test_dated_tickers_and_names_hold_on_their_days_and_at_least_25_companies_changed(companies):
    changed = [one for one in companies.all if one.names or any(dated.end for dated in one.tickers)]
    assert len(changed) >= 28
    for company in changed:
        for dated in company.tickers:
            written = f"{dated.exchange}:{dated.ticker}"
            for held in filter(None, (dated.start, dated.end)):
                assert company in companies.by_ticker(written, day(held.isoformat())), (company.name, dated)
        for earlier, later in zip(company.names, company.names[1:], strict=False):
            assert earlier.end and later.start == earlier.end + timedelta(days=1), company.name
            assert company.name_at(earlier.end) == earlier.name
            assert company.name_at(later.start) == later.name


def test_every_way_to_write_a_company_is_its_own_but_those_meant_for_several(companies):
    keys = [key for one in companies.all for key in {normal(text) for text in (one.name, *one.aliases)}]
    assert sorted(key for key, n in Counter(keys).items() if n > 1) == sorted(AMBIGUOUS)
    assert all(len(candidates(companies, text)) > 1 for text in AMBIGUOUS)
    for company in companies.all:
        assert company in companies.lookup(company.name), company.name
    lost = [
        (text, one.name) for one in companies.all for text in one.aliases if one not in companies.lookup(text)
    ]
    assert lost == []


def test_names_in_a_crowd_of_ten_thousand_are_still_found(companies):
    crowd = (Company(f"us:{i}", f"Zq{i} W{i % 97} Holdings Inc", f"Q{i}X", "", "") for i in range(8_000))
    many = Companies([*companies.all, *crowd])
    assert "Zq77 W77 Holdings Inc" in candidates(many, "Zq77 V77")
    assert many.resolve("Toyota").country == "JP"
    assert "Microsoft" in candidates(many, "Microsft")


@pytest.mark.realdata
def test_the_script_makes_the_shipped_file(tmp_path):
    pytest.importorskip("pytickersymbols")
    if not SEC.is_file():
        pytest.skip("no ../shared/data")
    place = HERE.parents[2] / "scripts/make_companies.py"
    script = importlib.util.module_from_spec(spec := importlib.util.spec_from_file_location("made", place))
    spec.loader.exec_module(script)
    script.main(SEC, tmp_path / "companies.json")
    shipped_file = resources.files("finground.catalog").joinpath("data/companies.json")
    assert (tmp_path / "companies.json").read_bytes() == shipped_file.read_bytes()
