"""Raw files from the network, in the shapes that `ingest` reads. With the download of a base, the only code
that goes online.

A client is handed in, or made by `clients`. Each file is written whole or not at all. What could not be had
is listed in `missing/SOURCE.json` with the reason, and the next fetch of the same names goes on from there.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from finground.core.artifact import read_json, read_text, whole_file, write_json
from finground.core.errors import FingroundError, InputError
from finground.core.log import progress
from finground.store import clients
from finground.store.clients import Bar, Entry, patiently
from finground.store.missing import Missing
from finground.store.sources.news import STAMP
from finground.store.sources.prices import PRICES

__all__ = ["SOURCES", "Bar", "Entry", "fetch"]

TICKERS_URL = "https://www.sec.gov/files/company_tickers.json"
FACTS_URL = "https://data.sec.gov/api/xbrl/companyfacts/CIK{cik:010d}.json"
FILINGS_URL = "https://data.sec.gov/submissions/CIK{cik:010d}.json"
YEARS_OF_PRICES = 10
DAYS_OF_QUOTES = 5
SOURCES: Mapping[str, str] = {  # and what they are fetched by
    "catalog": "",
    "edgar": "tickers or CIKs",
    "prices": "tickers",
    "quotes": "tickers",
    "snapshots": "tickers",
    "news": "feed URLs, or TICKER=URL",
    "flows": "TICKER=URL of a CSV",
    "figures": "NAME=URL of a CSV",
}


def fetch(
    source: str,
    into: Path,
    *,
    names: Sequence[str],
    now: datetime,
    client: Any = None,
    allow_missing: bool = False,
) -> list[Path]:
    """Fetch a source by names; without names, what the last fetch of it left. Returns the files written.

    Raises:
        InputError: if the source is unknown, there are no names, or EDGAR_IDENTITY is not set.
        FingroundError: if some names were not had, unless `allow_missing`; the others are there.
    """
    if source not in SOURCES:
        raise InputError(f"{source!r} cannot be fetched; there are: {', '.join(SOURCES)}")
    if source == "catalog":
        return [_catalog(into, names, client)]
    rest = Missing.of(into, source, names)
    if not rest.asked:
        raise InputError(f"`finground fetch {source}` needs names: {SOURCES[source]}")
    written = _each(rest, _one(source, into, now, client))
    if rest.names and not allow_missing:
        reasons = "; ".join(f"{name}: {why}" for name, why in rest.names.items())
        raise FingroundError(
            f"{len(rest.names)} of {len(rest.asked)} not fetched ({reasons}); `finground fetch {source}` "
            f"tries these again, {rest.path} lists them"
        )
    return written


def _one(source: str, into: Path, now: datetime, client: Any) -> Callable[[str], list[Path]]:
    """What fetches one name of a source."""
    if source == "edgar":
        return _facts(into, client or clients.edgar_client())
    if source == "prices":
        return _prices(into, now, client or clients.price_client())
    if source == "quotes":
        return _quotes(into, now, client or clients.price_client(within=True))
    if source == "snapshots":
        return _snapshot(into, now, client or clients.key_client())
    if source == "news":
        return _news(into, now, client or clients.feed_client())
    folder = "company-flows" if source == "flows" else "figures"
    return _table(into / "market" / folder, client or clients.text_client())


def _each(rest: Missing, one: Callable[[str], list[Path]]) -> list[Path]:
    """The files of all names that are missing; what fails stays listed, with the reason."""
    written: list[Path] = []
    rest.save()
    for name in progress(list(rest.names), "fetch", len(rest.names)):
        try:
            written += patiently(lambda name=name: one(name))  # type: ignore[misc]  # bound on purpose
        except (OSError, ValueError) as error:
            rest.names[name] = str(error)
            rest.save()
        else:
            rest.done(name)
    return written


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
    listed = _copy(Path(where)) if names else _answer(client or clients.edgar_client())
    if not _is_sec_list(listed):
        raise kind(
            f"{where} is not SEC's list, whose entries have cik_str, ticker and title; nothing was written"
        )
    path = into / "sec" / "company_tickers.json"
    write_json(path, listed)
    return path


def _answer(client: clients.Json) -> Any:
    try:
        return patiently(lambda: client(TICKERS_URL))
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


def _facts(into: Path, client: clients.Json) -> Callable[[str], list[Path]]:
    """Company facts, and the index of submissions beside them."""

    def one(name: str) -> list[Path]:
        cik = int(name) if name.isdigit() else _cik(into, name)
        facts = client(FACTS_URL.format(cik=cik))
        if not isinstance(facts, dict) or "facts" not in facts:
            raise ValueError("the answer is not company facts (a rate limit?)")
        filings = client(FILINGS_URL.format(cik=cik))
        if not isinstance(filings, dict) or "filings" not in filings:
            raise ValueError("the answer is not an index of submissions (a rate limit?)")
        paths = [into / "sec" / kind / f"CIK{cik:010d}.json" for kind in ("submissions", "companyfacts")]
        write_json(paths[0], filings)
        write_json(paths[1], facts)
        return paths

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


def _prices(into: Path, now: datetime, client: clients.History) -> Callable[[str], list[Path]]:
    """Bars of finished sessions only: until yesterday, UTC."""
    start = now.date() - timedelta(days=round(YEARS_OF_PRICES * 365.25))

    def one(ticker: str) -> list[Path]:
        rows = list(client(_checked(ticker), start, now.date()))
        if not rows:
            raise ValueError("no bars in the answer")
        head = ("Date", *PRICES.values(), "Currency", "Split")
        return [_csv(into / "market" / "prices" / f"{ticker.upper()}.csv", head, map(astuple, rows))]

    return one


def _quotes(into: Path, now: datetime, client: clients.History) -> Callable[[str], list[Path]]:
    """Bars within days that have ended."""
    start, end = now.date() - timedelta(days=DAYS_OF_QUOTES), now.date() + timedelta(days=1)

    def one(ticker: str) -> list[Path]:
        bars = [bar for bar in client(_checked(ticker), start, end) if _ended(bar, now)]
        if not bars:
            raise ValueError("no bars in the answer")
        head = ("Time", *PRICES.values(), "Currency")
        rows = ((_iso(bar), *astuple(bar)[1:-1]) for bar in bars)
        return [_csv(into / "market" / "quotes" / f"{ticker.upper()}.csv", head, rows)]

    return one


def _ended(bar: Bar, now: datetime) -> bool:
    return isinstance(bar.time, datetime) and bar.time <= now


def _iso(bar: Bar) -> str:
    return bar.time.isoformat()


def _snapshot(into: Path, now: datetime, client: clients.Key) -> Callable[[str], list[Path]]:
    """One file a day; each company had adds its row, and the file is written whole again."""
    path = into / "market" / "snapshots" / f"{now.date()}.csv"

    def one(ticker: str) -> list[Path]:
        row = client(_checked(ticker))
        rows = {row["Symbol"]: row}
        if path.is_file():
            with path.open(newline="") as held:
                rows = {old["Symbol"]: old for old in csv.DictReader(held)} | rows
        values = ([one[column] for column in row] for one in rows.values())
        return [_csv(path, tuple(row), values)]

    return one


def _news(into: Path, now: datetime, client: clients.Feed) -> Callable[[str], list[Path]]:
    """A feed's entries as one JSONL; those of TICKER=URL are about that company."""

    def one(name: str) -> list[Path]:
        match = re.match(r"([A-Z0-9.-]+)=(http.*)", name)
        ticker, url = (match[1], match[2]) if match else ("", name)
        rows = [_headline(entry, ticker) for entry in client(url)]
        if not rows:
            return []
        key = hashlib.sha256(name.encode()).hexdigest()[:8]
        path = into / "news" / "feeds" / f"{now:%Y%m%dT%H%M%SZ}-{key}.jsonl"
        with whole_file(path) as temporary:
            temporary.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        return [path]

    return one


def _headline(entry: Entry, ticker: str) -> dict[str, Any]:
    return {
        "ts": entry.published.astimezone(UTC).strftime(STAMP),
        "title": entry.title,
        "href": entry.url,
        "body": entry.body,
        "matched": [ticker] if ticker else [],
    }


def _table(folder: Path, client: clients.Text) -> Callable[[str], list[Path]]:
    """A CSV under its name; whether it has the columns is for `ingest` to say."""

    def one(name: str) -> list[Path]:
        match = re.fullmatch(r"([A-Za-z0-9.^_-]+)=(http\S+)", name)
        if match is None:
            raise InputError(f"{name!r} is not NAME=URL; write it like AAPL=https://host/flows.csv")
        text = client(match[2])
        if not next(csv.reader(io.StringIO(text)), []):
            raise ValueError("the answer has no header")
        path = folder / f"{match[1]}.csv"
        with whole_file(path) as temporary:
            temporary.write_text(text)
        return [path]

    return one


def _checked(ticker: str) -> str:
    """Raises:
    InputError: if it is no ticker.
    """
    if not re.fullmatch(r"[A-Za-z0-9.^-]+", ticker):
        raise InputError(f"{ticker!r} is not a ticker; write it like AAPL or BRK-B")
    return ticker


def _csv(path: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    with whole_file(path) as temporary, temporary.open("w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([head, *rows])
    return path
