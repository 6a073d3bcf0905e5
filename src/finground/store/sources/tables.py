"""Who the companies are: SEC's ticker file, and tables of securities with sector and industry.

SEC's file says who bears a ticker today; an older table may know a former ticker (FB), which then leads to
the same company by its CIK, or a company that is gone (CELG), which gets the id `us:CELG`.
"""

from collections.abc import Iterator
from pathlib import Path

from finground.core.artifact import read_text
from finground.core.errors import InputError
from finground.store import schema
from finground.store.sources.known import Known, company_id, json_of, plain_ticker, table_of
from finground.store.sources.rows import Aside, Batch, Read

BY_SIC = 9  # preference of industries by SIC code
FORMER = 100_000  # places of tickers and companies that SEC's own list does not have
LAYOUTS = (
    ("Ticker Symbol", "Security", "GICS Sector", "GICS Sub Industry", "CIK"),
    ("Symbol", "Security", "GICS Sector", "GICS Sub-Industry", "CIK"),
)


def company_tickers(path: Path, known: Known) -> Iterator[Read]:
    """SEC's company_tickers.json: all registrants; the first ticker listed for one is its main ticker.

    Raises:
        InputError: if it is damaged or something else.
    """
    listed = json_of(path)
    if not isinstance(listed, dict):
        raise InputError(
            f"{path}: a {type(listed).__name__} where SEC's file has an object of cik_str, ticker, title"
        )
    source = known.source("SEC company tickers")
    for place, row in enumerate(listed.values()):
        try:
            id, ticker, title = company_id(int(row["cik_str"])), str(row["ticker"]), str(row["title"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{path}, entry {place}: {error} is wrong; an entry has cik_str, ticker and title"
            ) from error
        if id not in known.names:
            yield known.company(id, title, place, source)
        yield known.ticker(id, plain_ticker(ticker), place)


def securities(path: Path, known: Known) -> Iterator[Read]:
    """A table of securities, in either layout: sector and industry, former tickers, and companies that are
    gone.

    Raises:
        InputError: if it lacks a column or is cut off.
    """
    text = read_text(path)
    header = text.split("\n", 1)[0]
    layout = LAYOUTS[0] if LAYOUTS[0][0] in header else LAYOUTS[1]
    source = known.source(path.name.split(".")[0])
    newest = path.name.startswith("sp500_constituents")  # today's names of industries
    for line, row in table_of(text, str(path), layout):
        ticker, name, sector, industry, cik = (row[column].strip() for column in layout)
        ticker = plain_ticker(ticker)
        company = _company(ticker, name, cik, known)
        if company is None:
            now = known.names[known.tickers[ticker]]
            yield Aside(
                f"line {line}", "the ticker has passed to another company", f"{name}; {ticker} is now {now}"
            )
            continue
        if company not in known.names:
            yield known.company(company, name, FORMER + line, source)
        if ticker not in known.tickers:
            yield known.ticker(company, ticker, FORMER + line)
        entry = {
            "company": company,
            "source": source,
            "preference": int(not newest),
            "sector": sector,
            "industry": industry,
        }
        yield Batch(schema.industries, [entry])


def submissions(path: Path, known: Known) -> Iterator[Read]:
    """EDGAR's index of a registrant's filings: who it is, its tickers, and its industry by SIC code, which
    stands behind any other table's.

    Raises:
        InputError: if it is damaged or something else.
    """
    data = json_of(path)
    if not isinstance(data, dict) or not {"cik", "name", "filings"} <= data.keys():
        raise InputError(f"{path}: no 'cik', 'name' and 'filings' in it; EDGAR's submissions have them")
    id, source = company_id(int(data["cik"])), known.source("EDGAR submissions")
    if id not in known.names:
        yield known.company(id, str(data["name"]), FORMER, source)
    for place, ticker in enumerate(data.get("tickers") or ()):
        if plain_ticker(ticker) not in known.tickers:
            yield known.ticker(id, plain_ticker(ticker), FORMER + place)
    if data.get("sicDescription"):
        industry = {"company": id, "source": source, "preference": BY_SIC, "sector": ""}
        yield Batch(schema.industries, [{**industry, "industry": str(data["sicDescription"])}])


def _company(ticker: str, name: str, cik: str, known: Known) -> str | None:
    """The company a row is about; None if its ticker has passed to another."""
    id = company_id(int(cik)) if cik.isdigit() else ""
    if id in known.names:
        return id
    bearer = known.tickers.get(ticker)
    if bearer is None:
        return f"us:{ticker}"
    return bearer if _alike(known.names[bearer], name) else None


def _alike(one: str, other: str) -> bool:
    """Whether two spellings may be of one company: "The Walt Disney Company" and "Walt Disney Co",
    "ExxonMobil" and "EXXON MOBIL CORP"; the first word of one begins the other.
    """
    words = [
        [word for word in name.casefold().replace(",", " ").split() if word != "the"] or ["?"]
        for name in (one, other)
    ]
    joined = ["".join(found) for found in words]
    return joined[0].startswith(words[1][0]) or joined[1].startswith(words[0][0])
