"""Figures as filed: rows of one company and metric, joined to the chain of filings of each value.

Of several filings of a period the last counts (case S1). `fy` and `fp` describe a filing and not its figures:
only the report of a period itself names that period.
"""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

from finground.store import schema

YEAR = range(350, 381)  # days of a year of 52 or 53 weeks
OWN_REPORT = timedelta(days=150)  # a period's own report is filed within; its labels are the period's


class Reported(NamedTuple):
    """A row of `metric_values`; an instant's start is its end."""

    company: str
    metric: str
    tag: str
    preference: int
    period_start: date
    period_end: date
    value: float
    unit: str
    currency: str | None
    filed_at: int
    accession: str
    form: str
    source: str
    recorded_at: int
    fiscal_year: int | None = None
    fiscal_period: str | None = None

    @property
    def days(self) -> int:
        return (self.period_end - self.period_start).days + 1


class Chain(NamedTuple):
    """All filings of one value, of a tag and a period, the earliest first; `last` is the one that counts, as
    first filed with its value: repeating a figure is no news.
    """

    rows: tuple[Reported, ...]
    last: Reported

    @property
    def before(self) -> Reported | None:
        """The last filing with another value than the one that counts."""
        return next((row for row in reversed(self.rows) if row.value != self.rows[-1].value), None)

    @property
    def restated_later(self) -> bool:
        """Whether a report of a later period gave another value than one filed before; an amendment (10-K/A)
        corrects the period itself.
        """
        last = self.last
        return not last.form.endswith("/A") and last is not self.rows[0]

    @property
    def fiscal(self) -> str:
        """The company's own name of the period, out of the report of it: later reports carry theirs."""
        first = self.rows[0]
        filed = schema.moment(first.filed_at).date()
        if first.fiscal_year is None or not first.fiscal_period or filed - first.period_end > OWN_REPORT:
            return ""
        if first.days in YEAR:
            return f"fiscal year {first.fiscal_year}"
        return f"fiscal {first.fiscal_period.replace('FY', 'Q4')} {first.fiscal_year}"


def chains(rows: Iterable[Reported]) -> list[Chain]:
    """Rows of one company and metric by tag and period, in the order they were filed."""
    filings: dict[tuple[str, date, date], list[Reported]] = {}
    for row in rows:
        filings.setdefault((row.tag, row.period_start, row.period_end), []).append(row)
    return [_chain(filed) for filed in filings.values()]


def _chain(filed: list[Reported]) -> Chain:
    if len(filed) == 1:
        return Chain((filed[0],), filed[0])
    filed.sort(key=lambda row: (row.filed_at, row.accession))
    at = len(filed) - 1
    while at and filed[at - 1].value == filed[-1].value:
        at -= 1
    return Chain(tuple(filed), filed[at])
