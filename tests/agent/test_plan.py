"""The plan says which kind of answer a question gets, which steps it takes, and why each tool is called."""

from datetime import UTC, datetime

import pytest

from finground.agent.plan import TOOLS, follows, is_talk, plan
from finground.agent.rules import RulesAgent
from finground.records.request import Entity, Request, RequestedMetric

AS_OF = datetime(2025, 6, 30, tzinfo=UTC)
ACME = (Entity("company", "us:ACME", "Acme Robotics Inc."),)
BOTH = (*ACME, Entity("company", "us:SOGN", "Søgne & Æren A/S"))


def asked(kind="open-ended", entities=ACME, *slugs, **more):
    return Request(kind, entities, tuple(RequestedMetric(slug, True) for slug in slugs), **more)


def test_an_analysis_calls_all_six_tools(catalog):
    made = plan("Please analyze Acme", asked("analysis"), catalog)
    assert made.kind == "analysis" and made.tools == TOOLS and len(TOOLS) == 6
    assert all(task.why and task.text for task in made.subtasks)


def test_an_analysis_of_two_takes_each_step_for_each(catalog):
    made = plan("Please analyze Acme and Søgne", asked("analysis", BOTH), catalog)
    assert made.tools == TOOLS and len(made.subtasks) == 12
    for company in BOTH:
        assert [task.tool for task in made.subtasks if task.text.startswith(company.name)] == list(TOOLS)


def test_a_question_for_data_is_looked_up_and_no_more(catalog):
    made = plan("What was Acme's net income?", asked("open-ended", ACME, "net-income"), catalog)
    assert made.kind == "data" and made.tools == () and [task.tool for task in made.subtasks] == ["lookup"]
    assert made.subtasks[0].text == "Look up Net Income of Acme Robotics Inc."


def test_a_question_about_several_is_taken_apart(catalog):
    question = "Compare the net income of Acme Robotics, its peers and Foo Bar Inc in Q1 2025"
    made = plan(question, RulesAgent(catalog).request(question, AS_OF), catalog)
    assert [(task.text, task.tool) for task in made.subtasks if "beside it" not in task.text] == [
        ("Look up Net Income of Acme Robotics Inc., Q1 2025", "lookup"),
        ("Look up Net Income of Acme Robotics Inc. Peers, Q1 2025", "lookup"),
        ("Look up Net Income of 'Foo Bar Inc', Q1 2025", "none"),
        ("Compare their Net Income", "none"),
    ]
    assert all(task.why for task in made.subtasks)


def test_a_ranking_is_a_step_of_its_own(catalog):
    question = "Top 3 industrials companies by net income"
    made = plan(question, RulesAgent(catalog).request(question, AS_OF), catalog)
    assert made.subtasks[-1].text == "Rank them by Net Income, the 3 highest"


def test_a_tool_is_called_where_the_question_asks_for_it(catalog):
    one = plan("Acme's RSI and net income?", asked("open-ended", ACME, "net-income"), catalog)
    assert one.tools == ("technical",)
    both = plan("Acme's volume and MACD", asked("open-ended", ACME, "volume"), catalog)
    assert both.kind == "data" and both.tools == ("volume-price", "technical")


def test_an_explanation_needs_no_tool(catalog):
    made = plan("Explain the P/E ratio", asked("educational", (), "price-to-earnings"), catalog)
    assert made.kind == "education" and made.tools == ()
    assert [task.tool for task in made.subtasks] == ["none"]


@pytest.mark.parametrize(
    "query",
    [
        "hello",
        "Hi there!",
        "Thank you very much.",
        "What can you do?",
        "help",
        "How does this work?",
        "hi, what can you do?",
        "good evening everyone",
        "ok thanks",
        "hello hello",
    ],
)
def test_talk_needs_no_tool_and_no_agent(query, catalog):
    assert is_talk(query)
    made = plan(query, asked("educational", ()), catalog)
    assert made.kind == "talk" and made.tools == ()


@pytest.mark.parametrize(
    "query",
    ["", "Thanks, and Acme?", "hello Acme revenue", "What is 2+2?", "How does Acme work?", "HELP Inc"],
)
def test_what_names_more_is_no_talk(query):
    assert not is_talk(query)


def test_a_follow_up_says_what_it_follows(catalog):
    made = follows(plan("and Søgne?", asked("open-ended", ACME, "net-income"), catalog), "Acme's net income?")
    assert made.subtasks[0].text == 'Read it after "Acme\'s net income?"'
    assert made.tools == ()


def test_no_tool_is_called_without_a_company(catalog):
    peers = (Entity("peers", "us:ACME", "Acme Robotics Inc. Peers"),)
    assert (
        plan("RSI and net income of Acme's peers", asked("peers", peers, "net-income"), catalog).tools == ()
    )


def test_an_analysis_says_whom_it_leaves_out(catalog):
    made = plan("Analyze Acme and Quilmark", asked("analysis", unresolved=("Quilmark",)), catalog)
    assert [(task.text, task.tool) for task in made.subtasks[6:]] == [("Analyse 'Quilmark'", "none")]
