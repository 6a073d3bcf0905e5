"""The paper's hundred questions, mapped by kind to companies that a store has."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from finground.agent.rules import RulesAgent
from finground.analyscore.published import graded
from finground.answer import World
from finground.bench.questions import kinds, mapping, questions
from finground.core.errors import InputError
from finground.stocksis.split import Moment, Split

DAY = datetime(2024, 5, 31, 20, tzinfo=UTC)


@pytest.fixture
def world(catalog):
    return World(None, catalog, None)


def parted(companies, part="new-company"):
    moments = [Moment(id, DAY - timedelta(days=back), part) for back in range(40) for id in companies]
    return Split(frozenset(companies), DAY - timedelta(days=60), tuple(moments))


def test_every_question_names_its_company_once_and_has_a_kind():
    rows = mapping()
    assert [row.query for row in rows] == [row.query for row in graded()]
    assert [row.number for row in rows] == list(range(1, 101))
    assert all(row.query.count(row.company) == 1 for row in rows)
    assert set(Counter(row.kind for row in rows)) == {
        "analysis", "code", "condition", "diagnosis", "opinion", "review", "worth",
    }  # fmt: skip


def test_the_company_is_replaced_and_nothing_else(three):
    acme = three[0]
    by_number = {row.number: row for row in mapping()}
    assert by_number[1].about(acme) == "Can you analyze Acme Robotics Inc.?"
    assert by_number[76].about(acme) == "Can you diagnose stock ACME?"


def test_the_rules_agent_reads_every_one_as_being_about_the_company(world, catalog, three):
    asked = questions(world, parted([company.id for company in three]), 100)
    agent = RulesAgent(catalog)
    for one in asked:
        request = agent.request(one.query, one.moment.as_of)
        assert [entity.id for entity in request.entities] == [one.moment.company], one.query
    assert len({(one.moment.company, one.moment.as_of) for one in asked}) == 100
    assert sum(kinds(asked).values()) == 100


def test_fewer_questions_are_spread_over_the_hundred(world, three):
    asked = questions(world, parted([three[0].id]), 4)
    assert [one.number for one in asked] == [1, 26, 51, 76]


def test_a_store_without_test_dates_has_nothing_to_ask_about(world, three):
    with pytest.raises(InputError, match="no company has sessions on test dates"):
        questions(world, parted([three[0].id], part="train"), 4)
