"""Fetching, with clients handed in: files of the shape that ingest reads, one sentence when it fails."""

import gzip
import json
from datetime import UTC, date, datetime

import pytest
from store_by_hand import HEADER, NOW, write

from finground.core.errors import FingroundError, InputError
from finground.store.fetch import FACTS_URL, TICKERS_URL, Entry, fetch


def test_price_files_have_the_columns_that_ingest_reads(tmp_path):
    def history(ticker, start, end):
        assert (start.year, end) == (2016, NOW.date())
        return [(date(2023, 6, 30), 1.0, 2.0, 0.5, 1.5, 1.4, 100.0)]

    (path,) = fetch("prices", tmp_path, names=["brk-b"], now=NOW, client=history)
    assert path == tmp_path / "market/prices/BRK-B.csv"
    assert path.read_text() == HEADER + "2023-06-30,1.0,2.0,0.5,1.5,1.4,100.0\n"


def test_company_facts_are_fetched_by_ticker_or_cik(tmp_path):
    answers = {
        TICKERS_URL: {"0": {"cik_str": 7, "ticker": "SVN", "title": "Seven"}},
        FACTS_URL.format(cik=7): {"cik": 7, "facts": {}},
    }
    fetch("catalog", tmp_path, names=(), now=NOW, client=answers.__getitem__)
    for name in ("svn", "7"):
        (path,) = fetch("edgar", tmp_path, names=[name], now=NOW, client=answers.__getitem__)
        assert json.loads(path.read_text()) == {"cik": 7, "facts": {}}
    with pytest.raises(InputError, match="'XXX' is not a ticker"):
        fetch("edgar", tmp_path, names=["XXX"], now=NOW, client=answers.__getitem__)


def test_the_catalogue_is_taken_from_a_copy_of_secs_file_plain_or_packed(tmp_path):
    listed = {"0": {"cik_str": 7, "ticker": "SVN", "title": "Seven"}}
    copy, packed = tmp_path / "copy.json", tmp_path / "copy.json.gz"
    copy.write_text(json.dumps(listed))
    packed.write_bytes(gzip.compress(copy.read_bytes()))
    for place in (copy, packed):
        (path,) = fetch("catalog", tmp_path / place.suffix, names=[str(place)], now=NOW)
        assert path == tmp_path / place.suffix / "sec/company_tickers.json"
        assert json.loads(path.read_text()) == listed


@pytest.mark.parametrize("text", ["<html>", "[]", "{}", '{"0": {"ticker": "SVN"}}', '{"0": 7}'])
def test_something_else_than_secs_list_is_refused_and_the_old_one_kept(tmp_path, text):
    write(tmp_path / "sec/company_tickers.json", "old")
    write(tmp_path / "copy.json", text)
    with pytest.raises(InputError, match=r"copy\.json is not SEC's list"):
        fetch("catalog", tmp_path, names=[str(tmp_path / "copy.json")], now=NOW)
    with pytest.raises(FingroundError, match="is not SEC's list"):
        fetch("catalog", tmp_path, names=(), now=NOW, client=lambda url: text)
    assert (tmp_path / "sec/company_tickers.json").read_text() == "old"


def test_the_catalogue_takes_one_file_that_is_there(tmp_path):
    with pytest.raises(InputError, match="takes one file, not 2"):
        fetch("catalog", tmp_path, names=["a", "b"], now=NOW)
    with pytest.raises(InputError, match=r"nowhere\.json is not there"):
        fetch("catalog", tmp_path, names=["nowhere.json"], now=NOW)


def test_news_is_written_as_headlines_about_the_ticker_before_the_address(tmp_path):
    entry = Entry(datetime(2023, 6, 30, 16, 30, tzinfo=UTC), "Seven up", "http://x/1", "More.")
    (path,) = fetch("news", tmp_path, names=["SVN=https://feed"], now=NOW, client=lambda url: [entry])
    assert json.loads(path.read_text()) == {
        "ts": "20230630 04:30PM UTC",
        "title": "Seven up",
        "href": "http://x/1",
        "body": "More.",
        "matched": ["SVN"],
    }


def test_if_some_fail_the_others_are_kept_and_the_failed_are_named(tmp_path):
    def history(ticker, start, end):
        if ticker == "BAD":
            raise ConnectionError("no answer")
        return [(date(2023, 6, 30), 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)]

    with pytest.raises(FingroundError, match=r"1 of 2 not fetched \(BAD: no answer\)"):
        fetch("prices", tmp_path, names=["GOOD", "BAD"], now=NOW, client=history)
    assert [path.name for path in (tmp_path / "market/prices").iterdir()] == ["GOOD.csv"]


def test_a_page_in_place_of_json_is_an_error_and_nothing_is_written(tmp_path):
    write(tmp_path / "sec/company_tickers.json", "{}")
    with pytest.raises(FingroundError, match="not company facts"):
        fetch("edgar", tmp_path, names=["7"], now=NOW, client=lambda url: "<html>")
    assert not (tmp_path / "sec/companyfacts").exists()


def test_without_a_declared_identity_edgar_is_not_called(tmp_path, monkeypatch):
    monkeypatch.delenv("EDGAR_IDENTITY", raising=False)
    with pytest.raises(InputError, match="EDGAR_IDENTITY is not set"):
        fetch("catalog", tmp_path, names=(), now=NOW)


def test_unknown_sources_and_missing_names_are_refused(tmp_path):
    with pytest.raises(InputError, match="catalog, edgar, prices, news"):
        fetch("moon", tmp_path, names=["x"], now=NOW)
    with pytest.raises(InputError, match="needs names: tickers"):
        fetch("prices", tmp_path, names=[], now=NOW)
