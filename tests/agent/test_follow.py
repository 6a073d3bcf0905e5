"""Follow-ups: what a question names takes the place of the same in the request before it."""

from datetime import UTC, date, datetime

import pytest

from finground.agent.follow import FollowUp
from finground.agent.plan import NOTHING
from finground.agent.rules import RulesAgent
from finground.core.errors import RequestError
from finground.records.request import Interval

AS_OF = datetime(2025, 6, 30, tzinfo=UTC)
FIRST = "What was the net income of Acme Robotics in Q1 2025?"
RANKING = "Top 3 industrials companies by net income in Q1 2025"


@pytest.fixture
def then(catalog):
    def read(query, first=FIRST):
        return FollowUp(catalog, RulesAgent(catalog).request(first, AS_OF)).read(query, AS_OF).request

    return read


def primary(request):
    return [metric.slug for metric in request.metrics if metric.primary]


def test_another_company_keeps_metric_and_dates(then, catalog):
    found = then("and Søgne & Æren?")
    before = RulesAgent(catalog).request(FIRST, AS_OF)
    assert [entity.id for entity in found.entities] == ["us:SOGN"]
    assert (found.metrics, found.interval) == (before.metrics, before.interval)


def test_another_metric_keeps_company_and_dates(then):
    found = then("what about its gross profit?")
    assert [entity.id for entity in found.entities] == ["us:ACME"]
    assert primary(found) == ["gross-profit"] and found.phrase == "Q1 2025"


def test_other_dates_keep_the_rest(then):
    found = then("and in Q4 2024?")
    assert found.interval == Interval(date(2024, 10, 1), date(2024, 12, 31))
    assert primary(found) == ["net-income"]


def test_its_peers_are_those_of_the_company_before(then):
    assert [(one.kind, one.id) for one in then("and its peers?").entities] == [("peers", "us:ACME")]


def test_two_companies_are_a_comparison(then):
    found = then("and Acme Robotics against Søgne & Æren?")
    assert found.kind == "comparative" and len(found.entities) == 2


@pytest.mark.parametrize(
    "query", ["compare with Søgne & Æren", "is Søgne & Æren's higher?", "and Søgne & Æren too"]
)
def test_set_beside_another_both_are_asked_about(then, query):
    found = then(query)
    assert found.kind == "comparative" and [one.id for one in found.entities] == ["us:ACME", "us:SOGN"]


def test_two_dates_are_spanned(then):
    assert then("in 2021 vs 2022?").interval == Interval(date(2021, 1, 1), date(2022, 12, 31))


def test_the_other_end_of_a_ranking(then):
    found = then("the bottom 2?", RANKING)
    assert (found.rank.by, found.rank.n, found.rank.descending) == ("net-income", 2, False)
    assert found.entities == then("and in Q4 2024?", RANKING).entities


def test_an_explanation_stands_by_itself_and_goes_on(then):
    found = then("What is a P/E ratio?")
    assert found.kind == "educational" and found.entities == () and primary(found) == ["price-to-earnings"]
    assert then("and ROE?", "What is EBITDA?").kind == "educational"


def test_an_analysis_of_it_is_of_the_company_before(then):
    found = then("Please analyze it")
    assert found.kind == "analysis" and [one.id for one in found.entities] == ["us:ACME"]


def test_after_talk_a_question_is_a_first_question(catalog):
    first = FollowUp(catalog, NOTHING)
    assert first.read(FIRST, AS_OF) == RulesAgent(catalog).read(FIRST, AS_OF)
    with pytest.raises(RequestError):
        first.read("why?", AS_OF)


def test_a_question_that_points_back_is_about_the_same(then, catalog):
    assert then("Why did it fall?") == RulesAgent(catalog).request(FIRST, AS_OF)


def test_a_ranking_goes_on_by_another_metric(then):
    found = then("and by gross profit?", RANKING)
    assert found.kind == "ranking" and found.rank is not None
    assert (found.rank.by, found.rank.n) == ("gross-profit", 3)


def test_an_analysis_by_name_stands_by_itself(then):
    found = then("Please analyze Søgne & Æren")
    assert found.kind == "analysis" and found.metrics == () and found.interval is None


def test_an_unknown_name_is_carried(then):
    assert then("and Foo Bar Inc?").unresolved == ("Foo Bar Inc",)


@pytest.mark.parametrize(
    "query", ["hm", "Is this a joke?", "what is the weather, is it nice?", "and both?", ""]
)
def test_what_names_nothing_is_refused(then, query):
    with pytest.raises(RequestError, match="names no company, metric or date"):
        then(query)
