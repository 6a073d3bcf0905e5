"""Filings as EDGAR serves them: company facts JSON, the ticker file and the table of securities.

As in the real files, `fy` and `fp` describe the filing and not the fact: a third-quarter report holds four
Revenues under one label, the quarter and the nine months of this year and of last year; annual reports give
full years only; cash flows are year to date; `frame` is on the last filed value of a calendar period.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from finground.sample.filings import Filing
from finground.sample.firms import Firm
from finground.sample.statements import INCOME, Statement

USD, SHARES, PER_SHARE = "USD", "shares", "USD/shares"
Entry = tuple[str, str, str, date | None, date, float]  # taxonomy, tag, unit, start, end, value


def company_facts(firm: Firm, filed: Sequence[Filing]) -> bytes:
    """One company's facts file."""
    facts: dict[str, Any] = {"dei": {}, "us-gaap": {}}
    for filing in filed:
        for taxonomy, tag, unit, start, end, value in _entries(filing):
            about = {"label": _label(tag), "description": f"Invented value of {_label(tag)}.", "units": {}}
            rows = facts[taxonomy].setdefault(tag, about)["units"].setdefault(unit, [])
            rows.append(_row(filing, start, end, value))
    for taxonomy in facts.values():
        for about in taxonomy.values():
            for unit, rows in about["units"].items():
                about["units"][unit] = _framed(rows)
    shown = {"cik": firm.cik, "entityName": firm.full.upper(), "facts": facts}
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()


def company_tickers(firms: Sequence[Firm]) -> bytes:
    """The SEC's ticker file."""
    rows = {
        str(i): {"cik_str": firm.cik, "ticker": firm.ticker, "title": firm.full}
        for i, firm in enumerate(firms)
    }
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()


def securities(firms: Sequence[Firm]) -> bytes:
    """The table of sectors and industries."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    heads = "Ticker Symbol,Security,SEC filings,GICS Sector,GICS Sub Industry,Address of Headquarters,Country"
    table.writerow([*heads.split(","), "Date first added", "CIK", "Financials?"])
    for firm in firms:
        trade = firm.trade
        place = [trade.sector, trade.industry, firm.city, "United States", "", str(firm.cik), "1"]
        table.writerow([firm.ticker, firm.full, "reports", *place])
    return out.getvalue().encode()


def _entries(filing: Filing) -> Iterator[Entry]:
    annual = filing.form == "10-K"
    for back in range(min(3, len(filing.seen) // 4) if annual else 2):
        year = filing.year(back)
        yield from _durations(year, [*year[-1].flows], "flows")
        yield from _durations(year, [*year[-1].cash_flows], "cash_flows")
        yield from _per_share(year)
        if not annual and len(year) > 1:
            yield from _durations(year[-1:], [*year[-1].flows], "flows")
            yield from _per_share(year[-1:])
    for held in (filing.statement, filing.seen[-1 - filing.quarter.number]):
        for tag, value in held.balances.items():
            yield "us-gaap", tag, USD, None, held.quarter.end, value * 1000
    yield "dei", "EntityCommonStockSharesOutstanding", SHARES, None, filing.filed, filing.statement.shares
    if annual:
        middle = filing.year()[1].quarter.end
        worth = max(filing.statement.balances["StockholdersEquity"], 1) * 1000 * 2
        yield "dei", "EntityPublicFloat", USD, None, middle, worth


def _durations(year: Sequence[Statement], tags: list[str], part: str) -> Iterator[Entry]:
    start, end = year[0].quarter.start, year[-1].quarter.end
    for tag in tags:
        values: list[Mapping[str, int]] = [getattr(statement, part) for statement in year]
        yield "us-gaap", tag, USD, start, end, sum(value[tag] for value in values) * 1000


def _per_share(year: Sequence[Statement]) -> Iterator[Entry]:
    start, end = year[0].quarter.start, year[-1].quarter.end
    shares = round(sum(statement.shares for statement in year) / len(year))
    diluted = round(shares * 1.012)
    income = sum(statement.flows[INCOME] for statement in year) * 1000
    yield "us-gaap", "EarningsPerShareBasic", PER_SHARE, start, end, round(income / shares, 2)
    yield "us-gaap", "EarningsPerShareDiluted", PER_SHARE, start, end, round(income / diluted, 2)
    yield "us-gaap", "WeightedAverageNumberOfSharesOutstandingBasic", SHARES, start, end, shares
    yield "us-gaap", "WeightedAverageNumberOfDilutedSharesOutstanding", SHARES, start, end, diluted
    cents = sum(statement.dividend_cents for statement in year)
    if cents:
        yield "us-gaap", "CommonStockDividendsPerShareDeclared", PER_SHARE, start, end, cents / 100


def _row(filing: Filing, start: date | None, end: date, value: float) -> dict[str, Any]:
    return {
        **({"start": start.isoformat()} if start else {}),
        "end": end.isoformat(),
        "val": value,
        "accn": filing.accession,
        "fy": filing.quarter.year,
        "fp": filing.period,
        "form": filing.form,
        "filed": filing.filed.isoformat(),
    }


def _framed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """In EDGAR's order, with the frame on the last filed value of each calendar period."""
    ordered = sorted(rows, key=lambda row: (row["end"], row.get("start", ""), row["filed"]))
    last = {(row.get("start"), row["end"]): row for row in ordered}
    for row in last.values():
        frame = _frame(row)
        if frame:
            row["frame"] = frame
    return ordered


def _frame(row: Mapping[str, Any]) -> str | None:
    end = date.fromisoformat(row["end"])
    if "start" not in row:
        near = end - timedelta(days=40)
        return f"CY{near.year}Q{(near.month + 2) // 3}I"
    start = date.fromisoformat(row["start"])
    middle = start + (end - start) / 2
    if 80 <= (end - start).days <= 100:
        return f"CY{middle.year}Q{(middle.month + 2) // 3}"
    return f"CY{middle.year}" if 350 <= (end - start).days <= 380 else None


def _label(tag: str) -> str:
    return "".join(f" {letter}" if letter.isupper() else letter for letter in tag).strip()
