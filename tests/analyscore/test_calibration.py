"""The three judged reports of FinSphere's appendix E: calibration, nothing was fitted to them (P16, P19).

The background they were written from is not published, so their figures are taken at their word.
"""

import re
from datetime import UTC, datetime

import pytest
from made_brief import analysis_brief

from finground.analyscore.rubric import LINES
from finground.analyscore.score import score
from finground.records.bundle import Bundle
from finground.records.report import Plan, Report, Section
from finground.records.request import Request
from finground.report.brief import Brief

pytestmark = pytest.mark.realdata


def nothing_known(day, month):
    """A brief of that day in 2024 without data."""
    request, bundle = Request("analysis", (), ()), Bundle(datetime(2024, month, day, 23, tzinfo=UTC))
    return Brief("", Plan("analysis", ()), request, bundle, (), analysis_brief().catalog)


HEADS = ("E.1 FinSphere", "E.2 GPT-4o with few-shot", "E.3 QWen2-72B with few-shot")


@pytest.fixture(scope="module")
def judged(paper):
    """Ours and the experts' points of each report, by line."""
    brief = nothing_known(15, 11)
    found = {}
    for head in HEADS:
        text, comments = re.search(rf"{head}\n(.*?)Score and comments(.*?Total: \d+)", paper, re.S).groups()
        ours = score(Report("analysis", (Section("text", text.strip()),), "published", "complete"), brief)
        experts = {line: int(re.search(rf"• {line} \((\d+)/", comments, re.I)[1]) for line in LINES}
        found[head] = ours, experts
    return found


def test_the_order_of_the_experts_is_not_inverted(judged):
    pairs = [(sum(experts.values()), ours.total) for ours, experts in judged.values()]
    assert [expert for expert, _ in pairs] == [80, 65, 55]
    assert [ours for _, ours in pairs] == sorted((ours for _, ours in pairs), reverse=True)


def test_the_deviations_from_the_experts_by_line(judged):
    """E.2 by the rubric's own counts comes to 80 (P19); E.3 does conclude, and is readable."""
    differences = {
        head[:3]: {line: ours.points[line] - experts[line] for line in LINES}
        for head, (ours, experts) in judged.items()
    }
    assert differences == {
        "E.1": {"conclusion": 0, "content": 0, "expression": 0, "data": 0},
        "E.2": {"conclusion": 0, "content": 10, "expression": 0, "data": 5},
        "E.3": {"conclusion": 5, "content": 0, "expression": 5, "data": 0},
    }  # fmt: skip


def test_the_report_scored_80_is_not_eligible_for_the_advice_at_its_end(judged):  # P16
    failed = [row for row in judged[HEADS[0]][0].criteria if not row.passed]
    assert [row.name for row in failed] == ["neutral language"]
    assert "entry opportunity" in failed[0].evidence[0]


def test_the_complete_sample_is_scored_as_it_reads(paper):  # P17, its background is published
    text = re.search(r"Please analyze TF Securities\.\n\n(.*?)\n\nTable 6: A complete example", paper, re.S)[
        1
    ]
    text = text[text.rindex("TF Securities has shown unusual") :]
    ours = score(Report("analysis", (Section("text", text),), "published", "complete"), nothing_known(16, 10))
    failed = {row.name: " ".join(row.evidence) for row in ours.criteria if not row.passed}
    assert set(failed) == {"data timeliness", "logical consistency"}
    assert "33 days before" in failed["data timeliness"]
    assert failed["logical consistency"] == "short term: attention and caution are both concluded"
    assert ours.points == {"conclusion": 10, "content": 20, "expression": 15, "data": 20}
