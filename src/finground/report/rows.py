"""The rows of a data answer: the facts asked for, daily values among them."""

from dataclasses import dataclass
from datetime import date

from finground.records.bundle import Fact
from finground.report.brief import Brief
from finground.report.figures import figure, period


@dataclass(frozen=True, slots=True)
class Row:
    """One fact as the table shows it."""

    fact: Fact
    entity: str
    period: str
    shown: str

    @property
    def value(self) -> float:
        return self.fact.value

    @property
    def measure(self) -> tuple[str, str | None]:
        """What must be equal for two values to be compared (law 3)."""
        return self.fact.unit, self.fact.currency


def rows(brief: Brief) -> tuple[Row, ...]:
    """By metric as requested, then by entity as asked and read, then newest first."""
    wanted = [metric.slug for metric in brief.request.metrics]
    kept = [fact for fact in brief.latest_facts() if fact.metric in wanted]
    entities = list(dict.fromkeys((*brief.companies, *(fact.entity for fact in kept))))

    def place(fact: Fact) -> tuple[int, int, int]:
        return wanted.index(fact.metric), entities.index(fact.entity), -fact.period_end.toordinal()

    return tuple(Row(fact, fact.entity, period(fact), figure(fact)) for fact in sorted(kept, key=place))


def filed_on(row: Row) -> date:
    """The day it became known."""
    return row.fact.filed_at.date()
