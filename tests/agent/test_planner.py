"""A model's plan: what it writes under the grammar is a whole plan, or a typed failure."""

from datetime import UTC, datetime

import pytest
from made_models import other, tiny
from test_tuned import Parrot, Said

from finground.agent.plan import TOOLS, steps
from finground.agent.planner import ALONE, LONGEST, ModelPlanner, UnreadPlan, grammar, prompt
from finground.agent.rules import RulesAgent
from finground.lm.generate import Generator

AS_OF = datetime(2025, 6, 30, tzinfo=UTC)
ANALYSIS = "Please analyze Acme Robotics"
DATA = "What was the net income of Acme Robotics in Q1 2025?"


@pytest.fixture(scope="module", params=["llama", "bloom"])
def untrained(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("untrained")
    llama = tiny(folder / "llama")
    return Generator.open(llama if request.param == "llama" else other("bloom", folder / "b", llama), None)


def planned(said, query, catalog):
    parrot = Parrot([said])
    return ModelPlanner(parrot, "model:tiny")(
        query, RulesAgent(catalog).request(query, AS_OF), catalog
    ), parrot


def test_the_steps_are_the_models(catalog):
    said = Said("- technical: Is it turning? Because the chart is asked about.\n", "grammar")
    made, parrot = planned(said, ANALYSIS, catalog)
    assert (made.kind, made.by, made.tools) == ("analysis", "model:tiny", ("technical",))
    assert (made.subtasks[0].text, made.subtasks[0].why) == ("Is it turning?", "the chart is asked about")
    assert parrot.asked[0][0] == [prompt(ANALYSIS, "Acme Robotics Inc.")]


def test_what_is_looked_up_the_request_says(catalog):
    said = Said("- financial: What do reports say? Because they hold it.\n", "grammar")
    made, _ = planned(said, DATA, catalog)
    assert made.kind == "data" and made.subtasks[0].tool == "lookup" and made.tools == ("financial",)


@pytest.mark.parametrize("query", ["What is a P/E ratio?"])
def test_no_model_is_asked_where_no_data_is_needed(query, catalog):
    made, parrot = planned(Said(""), query, catalog)
    assert made.kind == "education" and parrot.asked == []


def test_half_a_plan_is_a_failed_plan(catalog):
    with pytest.raises(UnreadPlan, match="not a whole plan"):
        planned(Said("- technical: Is it", "length"), ANALYSIS, catalog)


def test_an_untrained_model_writes_a_whole_plan_or_fails(untrained, catalog):
    planner = ModelPlanner(untrained, "model:tiny")
    for query in (ANALYSIS, "Has money left Acme Robotics?"):
        try:
            chosen = planner.steps(query, "Acme Robotics Inc.", alone=False)
        except UnreadPlan as failed:
            assert failed.reply is not None
            continue
        tools = [step.tool for step in chosen]
        assert tools and tools == [tool for tool in TOOLS if tool in tools]
        assert all(0 < len(step.text) <= LONGEST + 1 and step.why for step in chosen)


def test_every_set_of_tools_in_order_is_in_the_grammar(catalog):
    """What the rules would say parses too, in the grammar and as a plan."""
    import xgrammar

    compiled = xgrammar.Grammar.from_ebnf(grammar(alone=False).text)
    request = RulesAgent(catalog).request(ANALYSIS, AS_OF)
    for tools in (TOOLS, TOOLS[:1], TOOLS[-1:], TOOLS[1:4:2]):
        text = "".join(f"- {one.tool}: {one.text} Because {one.why}.\n" for one in steps(tools, request))
        assert xgrammar.testing._is_grammar_accept_string(compiled, text), text
        made, _ = planned(Said(text, "grammar"), ANALYSIS, catalog)
        assert made.tools == tools
    for wrong in ("", "- lookup: x? Because y.\n", "- technical: x? Because up 5.\n"):
        assert not xgrammar.testing._is_grammar_accept_string(compiled, wrong)


def test_a_question_that_figures_answer_may_take_no_tool(catalog):
    import xgrammar

    made, parrot = planned(Said(ALONE, "grammar"), DATA, catalog)
    assert made.tools == () and made.subtasks[0].tool == "lookup"
    allowed = parrot.asked[0][3]
    assert xgrammar.testing._is_grammar_accept_string(xgrammar.Grammar.from_ebnf(allowed.text), ALONE)


def test_question_and_reason_are_bounded_each():
    refuses = grammar(alone=False).refuses
    assert not refuses("- technical: " + "a" * 88 + "? Because " + "b" * 88)
    assert refuses("- technical: " + "a" * 91)
    assert refuses("- technical: a? Because " + "b" * 91)
