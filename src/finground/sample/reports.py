"""Annual reports as HTML with inline XBRL: a cover, a table of contents, and a few items in composed
language.
"""

import random
from collections.abc import Mapping
from html import escape

from finground.sample.filings import Filing
from finground.sample.firms import Firm, shipped
from finground.sample.grammar import Grammar
from finground.sample.statements import CAPEX, CASH, CFO, DEBT, GROSS, INCOME
from finground.sample.telling import about, money

ITEMS = {
    "1": "Business",
    "1A": "Risk Factors",
    "3": "Legal Proceedings",
    "7": "Management's Discussion and Analysis of Financial Condition and Results of Operations",
    "7A": "Quantitative and Qualitative Disclosures About Market Risk",
    "8": "Financial Statements and Supplementary Data",
}
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml" '
    'xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"><head><title>10-K</title>'
    "<style>p {margin: 4pt}</style></head>\n"
)


def annual_report(firm: Firm, filing: Filing, others: Mapping[Firm, object], rng: random.Random) -> bytes:
    """The 10-K of one year."""
    told = {**about(firm, others, rng), **_year(firm, filing)}
    rules = shipped("filings")
    grammar = Grammar({name: rule for name, rule in rules.items() if not name.startswith("item_")})
    contents = "".join(
        f"<tr><td>Item {item}.</td><td>{escape(title)}</td></tr>" for item, title in ITEMS.items()
    )
    end = filing.quarter.end
    parts = [
        HEAD,
        '<body><div style="display:none"><ix:header><ix:hidden>',
        f"{filing.accession}</ix:hidden></ix:header></div>\n",
        "<p>UNITED STATES SECURITIES AND EXCHANGE COMMISSION (invented)</p>\n<p>FORM 10-K</p>\n",
        f"<p>{escape(firm.full)}</p>\n<p>For the fiscal year ended {end:%B} {end.day}, {end.year}</p>\n",
        f"<table>{contents}</table>\n",
    ]
    for item, title in ITEMS.items():
        parts.append(f"<div><span>Item&#160;{item}.</span> <span>{escape(title)}</span></div>\n")
        if item == "8":
            parts.append(_table(filing))
            continue
        text = grammar.write(rng.choice(rules[f"item_{item.lower()}"]), told, rng)
        parts += [f"<p>{escape(paragraph)}</p>\n" for paragraph in text.split("\n")]
    return ("".join(parts) + "</body></html>\n").encode()


def _year(firm: Firm, filing: Filing) -> dict[str, str]:
    year, before = filing.year(), filing.year(1)
    sales, sales_before = (sum(s.flows[firm.trade.revenue_tag] for s in part) for part in (year, before))
    income, gross = (sum(s.flows[tag] for s in year) for tag in (INCOME, GROSS))
    change = 100 * (sales / sales_before - 1)
    held = filing.statement.balances
    shares = sum(s.shares for s in year) / len(year) * 1.012
    return {
        "revenue": money(sales),
        "revenue_before": money(sales_before),
        "revenue_change": f"{abs(change):.1f}",
        "rose_or_fell": "rose" if change >= 0 else "fell",
        "a_change": "an increase" if change >= 0 else "a decline",
        "gross": money(gross),
        "margin": f"{100 * gross / sales:.1f}",
        "income": money(abs(income)),
        "income_before": money(abs(sum(s.flows[INCOME] for s in before))),
        "profit_word": "income" if income >= 0 else "loss",
        "eps": f"${abs(income * 1000 / shares):.2f}",
        "cash": money(held[CASH]),
        "debt": money(held[DEBT]),
        "cfo": money(sum(s.cash_flows[CFO] for s in year)),
        "capex": money(sum(s.cash_flows[CAPEX] for s in year)),
        "rate_effect": money(held[DEBT] // 100),
    }


def _table(filing: Filing) -> str:
    """The income statement in thousands of USD, this year and last, tagged as inline XBRL tags it."""
    rows = []
    for tag in filing.statement.flows:
        cells = (
            f'<td><ix:nonFraction name="us-gaap:{tag}" scale="3">'
            f"{sum(s.flows[tag] for s in filing.year(back)):,}</ix:nonFraction></td>"
            for back in (0, 1)
        )
        rows.append(f"<tr><td>{tag}</td>{''.join(cells)}</tr>\n")
    return f"<p>In thousands of U.S. dollars, this year and last.</p>\n<table>{''.join(rows)}</table>\n"
