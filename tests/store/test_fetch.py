"""Fetching: files of the shape that ingest reads, the pace that servers ask for, one sentence when it fails.

Clients are handed in, or are the real ones against a server on loopback.
"""

import gzip
import http.server
import json
import multiprocessing
import threading
import time
from datetime import UTC, date, datetime

import pytest
from store_by_hand import METRICS, NOW, vectors_of, write

from finground.core.errors import FingroundError, InputError
from finground.store import clients
from finground.store.clients import Bar, Busy, feed_client, in_turn, patiently, seconds_told, text_client
from finground.store.computed import as_traded
from finground.store.fetch import FACTS_URL, FILINGS_URL, TICKERS_URL, Entry, fetch
from finground.store.ingest import ingest
from finground.store.missing import missing
from finground.store.reader import Store
from finground.store.schema import bars, seconds
from finground.store.series import Window, sessions

FACTS = {
    FACTS_URL.format(cik=7): {"cik": 7, "facts": {}},
    FILINGS_URL.format(cik=7): {"cik": 7, "filings": {}},
}
ONE = Bar(date(2023, 6, 30), 1.0, 2.0, 0.5, 1.5, 1.4, 100.0)


class Served(http.server.ThreadingHTTPServer):
    """A server that gives the answers of a script: status, headers and body for each path, in turn."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: dict[str, list[tuple[int, dict[str, str], str]]] = {}
        self.asked: list[tuple[str, str]] = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append((self.path, self.headers.get("User-Agent", "")))
        answers = self.server.script[self.path]
        status, headers, body = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def served():
    with Served() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def edgar(served, monkeypatch, tmp_path):
    """The real EDGAR client, sent to the server on loopback, with a queue of its own."""
    monkeypatch.setenv("EDGAR_IDENTITY", "Jane Doe jane@example.org")
    monkeypatch.setenv("EDGAR_LOCAL_DATA_DIR", str(tmp_path / "edgar"))
    monkeypatch.setattr(clients.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr("finground.store.fetch.FACTS_URL", served.url + "/facts/{cik}")
    monkeypatch.setattr("finground.store.fetch.FILINGS_URL", served.url + "/filings/{cik}")
    served.script["/filings/7"] = [(200, {}, '{"cik": 7, "filings": {}}')]
    return clients.edgar_client()


def test_edgar_is_told_who_asks_and_waited_for_as_it_says(served, edgar, tmp_path):
    busy = (429, {"Retry-After": "1"}, "<html>slow down</html>")
    served.script["/facts/7"] = [busy, busy, busy, (200, {}, '{"cik": 7, "facts": {}}')]
    began = time.monotonic()
    paths = fetch("edgar", tmp_path, names=["7"], now=NOW, client=edgar)
    assert time.monotonic() - began >= 3
    assert [path.parent.name for path in paths] == ["submissions", "companyfacts"]
    assert len(served.asked) == 5 and {agent for _, agent in served.asked} == {"Jane Doe jane@example.org"}
    assert missing(tmp_path) == {}


def test_a_page_of_html_is_never_stored_and_the_company_is_listed_as_missing(served, edgar, tmp_path):
    served.script["/facts/7"] = [(200, {}, "<html>Your request rate is too high</html>")]
    with pytest.raises(FingroundError, match=r"1 of 1 not fetched \(7: .*a web page where data should stand"):
        fetch("edgar", tmp_path, names=["7"], now=NOW, client=edgar)
    assert [path.name for path in tmp_path.rglob("*.json") if "edgar" not in path.parent.parts] == [
        "edgar.json"
    ]
    assert "web page" in missing(tmp_path)["edgar"]["7"]


def test_one_of_twenty_five_fails_and_the_next_fetch_tries_only_that(tmp_path):
    asked = []

    def history(ticker, start, end):
        asked.append(ticker)
        if ticker == "T7" and len(asked) <= 25:
            raise ConnectionError("no answer")
        return [ONE]

    names = [f"T{n}" for n in range(25)]
    with pytest.raises(FingroundError, match=r"1 of 25 not fetched \(T7: no answer\)") as caught:
        fetch("prices", tmp_path, names=names, now=NOW, client=history)
    assert caught.value.exit_code == 1 and len(list((tmp_path / "market/prices").iterdir())) == 24
    assert missing(tmp_path) == {"prices": {"T7": "no answer"}}
    assert fetch("prices", tmp_path, names=names, now=NOW, client=history) == [
        tmp_path / "market/prices/T7.csv"
    ]
    assert asked[25:] == ["T7"] and missing(tmp_path) == {}


def test_missing_ones_are_no_failure_where_that_is_allowed(tmp_path):
    def nothing(*_):
        raise ConnectionError("no answer")

    assert fetch("prices", tmp_path, names=["BAD"], now=NOW, client=nothing, allow_missing=True) == []
    assert missing(tmp_path) == {"prices": {"BAD": "no answer"}}


def test_a_killed_fetch_goes_on_where_it_was(tmp_path):
    class Killed(BaseException):
        """What a test does instead of kill -9."""

    asked = []

    def dying(ticker, start, end):
        asked.append(ticker)
        if len(asked) == 2:
            raise Killed
        return [ONE]

    with pytest.raises(Killed):
        fetch("prices", tmp_path, names=["A", "B", "C"], now=NOW, client=dying)
    fetch("prices", tmp_path, names=[], now=NOW, client=dying)
    assert asked == ["A", "B", "B", "C"] and list((tmp_path / "market/prices").glob(".tmp*")) == []


def test_a_busy_server_is_given_up_after_six_tries():
    waited = []

    def ask():
        raise Busy("http://x", 7)

    with pytest.raises(Busy, match="too many requests, again in 7 s"):
        patiently(ask, waited.append)
    assert waited == [7] * 5


@pytest.mark.parametrize(
    ("header", "waits"), [("3", 3), ("Fri, 02 Jan 2026 03:05:05 GMT", 60), (None, 60), ("soon", 60)]
)
def test_a_server_tells_seconds_or_a_time(header, waits):
    assert seconds_told(header, NOW.timestamp()) == waits


def turns(folder, stamps):
    clients.tempfile.gettempdir = lambda: folder
    for _ in range(5):
        in_turn("test", 10)
        stamps.put(time.time())


def test_all_processes_together_ask_ten_times_a_second(tmp_path):
    context = multiprocessing.get_context("fork")
    stamps = context.Queue()
    workers = [context.Process(target=turns, args=(str(tmp_path), stamps)) for _ in range(3)]
    for worker in workers:
        worker.start()
    times = sorted(stamps.get(timeout=30) for _ in range(15))
    for worker in workers:
        worker.join()
    assert times[-1] - times[0] >= 1.35  # fourteen steps of a tenth, less the clock's grain
    assert all(times[n + 11] - times[n] > 0.95 for n in range(4))


def test_feeds_are_read_with_their_dates_and_waited_for(served, tmp_path):
    item = "<item><title>Seven up</title><link>http://x/1</link><pubDate>{}</pubDate></item>"
    items = item.format("Fri, 30 Jun 2023 16:30:00 GMT") + "<item><title>No date</title></item>"
    rss = f'<?xml version="1.0"?><rss version="2.0"><channel><title>t</title>{items}</channel></rss>'
    served.script["/rss"] = [(503, {"Retry-After": "0"}, "later"), (200, {"Content-Type": "text/xml"}, rss)]
    (path,) = fetch("news", tmp_path, names=[f"SVN={served.url}/rss"], now=NOW, client=feed_client())
    (line,) = path.read_text().splitlines()
    assert json.loads(line) | {"body": ""} == {
        "ts": "20230630 04:30PM UTC", "title": "Seven up", "href": "http://x/1", "body": "",
        "matched": ["SVN"],
    }  # fmt: skip
    served.script["/page"] = [(200, {"Content-Type": "text/html"}, "<html><body>hello</body></html>")]
    with pytest.raises(FingroundError, match="1 of 1 not fetched"):
        fetch("news", tmp_path, names=[f"{served.url}/page"], now=NOW, client=feed_client())


def test_tables_are_fetched_by_name_and_pages_are_not(served, tmp_path):
    served.script["/flows.csv"] = [(200, {}, "Date,margin_balance (万元)\n2023-06-30,2\n")]
    served.script["/page"] = [(200, {}, "<!doctype html>")]
    (path,) = fetch("flows", tmp_path, names=[f"ALP={served.url}/flows.csv"], now=NOW, client=text_client())
    assert path == tmp_path / "market/company-flows/ALP.csv" and path.read_text().endswith("2023-06-30,2\n")
    with pytest.raises(FingroundError, match="a web page where data should stand"):
        fetch("figures", tmp_path, names=[f"x={served.url}/page"], now=NOW, client=text_client())
    with pytest.raises(InputError, match="is not NAME=URL"):
        fetch("flows", tmp_path, names=["ALP"], now=NOW, client=text_client())


def test_price_files_are_as_traded_once_read(tmp_path):
    """A split of two for one on the 29th: the vendor halves what came before, the store has it as it was."""
    days = [(27, 50.0, 0.0), (28, 51.0, 0.0), (29, 52.0, 2.0), (30, 53.0, 0.0)]

    def history(ticker, start, end):
        assert (start.year, end) == (2016, NOW.date())
        return [Bar(date(2023, 6, day), c, c, c, c, c, 100.0, "USD", split) for day, c, split in days]

    (path,) = fetch("prices", tmp_path, names=["brk-b"], now=NOW, client=history)
    assert path == tmp_path / "market/prices/BRK-B.csv"
    assert path.read_text().splitlines()[0] == "Date,Open,High,Low,Close,Adj Close,Volume,Currency,Split"
    with Store.open(tmp_path / "s.db", create=True) as store:
        ingest(store, tmp_path, now=NOW, metrics=METRICS, embed=vectors_of)
        with store.reading() as connection:
            found = sessions(connection, bars, "us:BRK-B", seconds(NOW), Window(last=9))
    assert found.series.column("close").tolist() == [100, 102, 52, 53]
    assert found.series.column("adj_close").tolist() == [50, 51, 52, 53]
    assert found.series.column("volume").tolist() == [50, 50, 100, 100] and as_traded(found)


def test_quotes_are_bars_that_have_ended(tmp_path):
    def history(ticker, start, end):
        times = (datetime(2026, 1, 2, 2, 30, tzinfo=UTC), datetime(2026, 1, 2, 3, 30, tzinfo=UTC))
        return [Bar(at, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0) for at in times]

    (path,) = fetch("quotes", tmp_path, names=["AAA"], now=NOW, client=history)
    assert [line.split(",")[0] for line in path.read_text().splitlines()] == [
        "Time",
        "2026-01-02T02:30:00+00:00",
    ]


def test_a_snapshot_gains_a_row_for_each_company(tmp_path):
    def key(ticker):
        return {"Symbol": ticker, "Name": ticker, "Price": "10.5", "Market Cap": "1.5B"}

    fetch("snapshots", tmp_path, names=["AAA", "BBB"], now=NOW, client=key)
    (path,) = (tmp_path / "market/snapshots").iterdir()
    assert path.read_text().splitlines() == [
        "Symbol,Name,Price,Market Cap",
        "AAA,AAA,10.5,1.5B",
        "BBB,BBB,10.5,1.5B",
    ]


def test_company_facts_are_fetched_by_ticker_or_cik(tmp_path):
    answers = {TICKERS_URL: {"0": {"cik_str": 7, "ticker": "SVN", "title": "Seven"}}, **FACTS}
    fetch("catalog", tmp_path, names=(), now=NOW, client=answers.__getitem__)
    for name in ("svn", "7"):
        paths = fetch("edgar", tmp_path, names=[name], now=NOW, client=answers.__getitem__)
        assert json.loads(paths[1].read_text()) == {"cik": 7, "facts": {}}
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
        "ts": "20230630 04:30PM UTC", "title": "Seven up", "href": "http://x/1", "body": "More.",
        "matched": ["SVN"],
    }  # fmt: skip


def test_what_is_no_company_facts_is_an_error_and_nothing_is_written(tmp_path):
    write(tmp_path / "sec/company_tickers.json", "{}")
    with pytest.raises(FingroundError, match="not company facts"):
        fetch("edgar", tmp_path, names=["7"], now=NOW, client=lambda url: "<html>")
    assert not (tmp_path / "sec/companyfacts").exists()


def test_without_a_declared_identity_edgar_is_not_called(tmp_path, monkeypatch):
    monkeypatch.delenv("EDGAR_IDENTITY", raising=False)
    with pytest.raises(InputError, match="EDGAR_IDENTITY is not set"):
        fetch("catalog", tmp_path, names=(), now=NOW)


def test_unknown_sources_and_missing_names_are_refused(tmp_path):
    from finground import cli
    from finground.store.fetch import SOURCES

    assert tuple(SOURCES) == cli.SOURCES
    with pytest.raises(InputError, match="catalog, edgar, prices, quotes"):
        fetch("moon", tmp_path, names=["x"], now=NOW)
    with pytest.raises(InputError, match="needs names: tickers"):
        fetch("prices", tmp_path, names=[], now=NOW)
