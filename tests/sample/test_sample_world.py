"""The invented world: repeatable, marked, and of one piece."""

import csv
import gzip
import json
import re
from datetime import date
from pathlib import Path

import pytest

from finground.core.artifact import digest, read_json
from finground.core.errors import InputError
from finground.sample.grammar import Grammar
from finground.sample.world import make
from finground.settings import Sample

TINY = Sample(companies=6, years=1, news=20, stories=30, ends=date(2025, 6, 30))


def files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): digest(path) for path in folder.rglob("*") if path.is_file()}


def bars(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.open()))


def tickers(world: Path) -> dict[str, int]:
    rows = read_json(world / "sec" / "company_tickers.json").values()
    return {row["ticker"]: row["cik_str"] for row in rows}


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(tmp_path):
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        make(tmp_path / name, TINY, seed)
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert files(tmp_path / "a") != files(tmp_path / "c")


def test_a_company_does_not_depend_on_how_many_others_there_are(tmp_path):
    make(tmp_path / "six", TINY, 7)
    make(tmp_path / "eight", TINY.model_copy(update={"companies": 8}), 7)
    facts = "sec/companyfacts/CIK9900000001.json.gz"
    assert digest(tmp_path / "six" / facts) == digest(tmp_path / "eight" / facts)


def test_everything_says_that_it_is_invented(world):
    assert "invented" in (world / "SYNTHETIC").read_text()
    assert len(tickers(world)) == 24
    assert all(cik >= 9_900_000_001 for cik in tickers(world).values())
    assert all(re.fullmatch(r"[A-Z]{4,5}", ticker) for ticker in tickers(world))


def test_there_are_six_industries_of_four_companies(world):
    rows = list(csv.DictReader((world / "market" / "securities.csv").open()))
    industries = [row["GICS Sub Industry"] for row in rows]
    assert sorted(industries.count(name) for name in set(industries)) == [4] * 6
    assert {row["Ticker Symbol"] for row in rows} == set(tickers(world))


def test_more_companies_than_names_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"sample.companies is 99; the shipped list names 36"):
        make(tmp_path / "raw", TINY.model_copy(update={"companies": 99}), 7)
    assert not (tmp_path / "raw").exists()


def test_bars_hold_together_and_none_is_after_the_last_day(world):
    for path in (world / "market" / "prices").glob("*.csv"):
        rows = bars(path)
        days = [row["Date"] for row in rows]
        assert days == sorted(set(days)) and days[-1] == "2025-06-30"
        for row in rows:
            opened, high, low, close = (float(row[key]) for key in ("Open", "High", "Low", "Close"))
            assert 0 < low <= min(opened, close) <= max(opened, close) <= high
        assert float(rows[-1]["Adj Close"]) == float(rows[-1]["Close"])


def test_one_stock_is_halted_for_eight_sessions(world):
    halted = {
        path.stem: still
        for path in (world / "market" / "prices").glob("*.csv")
        if (still := [row for row in bars(path) if row["Volume"] == "0"])
    }
    assert len(halted) == 1
    (sessions,) = halted.values()
    assert len(sessions) == 8
    assert all(row["Open"] == row["High"] == row["Low"] == row["Close"] for row in sessions)


def test_one_company_is_listed_for_ten_sessions_only(world):
    lengths = sorted(len(bars(path)) for path in (world / "market" / "prices").glob("*.csv"))
    assert lengths[0] == 10 and lengths[1] == lengths[-1] > 700


def test_the_index_moves_by_the_mean_of_its_stocks(world):
    index = bars(world / "market" / "index" / "INVENTED.csv")
    day, before = index[-1]["Date"], index[-2]["Date"]
    moves = []
    for path in (world / "market" / "prices").glob("*.csv"):
        close = {row["Date"]: float(row["Close"]) for row in bars(path)}
        moves.append(close[day] / close[before])
    assert float(index[-1]["Close"]) / float(index[-2]["Close"]) == pytest.approx(sum(moves) / 24, abs=2e-5)


def test_flows_stay_within_the_volume_and_shares_between_nothing_and_all(world):
    for path in (world / "market" / "company-flows").glob("*.csv"):
        volume = {row["Date"]: int(row["Volume"]) for row in bars(world / "market" / "prices" / path.name)}
        for row in bars(path):
            assert (
                int(row["large_order_buy_shares"]) + int(row["large_order_sell_shares"])
                <= volume[row["Date"]] + 1
            )
            assert 0 < float(row["institutional_share"]) < 1 and 0 < float(row["control_level"]) < 1


def test_headlines_quote_revenues_that_were_filed(world):
    rows = [
        json.loads(line) for line in (world / "news/reuters-headlines/headlines.jsonl").open(encoding="utf-8")
    ]
    assert len(rows) == 120 and any("body" not in row for row in rows)
    checked = 0
    for row in rows:
        said = re.search(r"reports \w+ quarter revenue of (\$[\d.]+ \w+)", row["title"])
        if said and row["matched"]:
            assert said.group(1) in quarterly_revenues(world, tickers(world)[row["matched"][0]])
            checked += 1
    assert checked


def quarterly_revenues(world: Path, cik: int) -> set[str]:
    """Quarters as filed, and fourth quarters as the year less nine months, in the words of the news."""
    tags = read_json(world / f"sec/companyfacts/CIK{cik:010d}.json.gz")["facts"]["us-gaap"]
    name = "Revenues" if "Revenues" in tags else "RevenueFromContractWithCustomerExcludingAssessedTax"
    rows = tags[name]["units"]["USD"]
    spans = {(row["start"], row["end"]): row["val"] for row in rows}
    values = {row["val"] for row in rows}
    for (start, _), value in spans.items():
        values |= {value - part for (same, _), part in spans.items() if same == start}
    return {f"${v / 1e9:.2f} billion" if v >= 1e9 else f"${v / 1e6:.1f} million" for v in values}


def test_stories_are_latin_1_with_control_characters_some_without_a_body(world):
    (path,) = (world / "news" / "reuters21578").glob("*")
    text = gzip.decompress(path.read_bytes()).decode("latin-1")
    assert text.count("<REUTERS ") == text.count("</REUTERS>") == 80
    assert text.count("<BODY>") == 80 - text.count('TYPE="BRIEF"') < 80
    assert "&amp;" in text and "&#3;" in text and "é" in text


def test_a_template_with_an_unknown_slot_is_refused():
    import random

    with pytest.raises(KeyError):
        Grammar({"A": ["{nobody}"]}).write("{A}", {}, random.Random(1))
    assert Grammar({"A": ["{^b} c"]}).write("{A}.", {"b": "bees"}, random.Random(1)) == "Bees c."
