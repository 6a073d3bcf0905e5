"""The six criteria, each on a report that passes and one that fails, with the evidence."""

import re
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "report"))
from made_brief import FINDINGS, analysis_brief, finding

from finground.analyscore.eligibility import eligibility
from finground.analyscore.language import advice, banned
from finground.analyscore.stances import stated
from finground.records.bundle import Bundle
from finground.records.report import Plan, Report, Section
from finground.records.request import Request
from finground.report.brief import Brief
from finground.report.grounding import check
from finground.report.template import TemplateWriter

PAPERS = Path(__file__).parents[2].parent / "shared" / "papers"
GOOD = (
    "In the short term, attention is suggested. In the medium to long term, caution is suggested. "
    "The last price is 25.28 USD, RSI is 80.54 and the P/E ratio is 26.40."
)


def judged(text, brief=None):
    brief = brief or analysis_brief()
    report = check(Report("analysis", (Section("text", text),), "test", "complete"), brief)
    return {criterion.name: criterion for criterion in eligibility(report, brief)}


def test_there_are_six_criteria_and_a_plain_report_passes_all():
    found = judged(GOOD)
    assert list(found) == [
        "conclusion structure",
        "logical consistency",
        "factual support",
        "data timeliness",
        "analytical dimensions",
        "neutral language",
    ]
    assert all(criterion.passed and criterion.evidence for criterion in found.values())


def test_the_oldest_day_of_each_kind_is_the_evidence_of_timeliness():
    found = judged(f"{GOOD} The DDX of 2024-06-20 was above the DDX of 2024-06-27.")["data timeliness"]
    assert found.passed
    assert "capital flow: 2024-06-20 is 8 days before 2024-06-28" in found.evidence
    assert not any("2024-06-27" in line for line in found.evidence)


@pytest.mark.parametrize(
    ("criterion", "text"),
    [
        ("conclusion structure", GOOD.replace("In the medium to long term, caution is suggested. ", "")),
        ("logical consistency", f"{GOOD} In summary, caution is suggested in the short term."),
        ("logical consistency", GOOD.replace("attention", "caution")),
        ("logical consistency", f"{GOOD} The price is up 12%."),
        ("factual support", "In the short term, attention is suggested. The price is 25.28 USD."),
        ("factual support", GOOD.replace("25.28", "26.28")),
        ("data timeliness", f"{GOOD} A golden cross formed on May 20th."),
        ("data timeliness", f"{GOOD} The DDX of 2024-06-10 was high."),
        ("analytical dimensions", "All is well in the short term."),
        ("neutral language", f"{GOOD} Investors should buy now."),
    ],
)
def test_each_criterion_fails_where_it_should(criterion, text):
    found = judged(text)[criterion]
    assert not found.passed and found.evidence


def test_a_finding_older_than_its_window_is_stale_even_where_no_day_is_named():
    old = finding("technical", "rsi", 80.54, "points", "RSI(14) is 80.54, overbought.", end=date(2024, 5, 1))
    brief = analysis_brief([old, *(row for row in FINDINGS if row.tool != "technical")])
    found = {
        criterion.name: criterion
        for criterion in eligibility(check(TemplateWriter().write(brief), brief), brief)
    }
    assert not found["data timeliness"].passed


@pytest.mark.parametrize(
    "text",
    [
        "The company will hold a meeting.",
        "It holds its annual conference in May.",
        "Institutional shareholding rose, and holdings too.",
        "A sell-side note and a buy-back followed the sell-off.",
        "Aaa agreed to buy Bbb.",
        'The headline reads "Time to buy Aaa".',
        "A buyer was found; selling pressure is high.",
    ],
)
def test_innocent_uses_pass(text):
    assert advice(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Investors may hold the stock.",
        "The index signals an entry opportunity.",
        "It is a buy.",
        "Sell now.",
        "Reduce positions soon.",
        "Watch for potential trading opportunities.",
    ],
)
def test_advice_is_flagged(text):
    assert len(advice(text)) == 1


def test_banned_phrases_are_noted_and_do_not_fail_a_report():
    assert banned("According to the report, the current situation is good.") == (
        "According to",
        "current situation",
    )
    assert judged(f"According to data. {GOOD}")["neutral language"].passed


def test_what_is_advised_decides_a_stance():
    found = stated("Short-term opportunities exist; caution is needed for medium to long-term positions.")
    assert [(row.horizon, row.stance) for row in found] == [("short", "attention"), ("long", "caution")]


# the papers' own reports, read where they lie ------------------------------------------------------
def published(start, end):
    if not PAPERS.is_dir():
        pytest.skip("the papers are not at hand")
    text = next(PAPERS.glob("000_*.txt")).read_text()
    return re.search(rf"{start}(.*?){end}", text, re.S)[1].strip()


def empty_brief(as_of, findings=()):
    request = Request("analysis", (), ())
    return Brief("", Plan("analysis", ()), request, Bundle(as_of), findings, analysis_brief().catalog)


@pytest.mark.realdata
def test_the_report_scored_80_gives_advice_at_its_end():
    text = published("E.1 FinSphere\n", "Score and comments")
    found = judged(text, empty_brief(datetime(2024, 11, 15, tzinfo=UTC)))
    assert not found["neutral language"].passed and "entry opportunity" in " ".join(
        found["neutral language"].evidence
    )
    assert found["conclusion structure"].passed and found["data timeliness"].passed


@pytest.mark.realdata
def test_the_complete_stocksis_sample_rests_on_an_old_pattern_and_another_level_of_control():
    text = published("Please analyze TF Securities.\n\n", "\n\nTable 6: A complete example")
    text = text[text.rindex("TF Securities has shown unusual") :]
    control = finding(
        "capital-flow", "control-level", "medium", "word", "Control by main funds is at a medium level."
    )
    found = judged(text, empty_brief(datetime(2024, 10, 16, 23, tzinfo=UTC), (control,)))
    assert "33 days before" in " ".join(found["data timeliness"].evidence)
    assert "strong institutional control" in " ".join(found["logical consistency"].evidence)
