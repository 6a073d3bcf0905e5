"""Clients of the network for `fetch`: EDGAR, prices, feeds and tables, each behind the pace it is allowed.

A server that says to wait is waited for as long as it says, up to TRIES times. EDGAR is asked at most ten
times a second by all processes of this machine together, and told who asks. A web page where data should
stand is an error, never data (case S7).
"""

import calendar
import fcntl
import json
import math
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, TypeVar

from finground.core.errors import InputError

IDENTITY = "EDGAR_IDENTITY"  # "Jane Doe jane@example.org": SEC asks every caller to say who it is
A_SECOND = 10  # requests to EDGAR, over all processes
TRIES = 6
UNTOLD = 60.0  # seconds to wait where a server does not say how many
BARS_WITHIN = timedelta(minutes=30)
TOLD = {  # column of a snapshot → Yahoo's name, and whether the number gets a letter for its scale
    "Price": ("currentPrice", False),
    "Price/Earnings": ("trailingPE", False),
    "Dividend Yield": ("dividendYield", False),
    "Book Value": ("bookValue", False),
    "Market Cap": ("marketCap", True),
    "Price/Sales": ("priceToSalesTrailing12Months", False),
    "Price/Book": ("priceToBook", False),
}
T = TypeVar("T")
Clock = Callable[[], float]  # seconds since 1970, for pace alone


class Busy(ConnectionError):
    """A server that asks to be left alone for some seconds."""

    def __init__(self, url: str, after: float) -> None:
        super().__init__(f"{url}: too many requests, again in {after:.0f} s")
        self.after = after


@dataclass(frozen=True, slots=True)
class Bar:
    """A session, or a bar within one that ended at `time`; `split` is shares for one, 0 where there was none.

    Prices are as the vendor gives them: rebased for every split until today.
    """

    time: date | datetime
    open: float
    high: float
    low: float
    close: float
    adj_close: float
    volume: float
    currency: str = "USD"
    split: float = 0.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A feed's item; `published` is aware."""

    published: datetime
    title: str
    url: str
    body: str


Text = Callable[[str], str]
Json = Callable[[str], Any]
History = Callable[[str, date, date], Iterable[Bar]]
Key = Callable[[str], dict[str, str]]
Feed = Callable[[str], Iterable[Entry]]


def patiently(ask: Callable[[], T], sleep: Callable[[float], None] = time.sleep) -> T:
    """The answer, waiting as told before asking again.

    Raises:
        Busy: if the server is still busy at the last try.
    """
    for _ in range(TRIES - 1):
        try:
            return ask()
        except Busy as busy:
            sleep(busy.after)
    return ask()


def in_turn(
    name: str, a_second: float, sleep: Callable[[float], None] = time.sleep, clock: Clock = time.time
) -> None:
    """Wait for this process's turn among all of this user that ask the same server."""
    path = Path(tempfile.gettempdir()) / f"finground-{os.getuid()}-{name}.turn"
    with path.open("a+") as turns:
        fcntl.flock(turns, fcntl.LOCK_EX)
        turns.seek(0)
        now, held = clock(), turns.read().strip()
        turn = max(now, min(float(held), now + 60) if held else 0.0)
        turns.truncate(0)
        turns.write(f"{turn + 1 / a_second!r}")
    sleep(max(0.0, turn - now))


def edgar_client() -> Json:
    """EDGAR through edgartools, which says who asks.

    Raises:
        InputError: if EDGAR_IDENTITY is not set.
    """
    if not os.environ.get(IDENTITY):
        raise InputError(
            f"{IDENTITY} is not set; SEC asks who calls: export {IDENTITY}='Jane Doe jane@example.org'"
        )
    requests, told = module("edgar.httprequests", "edgartools"), module("edgar.exceptions", "edgartools")
    failures = (told.EdgarError, module("httpx", "edgartools").HTTPError)

    def download(url: str) -> Any:
        in_turn("edgar", A_SECOND)
        try:
            answer = requests.get_with_retry(url)
            answer.raise_for_status()
        except told.TooManyRequestsError as error:
            raise Busy(url, float(error.retry_after or 60 * error.BLOCK_DURATION_MINUTES)) from error
        except failures as error:
            raise ConnectionError(f"{url}: {str(error).strip().splitlines()[0]}") from error
        return json.loads(not_a_page(answer.text, url))

    return download


def text_client(clock: Clock = time.time) -> Text:
    """Tables by URL."""
    httpx = module("httpx", "httpx")

    def download(url: str) -> str:
        try:
            answer = httpx.get(url, follow_redirects=True, timeout=60)
            if answer.status_code in (429, 503):
                raise Busy(url, seconds_told(answer.headers.get("retry-after"), clock()))
            answer.raise_for_status()
        except httpx.HTTPError as error:
            raise ConnectionError(f"{url}: {error}") from error
        return not_a_page(answer.text, url)

    return download


def price_client(within: bool = False) -> History:
    """Bars through yfinance: of days, the close not adjusted for dividends, with splits; or within days."""
    yfinance, told = module("yfinance", "yfinance"), module("yfinance.exceptions", "yfinance")

    def history(ticker: str, start: date, end: date) -> Iterable[Bar]:
        asked = yfinance.Ticker(ticker)
        options = {"interval": "30m"} if within else {}
        try:
            table = asked.history(
                start=start, end=end, auto_adjust=False, actions=True, raise_errors=True, **options
            )
            currency = str(asked.get_history_metadata().get("currency") or "USD")
        except told.YFRateLimitError as error:
            raise Busy(ticker, UNTOLD) from error
        except told.YFException as error:
            raise ConnectionError(str(error)) from error
        names = ("Open", "High", "Low", "Close", "Adj Close" if "Adj Close" in table else "Close", "Volume")
        bars = []
        for at, row in table.iterrows():
            first, high, low, close, adjusted, volume = (float(row[name]) for name in names)
            ended = at.to_pydatetime() + BARS_WITHIN if within else at.date()
            split = float(row.get("Stock Splits", 0.0))
            bars.append(Bar(ended, first, high, low, close, adjusted, volume, currency, split))
        return bars

    return history


def key_client() -> Key:
    """What yfinance says of a company today, as a row of a snapshot."""
    yfinance, told = module("yfinance", "yfinance"), module("yfinance.exceptions", "yfinance")

    def key(ticker: str) -> dict[str, str]:
        try:
            info = yfinance.Ticker(ticker).info
        except told.YFRateLimitError as error:
            raise Busy(ticker, UNTOLD) from error
        except told.YFException as error:
            raise ConnectionError(str(error)) from error
        if not info.get("currentPrice"):
            raise ValueError("no price in the answer")
        if (currency := info.get("currency")) != "USD":
            raise ValueError(f"quoted in {currency}; a snapshot is in USD")
        values = {column: _written(info.get(name), scaled) for column, (name, scaled) in TOLD.items()}
        return {"Symbol": ticker.upper(), "Name": str(info.get("longName") or ticker), **values}

    return key


def _written(value: Any, scaled: bool) -> str:
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        return ""
    return f"{value / 1e9!r}B" if scaled else repr(value)


def feed_client(clock: Clock = time.time) -> Feed:
    """RSS and Atom through feedparser; an entry without a date is left out: nobody could tell when it was
    known.
    """
    feedparser = module("feedparser", "feedparser")

    def feed(url: str) -> Iterable[Entry]:
        parsed = feedparser.parse(url)
        if parsed.get("status") in (429, 503):
            after = parsed.get("headers", {}).get("retry-after")
            raise Busy(url, seconds_told(after, clock()))
        if parsed.get("status", 200) >= 400 or not (parsed.get("version") or parsed.entries):
            what = parsed.get("bozo_exception") or f"status {parsed.get('status')}, no feed in the answer"
            raise ConnectionError(f"{url}: {what}")
        return [_entry(entry) for entry in parsed.entries if entry.get("published_parsed")]

    return feed


def _entry(entry: Any) -> Entry:
    published = datetime.fromtimestamp(calendar.timegm(entry.published_parsed), UTC)
    return Entry(published, entry.title, entry.get("link", ""), entry.get("summary", ""))


def seconds_told(header: str | None, now: float) -> float:
    """The seconds of a Retry-After, which may be a number or a time."""
    if not header:
        return UNTOLD
    if header.strip().isdigit():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except ValueError:
        return UNTOLD


def not_a_page(text: str, where: str) -> str:
    """The text, unless a web page stands in its place.

    Raises:
        ValueError: if it begins as one does.
    """
    if text.lstrip()[:1] == "<":
        raise ValueError(f"{where} answered with a web page where data should stand (a rate limit?)")
    return text


def module(name: str, package: str) -> Any:
    """A client library.

    Raises:
        InputError: if it is not installed.
    """
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"{package} is not installed; `pip install 'finground[fetch]'`") from error
