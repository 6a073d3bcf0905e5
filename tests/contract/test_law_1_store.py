"""Law 1 on a whole store: nothing comes back that was not known then, whatever is asked and whenever."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from finground.agent.rules import RulesAgent
from finground.answer import World, answer
from finground.catalog.dates import as_of_of
from finground.core.paths import Root
from finground.records.bundle import Bundle
from finground.report.template import TemplateWriter
from finground.roles import open_world
from finground.settings import load

MOMENTS = ("2022-09-30T14:00:00Z", "2023-12-31", "2024-05-09T20:30:00Z", "2025-06-30")
QUESTIONS = (
    "Please analyze {0}",
    "How did the net income of {0} compare to {1} in the last quarter?",
    "Which 5 companies had the highest net income in 2023?",
    "How does {0} compare with its peers by revenue?",
    "What moved the stock price of {0} in the past 30 days?",
)


@pytest.fixture(scope="module")
def world(walked: Root) -> Iterator[World]:
    with open_world(walked.live, load(walked.params)) as opened:
        yield opened


def later(bundle: Bundle, as_of: datetime) -> list[str]:
    """Ids of what was not known at `as_of`."""
    nearest = [gap.nearest for gap in bundle.gaps if gap.nearest]
    until = np.datetime64(as_of.astimezone(UTC).replace(tzinfo=None), "s")
    found = [fact.id for fact in (*bundle.facts, *nearest) if fact.filed_at > as_of]
    found += [row.id for row in bundle.passages if row.published_at > as_of]
    return found + [row.id for row in bundle.series if len(row.times) and row.times[-1] > until]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_comes_back_that_was_not_known_then(world: World, question: str, moment: str):
    as_of, names = as_of_of(moment), [company.name for company in world.catalog.companies.all[:2]]
    found = answer(
        question.format(*names),
        as_of=as_of,
        world=world,
        agent=RulesAgent(world.catalog),
        writer=TemplateWriter(),
    )
    assert found.bundle.as_of == as_of
    assert later(found.bundle, as_of) == []
    assert [row.id for row in found.findings if row.period_end and row.period_end > as_of.date()] == []


def test_a_close_is_unknown_until_the_session_ends(world: World):
    company = world.catalog.companies.all[0].id
    last = world.store.sessions(company, as_of_of("2024-05-09"))[-1]
    assert (last.date().isoformat(), last.hour) == ("2024-05-09", 20)  # 16:00 in New York, in summer
    before = world.store.sessions(company, last - timedelta(seconds=1))
    assert last not in before
    assert len(world.store.sessions(company, last)) == len(before) + 1


def test_the_frozen_store_holds_nothing_filed_after_its_day(walked: Root):
    from sqlalchemy import func, select

    from finground.store import schema
    from finground.store.reader import Store

    until = schema.seconds(as_of_of("2025-06-30"))
    with Store.open(walked.frozen) as store, store.reading() as connection:
        latest = {
            table.name: connection.scalar(select(func.max(table.c[time])))
            for table, time in schema.KNOWN_AT.items()
        }
    assert set(latest) >= {"bars", "flows", "metric_values", "news"}
    assert {name for name, time in latest.items() if (time or 0) > until} == set()
