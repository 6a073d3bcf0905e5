"""The plan says which kind of answer a question gets, and why each tool is called."""

from finground.agent.plan import TOOLS, plan
from finground.records.request import Entity, Request, RequestedMetric

APPLE = (Entity("company", "cik:0000320193", "Apple Inc."),)


def asked(kind="open-ended", entities=APPLE, *slugs):
    return Request(kind, entities, tuple(RequestedMetric(slug, True) for slug in slugs))


def test_an_analysis_calls_all_six_tools():
    made = plan("Please analyze Apple", asked("analysis"))
    assert made.kind == "analysis" and made.tools == TOOLS and len(TOOLS) == 6
    assert all(task.why and task.text for task in made.subtasks)


def test_a_question_for_data_is_looked_up_and_no_more():
    made = plan("What was Apple's net income?", asked("open-ended", APPLE, "net-income"))
    assert made.kind == "data" and made.tools == () and [task.tool for task in made.subtasks] == ["lookup"]


def test_a_tool_is_called_where_the_question_asks_for_it():
    assert plan("Apple's RSI and net income?", asked("open-ended", APPLE, "net-income")).tools == (
        "technical",
    )
    both = plan("Apple's volume and MACD", asked("open-ended", APPLE, "volume"))
    assert both.kind == "data" and both.tools == ("volume-price", "technical")


def test_an_educational_question_is_explained():
    made = plan("Explain the P/E ratio", asked("educational", (), "price-to-earnings"))
    assert made.kind == "education" and made.tools == ()
