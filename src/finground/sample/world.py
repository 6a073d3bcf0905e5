"""The invented world as a raw folder: statements, prices, flows and news in the real sources' own formats.

In come sizes and a seed, out goes a folder of the shape that every reader takes, marked SYNTHETIC. The same
sizes and seed give the same bytes.
"""

import gzip
from datetime import date
from pathlib import Path

from finground.core.artifact import whole_folder
from finground.sample.calendar import trading_days, years_before
from finground.sample.edgar import company_facts, company_tickers, securities
from finground.sample.events import Event, happen
from finground.sample.filings import filings
from finground.sample.firms import firms, shipped
from finground.sample.market import flows_csv, index_csv, prices_csv, trade
from finground.sample.news import Teller, headlines, sgml, stories
from finground.sample.reports import annual_report
from finground.sample.telling import World
from finground.settings import Sample

MARK = "Everything in this folder is invented: companies, figures, prices and news. Nothing is real.\n"


def make(folder: Path, settings: Sample, seed: int) -> dict[str, int]:
    """Write the raw folder whole, or not at all; returns what was made, counted.

    Raises:
        InputError: if more companies are asked for than there are names.
    """
    first = years_before(settings.ends, settings.years)
    days = trading_days(first, settings.ends)
    filed = {
        firm: filings(firm, settings.years, settings.ends, seed) for firm in firms(settings.companies, seed)
    }
    data = shipped("stories")
    events = happen(filed, data["names"], first, settings.ends, seed)
    world = World(filed, trade(filed, events, days, seed), data["names"])
    with whole_folder(folder, {"synthetic": True, "seed": seed}) as out:
        (out / "SYNTHETIC").write_text(MARK)
        counts = _filings(out / "sec", world, seed)
        counts |= _market(out / "market", world, days, seed)
        counts |= _news(out / "news", Teller(data, world, settings.ends), events, settings, seed)
    return {"companies": len(filed), "events": len(events), **counts}


def _filings(folder: Path, world: World, seed: int) -> dict[str, int]:
    annual = 0
    _write(folder / "company_tickers.json", company_tickers(list(world.filed)))
    for firm, filed in world.filed.items():
        _write(folder / "companyfacts" / f"CIK{firm.cik:010d}.json.gz", company_facts(firm, filed))
        rng = firm.rng(seed, "reports in words")
        for filing in filed:
            if filing.form == "10-K":
                annual += 1
                name = f"{firm.ticker.lower()}-10-k-{filing.filed}.html.gz"
                _write(folder / "10k-html" / name, annual_report(firm, filing, world.filed, rng))
    return {"filings": sum(map(len, world.filed.values())), "annual_reports": annual}


def _market(folder: Path, world: World, days: list[date], seed: int) -> dict[str, int]:
    _write(folder / "securities.csv", securities(list(world.filed)))
    for firm, stock in world.stocks.items():
        _write(folder / "prices" / f"{firm.ticker}.csv", prices_csv(stock).encode())
        _write(
            folder / "company-flows" / f"{firm.ticker}.csv",
            flows_csv(stock, firm.rng(seed, "flows")).encode(),
        )
    _write(folder / "index" / "INVENTED.csv", index_csv(world.stocks.values(), days).encode())
    return {"sessions": len(days), "bars": sum(len(stock.bars) for stock in world.stocks.values())}


def _news(folder: Path, teller: Teller, events: list[Event], settings: Sample, seed: int) -> dict[str, int]:
    _write(folder / "reuters-headlines" / "headlines.jsonl", headlines(teller, events, settings.news, seed))
    told = stories(teller, events, settings.stories, seed)
    for number, text in enumerate(sgml(told)):
        _write(folder / "reuters21578" / f"stories-{number:03d}.sgm.gz", text)
    return {"news": settings.news, "stories": len(told)}


def _write(path: Path, content: bytes) -> None:
    """The bytes, packed if the name says so; a packed file carries no time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, 6, mtime=0) if path.suffix == ".gz" else content)
