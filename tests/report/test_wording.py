"""Sentences joined without touching a figure, names as readers write them, profiles, words with sides."""

import re

import pytest
from made_brief import FINDINGS, analysis_brief

from finground.report.grounding import check
from finground.report.naming import shown
from finground.report.polarity import sides
from finground.report.profile import mistakes, personal
from finground.report.prose import flowing, listed
from finground.report.template import TemplateWriter


def test_sentences_about_one_subject_in_a_row_become_one():
    texts = [
        "Revenue is 5,047 million USD.",
        "Revenue is up 17.46% year on year.",
        "Revenue is down 1.10% on the quarter.",
    ]
    assert (
        flowing(texts)
        == "Revenue is 5,047 million USD, up 17.46% year on year and down 1.10% on the quarter."
    )
    assert (
        flowing(["Volume is 5 shares.", "The index is up 1.00%."])
        == "Volume is 5 shares. The index is up 1.00%."
    )
    assert flowing(['On 2024-06-27 it wrote: "All is well".', "It formed a cross."]).count(".") == 2
    assert listed(["a"]) == "a" and listed(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Risk awareness and POSITION CONTROL.", ["caution", "caution"]),
        ("A lower-limit move; low levels; lowly; grown-up.", ["down", "low", "up", "up"]),
        ("Money flows inward, then flows in.", ["in"]),
    ],
)
def test_words_with_sides_are_whole_words_whatever_their_case(text, found):
    assert [side.side for side in sides(text)] == found


def test_joining_changes_no_figure():
    joined = flowing(row.text for row in FINDINGS)
    for row in FINDINGS:
        for figure in re.findall(r"\d[\d,.]*\d", row.text):
            assert figure in joined


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("MICROSOFT CORP", "Microsoft Corp"),
        ("DANAHER CORP /DE/", "Danaher Corp"),
        ("BANK OF AMERICA CORP /DE/", "Bank of America Corp"),
        ("HSBC HOLDINGS PLC", "HSBC Holdings plc"),
        ("PPL Corp", "PPL Corp"),
        ("Duke Energy CORP", "Duke Energy Corp"),
        ("3M CO", "3M CO"),
        ("AT&T INC.", "AT&T INC."),
        ("Apple Inc.", "Apple Inc."),
    ],
)
def test_registrants_in_capitals_are_written_like_other_names(name, read):
    assert shown(name) == read


def test_a_profile_says_what_is_wrong_with_it():
    assert mistakes({"risk": "low", "horizon": "long"}) == []
    assert mistakes({"risk": "brave", "mood": "good"}) == [
        "'mood' is not part of a profile",
        "risk is 'brave', not one of low, medium, high",
    ]


def test_risk_changes_the_advice_and_the_horizon_which_conclusion_counts():
    cautious, bold = {"risk": "low", "horizon": "short"}, {"risk": "high", "horizon": "long"}
    assert "in the short term attention is suggested after further validation" in personal(
        cautious, "bullish", "bearish"
    )
    assert "in the medium to long term caution with position control" in personal(bold, "bullish", "bearish")
    assert "no conclusion can be drawn" in personal(bold, "bullish", None)
    assert personal(bold, None, None) == "" and "agree" in personal(None, "bullish", "bullish")


@pytest.mark.parametrize("risk", ["low", "medium", "high"])
@pytest.mark.parametrize("horizon", ["short", "medium", "long"])
def test_a_personal_report_is_grounded_consistent_and_says_for_whom(risk, horizon):
    from finground.analyscore.eligibility import eligibility

    brief = analysis_brief(profile={"risk": risk, "horizon": horizon})
    report = check(TemplateWriter().write(brief), brief)
    assert report.ungrounded == () and f"{risk} risk tolerance and a {horizon} horizon" in report.text
    assert all(criterion.passed for criterion in eligibility(report, brief))


def test_a_word_has_one_family_and_side_and_a_longer_one_comes_first():
    found = [
        (side.family, side.side)
        for side in sides("The lower limit, a low level, lower than before, flowing out.")
    ]
    assert found == [("end", "lower"), ("level", "low"), ("move", "down"), ("flow", "out")]
