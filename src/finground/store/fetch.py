"""Raw files from the network, in the shapes that `ingest` reads. With the download of a base, the only code
that goes online.

A client is handed in, or made from edgartools, yfinance or feedparser. What can be fetched is written, each
file whole or not at all; if some names fail, the others are kept and the run fails with the list.
"""

import calendar
import csv
import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from finground.core.artifact import read_json, read_text, whole_file, write_json
from finground.core.errors import FingroundError, InputError
from finground.core.log import progress
from finground.store.sources.news import STAMP
from finground.store.sources.prices import PRICES

IDENTITY = "EDGAR_IDENTITY"  # "Jane Doe jane@example.org": SEC asks every caller to say who it is
TICKERS_URL = "https://www.sec.gov/files/company_tickers.json"
FACTS_URL = "https://data.sec.gov/api/xbrl/companyfacts/CIK{cik:010d}.json"
YEARS_OF_PRICES = 10
Bar = tuple[date, float, float, float, float, float, float]  # day, then as in PRICES


@dataclass(frozen=True, slots=True)
class Entry:
    """A feed's item; `published` is aware."""

    published: datetime
    title: str
    url: str
    body: str


Json = Callable[[str], Any]
History = Callable[[str, date, date], Iterable[Bar]]
Feed = Callable[[str], Iterable[Entry]]


def fetch(
    source: str,
    into: Path,
    *,
    names: Sequence[str],
    now: datetime,
    client: Json | History | Feed | None = None,
) -> list[Path]:
    """Fetch `catalog` (from SEC, or a copy), `edgar` (tickers or CIKs), `prices` (tickers) or `news`
    (feed URLs, or TICKER=URL); the files written.

    Raises:
        InputError: if the source is unknown, names are missing, or EDGAR_IDENTITY is not set.
        FingroundError: if a server does not answer, or not with what was asked.
    """
    sources: dict[str, Callable[[], list[Path]]] = {
        "catalog": lambda: [_catalog(into, names, client)],
        "edgar": lambda: _each(names, "a ticker or CIK", _facts(into, client or edgar_client())),
        "prices": lambda: _each(names, "a ticker", _prices(into, now, client or price_client())),
        "news": lambda: [_news(into, names, now, client or feed_client())],
    }
    if source not in sources:
        raise InputError(f"{source!r} cannot be fetched; there are: {', '.join(sources)}")
    if source != "catalog" and not names:
        raise InputError(
            f"`finground fetch {source}` needs names: {'feed URLs' if source == 'news' else 'tickers'}"
        )
    return sources[source]()


def edgar_client() -> Json:
    """EDGAR through edgartools, which keeps to SEC's rate limit and waits when told to.

    Raises:
        InputError: if EDGAR_IDENTITY is not set.
    """
    if not os.environ.get(IDENTITY):
        raise InputError(
            f"{IDENTITY} is not set; SEC asks who calls: export {IDENTITY}='Jane Doe jane@example.org'"
        )
    httprequests = _module("edgar.httprequests", "edgartools")
    failures = (
        _module("edgar.exceptions", "edgartools").EdgarError,
        _module("httpx", "edgartools").HTTPError,
    )

    def download(url: str) -> Any:
        try:
            return httprequests.download_json(url)
        except failures as error:
            raise ConnectionError(f"{url}: {error}") from error

    return download


def price_client() -> History:
    """Daily bars through yfinance, the close not adjusted for dividends."""
    yfinance = _module("yfinance", "yfinance")
    failure = _module("yfinance.exceptions", "yfinance").YFException

    def history(ticker: str, start: date, end: date) -> Iterable[Bar]:
        asked = yfinance.Ticker(ticker)
        try:
            table = asked.history(start=start, end=end, auto_adjust=False, actions=False, raise_errors=True)
        except failure as error:
            raise ConnectionError(str(error)) from error
        return [
            (day.date(), *(float(row[name]) for name in PRICES.values())) for day, row in table.iterrows()
        ]

    return history


def feed_client() -> Feed:
    """RSS and Atom through feedparser; an entry without a date is left out: nobody could tell when it was
    known.
    """
    feedparser = _module("feedparser", "feedparser")

    def feed(url: str) -> Iterable[Entry]:
        parsed = feedparser.parse(url)
        if parsed.bozo and not parsed.entries:
            raise ConnectionError(f"{url}: {parsed.bozo_exception}")
        return [_entry(entry) for entry in parsed.entries if entry.get("published_parsed")]

    return feed


def _entry(entry: Any) -> Entry:
    published = datetime.fromtimestamp(calendar.timegm(entry.published_parsed), UTC)
    return Entry(published, entry.title, entry.get("link", ""), entry.get("summary", ""))


def _catalog(into: Path, names: Sequence[str], client: Any) -> Path:
    """SEC's list of companies and tickers, from SEC or from a copy of it given as a file.

    Raises:
        InputError: if the file is not SEC's list, or more than one is given.
    """
    if len(names) > 1:
        raise InputError(
            f"`finground fetch catalog` takes one file, not {len(names)}: a copy of {TICKERS_URL}"
        )
    where, kind = (names[0], InputError) if names else (TICKERS_URL, FingroundError)
    listed = _copy(Path(where)) if names else _answer(client or edgar_client())
    if not _is_sec_list(listed):
        raise kind(
            f"{where} is not SEC's list, whose entries have cik_str, ticker and title; nothing was written"
        )
    path = into / "sec" / "company_tickers.json"
    write_json(path, listed)
    return path


def _answer(client: Any) -> Any:
    try:
        return client(TICKERS_URL)
    except (OSError, ValueError) as error:
        raise FingroundError(f"{TICKERS_URL} was not fetched: {error}; nothing was written") from error


def _copy(path: Path) -> Any:
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError:
        return None


def _is_sec_list(listed: Any) -> bool:
    rows = listed.values() if isinstance(listed, dict) else []
    return bool(rows) and all(
        isinstance(row, dict) and isinstance(row.get("cik_str"), int) and {"ticker", "title"} <= row.keys()
        for row in rows
    )


def _facts(into: Path, client: Any) -> Callable[[str], Path]:
    def one(name: str) -> Path:
        cik = int(name) if name.isdigit() else _cik(into, name)
        data = client(FACTS_URL.format(cik=cik))
        if not isinstance(data, dict) or "facts" not in data:
            raise ValueError("the answer is not company facts (a rate limit?)")
        path = into / "sec" / "companyfacts" / f"CIK{cik:010d}.json"
        write_json(path, data)
        return path

    return one


def _cik(into: Path, ticker: str) -> int:
    """The CIK of a ticker in SEC's list, fetched before."""
    listed = read_json(into / "sec" / "company_tickers.json")
    found = next((row["cik_str"] for row in listed.values() if row["ticker"] == ticker.upper()), None)
    if found is None:
        raise InputError(
            f"{ticker!r} is not a ticker in SEC's list; give a CIK, or `finground fetch catalog` anew"
        )
    return int(found)


def _prices(into: Path, now: datetime, client: Any) -> Callable[[str], Path]:
    """Bars of finished sessions only: until yesterday, UTC."""
    start = now.date() - timedelta(days=round(YEARS_OF_PRICES * 365.25))

    def one(ticker: str) -> Path:
        if not re.fullmatch(r"[A-Za-z0-9.^-]+", ticker):
            raise InputError(f"{ticker!r} is not a ticker; write it like AAPL or BRK-B")
        rows = list(client(ticker, start, now.date()))
        if not rows:
            raise ValueError("no bars in the answer")
        path = into / "market" / "prices" / f"{ticker.upper()}.csv"
        with whole_file(path) as temporary, temporary.open("w", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([("Date", *PRICES.values()), *rows])
        return path

    return one


def _news(into: Path, names: Sequence[str], now: datetime, client: Any) -> Path:
    """All entries of the feeds as one JSONL; those of TICKER=URL are about that company."""
    path = into / "news" / "feeds" / f"{now:%Y%m%dT%H%M%SZ}.jsonl"
    rows: list[dict[str, Any]] = []

    def one(name: str) -> Path:
        match = re.match(r"([A-Z0-9.-]+)=(http.*)", name)
        ticker, url = (match[1], match[2]) if match else ("", name)
        for entry in client(url):
            row = {
                "ts": entry.published.astimezone(UTC).strftime(STAMP),
                "title": entry.title,
                "href": entry.url,
            }
            rows.append({**row, "body": entry.body, "matched": [ticker] if ticker else []})
        return path

    _each(names, "a feed URL", one)
    with whole_file(path) as temporary:
        temporary.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return path


def _each(names: Sequence[str], what: str, one: Callable[[str], Path]) -> list[Path]:
    """The files of all names; those that fail are named at the end.

    Raises:
        FingroundError: if any failed.
    """
    written, failed = list[Path](), dict[str, str]()
    for name in progress(names, "fetch", len(names)):
        try:
            written.append(one(name))
        except (OSError, ValueError) as error:
            failed[name] = str(error)
    if failed:
        reasons = "; ".join(f"{name}: {why}" for name, why in failed.items())
        raise FingroundError(
            f"{len(failed)} of {len(names)} not fetched ({reasons}); give {what}, or try again later"
        )
    return written


def _module(name: str, package: str) -> Any:
    """A client library.

    Raises:
        InputError: if it is not installed.
    """
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"{package} is not installed; `pip install 'finground[fetch]'`") from error
