"""What each company filed and when: 10-Q, 10-K, and the restatements.

A filing sees the statements as they were given out in it: three quarters were first reported too high and put
right by a 10-Q/A some weeks later, and some later 10-K moves a part of last year's revenue and cost out
(nothing else changes).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from finground.sample.calendar import Quarter, quarters, weekday_from, years_before
from finground.sample.firms import Firm
from finground.sample.statements import (
    ASSETS,
    BEFORE_TAX,
    COST,
    EQUITY,
    GROSS,
    INCOME,
    LIABILITIES,
    OPERATING,
    RECEIVABLE,
    TAX,
    TAX_RATE,
    Statement,
    simulate,
)

Form = Literal["10-Q", "10-K", "10-Q/A"]
OVERSTATED = {2, 11, 15}  # companies whose second quarter was first reported too high
RECLASSIFIED = {5, 13}  # companies that later show last year's revenue and cost lower


@dataclass(frozen=True, slots=True)
class Filing:
    """One report. `seen` are the statements up to the reported quarter as this filing gives them."""

    form: Form
    accession: str
    filed: date
    seen: tuple[Statement, ...]

    @property
    def statement(self) -> Statement:
        """The quarter it reports."""
        return self.seen[-1]

    @property
    def year_ago(self) -> Statement:
        return self.seen[-5]

    @property
    def quarter(self) -> Quarter:
        return self.statement.quarter

    @property
    def period(self) -> str:
        """`fp` as EDGAR writes it."""
        return "FY" if self.form == "10-K" else f"Q{self.quarter.number}"

    def year(self, back: int = 0) -> tuple[Statement, ...]:
        """The reported fiscal year up to the reported quarter, or the same quarters of a year before."""
        end = len(self.seen) - 4 * back
        return self.seen[end - self.quarter.number : end]


def filings(firm: Firm, years: int, ends: date, seed: int) -> list[Filing]:
    """Everything a company filed up to `ends`, in that order; the first two years are comparatives only."""
    spans = quarters(firm.calendar, years_before(ends, years + 3), ends)
    truth = simulate(firm, spans, firm.rng(seed, "statements"))
    rng = firm.rng(seed, "filings")
    reports: list[tuple[date, Form, tuple[Statement, ...]]] = []
    wrong = _overstated(firm, truth)
    for count in range(8, len(truth) + 1):
        seen = tuple(_reclassify(firm, truth[:count]))
        annual = seen[-1].quarter.number == 4
        filed = weekday_from(
            seen[-1].quarter.end + timedelta(days=rng.randint(*((46, 68) if annual else (26, 39))))
        )
        if count - 1 == wrong:
            reports.append((weekday_from(filed + timedelta(days=35)), "10-Q/A", seen))
            seen = (*seen[:-1], _overstate(firm, seen[-1]))
        reports.append((filed, "10-K" if annual else "10-Q", seen))
    if firm.new:
        filed = weekday_from(ends - timedelta(days=6))
        reports = [(filed, form, seen) for _, form, seen in reports if seen[-1].quarter.end < filed][-1:]
    reports = sorted((report for report in reports if report[0] <= ends), key=lambda report: report[0])
    return [_number(firm, *report, number) for number, report in enumerate(reports, start=1)]


def _number(firm: Firm, filed: date, form: Form, seen: tuple[Statement, ...], number: int) -> Filing:
    return Filing(form, f"{firm.cik:010d}-{filed:%y}-{number:06d}", filed, seen)


def _overstated(firm: Firm, truth: Sequence[Statement]) -> int | None:
    """The position of the quarter that is first reported too high: a second quarter, not the latest."""
    found = [at for at, statement in enumerate(truth[:-3]) if statement.quarter.number == 2 and at >= 8]
    return found[-1] if found and firm.index in OVERSTATED else None


def _overstate(firm: Firm, true: Statement) -> Statement:
    """Sales booked too early: 4% more revenue, owed by customers, and the tax and equity that follow."""
    more = round(true.flows[firm.trade.revenue_tag] * 0.04)
    tax = round(more * TAX_RATE)
    up = {
        firm.trade.revenue_tag: more,
        GROSS: more,
        OPERATING: more,
        BEFORE_TAX: more,
        TAX: tax,
        INCOME: more - tax,
    }
    held = {
        RECEIVABLE: more,
        "AssetsCurrent": more,
        ASSETS: more,
        "LiabilitiesAndStockholdersEquity": more,
        LIABILITIES: tax,
        "LiabilitiesCurrent": tax,
        EQUITY: more - tax,
        "RetainedEarningsAccumulatedDeficit": more - tax,
    }
    flows = {key: value + up.get(key, 0) for key, value in true.flows.items()}
    balances = {key: value + held.get(key, 0) for key, value in true.balances.items()}
    return replace(true, flows=flows, balances=balances)


def _reclassify(firm: Firm, seen: Sequence[Statement]) -> list[Statement]:
    """In an annual report, the years before without the part of revenue and cost that was given up since."""
    if firm.index not in RECLASSIFIED or seen[-1].quarter.number != 4 or len(seen) < 16:
        return list(seen)
    return [*(_without(firm, statement) for statement in seen[:-4]), *seen[-4:]]


def _without(firm: Firm, statement: Statement) -> Statement:
    less = round(statement.flows[COST] * 0.03)
    revenue = statement.flows[firm.trade.revenue_tag]
    return replace(
        statement,
        flows={**statement.flows, firm.trade.revenue_tag: revenue - less, COST: statement.flows[COST] - less},
    )
