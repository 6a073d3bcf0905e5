# ruff: noqa: T201 (a script that says what it left out)
"""Makes the shipped companies: `python scripts/make_companies.py company_tickers.json[.gz]`.

In: the package pytickersymbols 1.17.10 (names, tickers, indices of listed companies), `companies.toml` beside
this script (industries, corrections, companies added, changes of ticker and name, ways of writing), and SEC's
list of tickers, of which only the CIK numbers are taken. Out: `src/finground/catalog/data/companies.json`, a
line each, sorted by id; the same bytes from the same input. Names that two companies would share stop it;
other names that they share are left out, and said.
"""

import gzip
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytickersymbols import PyTickerSymbols

from finground.catalog.names import company_keys, normal

HERE = Path(__file__).parent
OUT = HERE.parent / "src/finground/catalog/data/companies.json"
AMERICAN = ("S&P 500", "S&P 600", "NASDAQ 100", "S&P 100", "DOW JONES")
PLACES = {
    ".AS": "XAMS", ".BR": "XBRU", ".DE": "XETR", ".HE": "XHEL", ".L": "XLON", ".MC": "XMAD", ".MI": "XMIL",
    ".PA": "XPAR", ".ST": "XSTO", ".SW": "XSWX", ".T": "XTKS",
}  # fmt: skip
EXCHANGES = {
    "ARCX": "US USD", "BVMF": "BR BRL", "OTCM": "US USD", "XAMS": "NL EUR", "XASE": "US USD",
    "XASX": "AU AUD", "XBKK": "TH THB", "XBRU": "BE EUR", "XBUE": "AR ARS", "XCSE": "DK DKK",
    "XDFM": "AE AED", "XETR": "DE EUR", "XHEL": "FI EUR", "XHKG": "HK HKD", "XIDX": "ID IDR",
    "XISE": "IE EUR", "XIST": "TR TRY", "XJSE": "ZA ZAR", "XKLS": "MY MYR", "XKRX": "KR KRW",
    "XLIS": "PT EUR", "XLON": "GB GBP", "XMAD": "ES EUR", "XMEX": "MX MXN", "XMIL": "IT EUR",
    "XNAS": "US USD", "XNSE": "IN INR", "XNYS": "US USD", "XOSL": "NO NOK", "XPAR": "FR EUR",
    "XSAU": "SA SAR", "XSES": "SG SGD", "XSGO": "CL CLP", "XSHE": "CN CNY", "XSHG": "CN CNY",
    "XSTO": "SE SEK", "XSWX": "CH CHF", "XTAE": "IL ILS", "XTAI": "TW TWD", "XTKS": "JP JPY",
    "XTSE": "CA CAD", "XWAR": "PL PLN", "XWBO": "AT EUR",
}  # fmt: skip
SEATS = {"Ireland": "IE", "United Kingdom": "GB", "Switzerland": "CH", "Canada": "CA", "Netherlands": "NL",
         "Bermuda": "BM", "Singapore": "SG", "Luxembourg": "LU", "Israel": "IL"}  # fmt: skip


@dataclass
class Row:
    """A company on its way into the file; `key` is its name in `companies.toml`."""

    key: str
    name: str
    mic: str
    ticker: str
    country: str
    aliases: list[str] = field(default_factory=list)
    tickers: list[dict[str, str]] = field(default_factory=list)
    names: list[dict[str, str]] = field(default_factory=list)


def main(sec: Path, out: Path = OUT) -> None:
    hand = tomllib.loads((HERE / "companies.toml").read_text("utf-8"))
    groups = {
        key: (sector, industry)
        for sector, industries in hand["industries"].items()
        for industry, keys in industries.items()
        for key in keys.split()
    }
    groups |= {row[0]: (sector_of(hand, row[3]), row[3]) for row in hand["added"]["rows"]}
    listed = sec_list(sec)
    made: dict[str, dict[str, Any]] = {}
    for row in sorted([*packaged(hand), *added(hand)], key=lambda row: row.key):
        if row.key not in groups:
            print(f"left out, without an industry: {row.key} {row.name}", file=sys.stderr)
            continue
        finish(row, hand)
        company = entry(row, groups[row.key], identity(row, hand, listed))
        earlier = made.setdefault(company["id"], company)
        if earlier is not company:
            join(earlier, company)
    drop_shared(made, hand["shared"])
    lines = [json.dumps(made[id], ensure_ascii=False, separators=(",", ":")) for id in sorted(made)]
    out.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
    countries = Counter(company["country"] for company in made.values())
    print(f"{len(made)} companies; " + ", ".join(f"{n} {country}" for country, n in countries.most_common()))


def packaged(hand: dict[str, Any]) -> Iterator[Row]:
    """The package's companies, those of one symbol once: the last of them."""
    package = PyTickerSymbols()
    american = {stock["symbol"] for index in AMERICAN for stock in package.get_stocks_by_index(index)}
    nasdaq, skipped = set(hand["nasdaq"]["symbols"].split()), set(hand["skipped"]["symbols"].split())
    stocks = {stock["symbol"]: stock for stock in package.get_all_stocks() if stock.get("symbol")}
    for symbol, stock in stocks.items():
        if symbol in skipped:
            continue
        suffix = Path(symbol).suffix
        if symbol in hand["listings"]:
            mic, ticker = hand["listings"][symbol].split(":")
        elif suffix in PLACES:
            mic, ticker = PLACES[suffix], symbol.removesuffix(suffix)
        elif symbol in american:
            mic, ticker = american_place(symbol, stock, nasdaq), symbol.replace(".", "-")
        else:
            mic, ticker = "XETR", symbol
        seat = SEATS.get((stock.get("country") or "").rpartition(", ")[2])
        country = seat if seat and EXCHANGES[mic][:2] == "US" else EXCHANGES[mic][:2]
        name = re.sub(r"\s*\([^()]*\)$", "", stock["name"]).replace("–", "-").replace("’", "'")
        yield Row(symbol, name, mic, ticker, country)


def american_place(symbol: str, stock: dict[str, Any], nasdaq: set[str]) -> str:
    """NYSE or Nasdaq, by what the package says of the ticker."""
    said = (stock.get("metadata") or {}).get("traded_as") or ""
    found = re.search(rf"(NYSE|Nasdaq)[^:]*: {re.escape(symbol)}\b", said, re.I)
    on_nasdaq = found[1].lower() == "nasdaq" if found else symbol in nasdaq
    return "XNAS" if on_nasdaq else "XNYS"


def added(hand: dict[str, Any]) -> Iterator[Row]:
    for listing, name, country, _, further, aliases in hand["added"]["rows"]:
        mic, ticker = listing.split(":")
        row = Row(listing, name, mic, ticker, country, [one for one in aliases.split(";") if one])
        row.tickers = [dated(one.partition(":")[2], one.partition(":")[0]) for one in further.split()]
        yield row


def finish(row: Row, hand: dict[str, Any]) -> None:
    """Corrections, further listings, changes and ways of writing, out of the hand-made file."""
    better = hand["names"].get(row.key)
    if better:
        row.aliases.append(row.name)
        row.name = better
    row.country = next(
        (country for country, keys in hand["countries"].items() if row.key in keys.split()), row.country
    )
    row.aliases += hand["aliases"].get(row.key, [])
    row.aliases += [name for name, keys in hand["shared"].items() if row.key in keys.split()]
    row.tickers += [
        dated(ticker, mic)
        for mic, _, ticker in (one.partition(":") for one in hand["also"].get(row.key, "").split())
    ]
    changes = hand["changes"].get(row.key, {})
    row.names = [spell(one) for one in changes.get("names", [])]
    changed = [change(one, row.mic) for one in changes.get("tickers", [])]
    known = {(one["ticker"], one["exchange"]) for one in changed}
    own = [] if (row.ticker, row.mic) in known else [dated(row.ticker, row.mic)]
    row.tickers = own + sorted(changed, key=lambda one: "end" in one) + row.tickers


def change(text: str, mic: str) -> dict[str, str]:
    """ "FB 2012-05-18..2022-06-08": ticker, first and last day, and the MIC if it was another exchange."""
    ticker, span, other = [*text.split(), "", ""][:3]
    start, _, end = span.partition("..")
    return dated(ticker, other or mic, start, end)


def dated(ticker: str, mic: str, start: str = "", end: str = "") -> dict[str, str]:
    row = {"ticker": ticker, "start": start, "end": end, "exchange": mic}
    return {key: value for key, value in row.items() if value}


def spell(text: str) -> dict[str, str]:
    """ "Facebook, ..2021-10-27": name, first and last day."""
    name, _, span = text.rpartition(", ")
    start, _, end = span.partition("..")
    row = {"name": name, "start": start, "end": end}
    return {key: value for key, value in row.items() if value}


def sec_list(path: Path) -> dict[str, dict[str, Any]]:
    data = path.read_bytes()
    rows = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    return {row["ticker"]: row for row in rows.values()}


def identity(row: Row, hand: dict[str, Any], listed: dict[str, dict[str, Any]]) -> str:
    """The CIK of a company listed on an American exchange, else MIC and ticker."""
    said = hand["sec"].get(row.key)
    if said and said.startswith("cik:"):
        return str(said)
    held = [one for one in row.tickers if "end" not in one and EXCHANGES[one["exchange"]][:2] == "US"]
    tickers = [one["ticker"] for one in held if one["exchange"] not in ("OTCM", "ARCX")]
    for ticker in tickers if said is None else [said]:
        found = listed.get(ticker)
        if found and (said or alike(row, found["title"])):
            return f"cik:{found['cik_str']:010d}"
        if found:
            print(f"SEC's {ticker} is {found['title']}, not {row.name}", file=sys.stderr)
    return f"{row.mic}:{row.ticker}"


def alike(row: Row, title: str) -> bool:
    """Whether SEC's title may be of the company: it has the first word of one of its names."""
    words = normal(title).split()
    names = [row.name, *row.aliases, *(one["name"] for one in row.names)]
    firsts = {next(word for word in normal(name).split() if word != "the") for name in names if normal(name)}
    joined = "".join(words)
    return any(first in words or joined.startswith(first) for first in firsts)


def entry(row: Row, group: tuple[str, str], id: str) -> dict[str, Any]:
    own = {normal(row.name)}
    aliases = {normal(alias): alias for alias in reversed(row.aliases) if normal(alias) not in own}
    several = len(row.tickers) > 1 or any("end" in one or "start" in one for one in row.tickers)
    company = {
        "id": id, "name": row.name, "ticker": row.ticker, "exchange": row.mic, "country": row.country,
        "sector": group[0], "industry": group[1], "currency": EXCHANGES[row.mic][3:],
        "aliases": sorted(aliases.values()), "tickers": row.tickers if several else [], "names": row.names,
    }  # fmt: skip
    return {key: value for key, value in company.items() if value}


def join(company: dict[str, Any], other: dict[str, Any]) -> None:
    """The other's ticker and name, for two share classes of one company."""
    print(f"one company: {company['ticker']} and {other['ticker']}, {company['name']}", file=sys.stderr)
    alone = dated(company["ticker"], company["exchange"])
    company["tickers"] = [*company.get("tickers", [alone]), dated(other["ticker"], other["exchange"])]
    company["aliases"] = sorted({*company.get("aliases", []), other["name"]} - {company["name"]})


def drop_shared(made: dict[str, dict[str, Any]], shared: dict[str, str]) -> None:
    """Take away other names that several companies have, but those in `shared`, which are meant so; stop if
    they share a name or a listing."""
    held, names = dict[str, set[str]](), dict[str, set[str]]()
    for id, company in made.items():
        own = [company_keys(company["name"])[0], f"{company['exchange']}:{company['ticker']}"]
        for key in own:
            names.setdefault(key, set()).add(id)
        for key in [*own, *map(normal, company.get("aliases", []))]:
            held.setdefault(key, set()).add(id)
    if any(len(ids) > 1 for ids in names.values()):
        sys.exit(
            "\n".join(f"{key!r}: {', '.join(sorted(ids))}" for key, ids in names.items() if len(ids) > 1)
        )
    for id, company in made.items():
        doubtful = [one for one in company.get("aliases", []) if len(held[normal(one)]) > 1]
        for alias in [one for one in doubtful if normal(one) not in set(map(normal, shared))]:
            print(f"nobody's alone: {alias!r}, {id}", file=sys.stderr)
            company["aliases"].remove(alias)


def sector_of(hand: dict[str, Any], industry: str) -> str:
    return next(sector for sector, industries in hand["industries"].items() if industry in industries)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
