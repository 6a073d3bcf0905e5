"""The systems of Table 2 on a small root: an endpoint takes part; a judge that params name is asked."""

from collections import Counter
from dataclasses import replace

import pytest
from served_model import served

from finground.bench.cell import Trial
from finground.bench.reports import held_out, score_questions, score_writer, write
from finground.bench.systems import RULES, System, systems
from finground.core.artifact import read_rows
from finground.records.score import KeptReply, ScoreRow
from finground.report.standard import DIMENSIONS
from finground.report.template import TemplateWriter
from finground.roles import open_world
from finground.settings import load
from finground.stocksis.pair import TEMPLATE, brief_of
from finground.stocksis.split import Moment

REPORT = "In the short term, attention is suggested. In the long term, caution is suggested."


@pytest.fixture
def settings(walked):
    return load(walked.params)


@pytest.fixture
def world(walked, settings):
    with open_world(walked.frozen, settings) as opened:
        yield opened


def test_where_params_name_an_endpoint_it_writes_from_the_tools_plain_and_few_shot(
    monkeypatch, walked, settings, world
):
    with served(monkeypatch, lambda _: REPORT) as (endpoint, asked):
        found = list(systems(walked, settings.model_copy(update={"endpoint": endpoint})))
        assert {system.name: system.labels for system in found} == {
            "template": TEMPLATE, "base": RULES, "base-few-shot": TEMPLATE, "writer": TEMPLATE,
            "rules+endpoint:m": RULES, "rules+endpoint:m-few-shot": TEMPLATE,
        }  # fmt: skip
        pairs = held_out(walked, 1)
        for system in found[-2:]:
            trial = Trial(system.name, "report", 1, "c")
            scored = score_writer(
                trial, system.writer, pairs, world, labels=system.labels, prefix=system.prefix
            )
            assert {row.labels for row in scored.rows} == {system.labels}
            assert [reply.text for reply in scored.replies] == [REPORT, REPORT]
            assert {reply.prompt for reply in scored.replies} == set(asked[-2:])  # asked at once
    plain, few = asked[:2], asked[2:]
    assert {prompt.removeprefix(found[-1].prefix) for prompt in few} == set(plain)
    assert all(name in plain[0] for name in DIMENSIONS.values()) and "Never write:" in few[0]


def test_a_judge_that_params_name_is_asked_of_every_report_and_kept(monkeypatch, walked, settings, world):
    (pair, *_) = held_out(walked, 1)["new-time"]
    brief = brief_of(world, Moment(pair.company, pair.as_of, "new-time"), pair.query)
    briefs = [("paper-questions", replace(brief, query=f"{brief.query} {at}")) for at in range(5)]
    system = System("template", TemplateWriter(compact=True), TEMPLATE)
    answers = [(system, write(system.writer, briefs))]
    with served(monkeypatch, lambda _: "A") as (endpoint, asked):
        bench = settings.bench.model_copy(update={"judge": "openai"})
        judged = settings.model_copy(update={"endpoint": endpoint, "bench": bench})
        heard = score_questions(answers, 0, walked, judged, "c")
    alone = score_questions(answers, 0, walked, settings, "c")
    assert len(asked) == 5 * 3 * 3 * 2 and heard.rows == alone.rows  # who always says the same is refused
    assert Counter(reply.system for reply in heard.replies) == {"endpoint:m": 90, "template": 5}


def test_the_ablation_says_of_every_score_whom_it_imitates(walked):
    rows = [row for path in walked.ablation("1").parent.glob("*.jsonl") for row in read_rows(path, ScoreRow)]
    assert {row.labels for row in rows} == {TEMPLATE} and {row.seed for row in rows} == {1}
    assert {row.part for row in rows} == {"new-time", "new-company"}
    assert {"loss", "ungrounded", "figures_right", "coverage", "total"} <= {row.metric for row in rows}
    assert list(read_rows(walked.replies("ablate@0.5-1"), KeptReply))
