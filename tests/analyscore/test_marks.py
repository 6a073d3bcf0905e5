"""The rubric by rules: each part at each level that a rule can give, with what it was given for."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_brief import analysis_brief

from finground.analyscore.dimensions import CORE, analysed, blocks
from finground.analyscore.rubric import LEVELS, ceiling, violations
from finground.analyscore.score import score
from finground.records.report import Report, Section
from finground.report.grounding import check

PARAGRAPHS = {
    "volume and price": "The last price is 25.28 USD, above its index.",
    "technical": "RSI(14) is 80.54, overbought, which indicates strength.",
    "capital flow": "The 5-day cumulative DDX is 6.397, a net inflow.",
    "fundamentals": "Net income is down 22.63% year on year.",
    "news": 'News: on 2024-06-27 Test Wire wrote: "Aaa to hold a meeting on 3 plants".',
}
OPENING = (
    "Aaa Corp is calm. In the short term, attention is suggested. In the long term, caution is suggested."
)
CLOSING = "In summary, attention is suggested in the short term; in the long term, caution is suggested."


def scored(*paragraphs, profile=None):
    brief = replace(analysis_brief(), profile=profile)
    sections = tuple(Section(f"{at}", text) for at, text in enumerate(paragraphs))
    found = score(check(Report("analysis", sections, "test", "complete"), brief), brief)
    return found, {mark.part: mark for mark in found.marks}


def whole(*dimensions):
    return scored(OPENING, *(PARAGRAPHS[name] for name in dimensions), CLOSING)


def test_a_whole_report_that_knows_no_reader_comes_to_80():
    found, marks = whole(*PARAGRAPHS)
    assert found.points == {"conclusion": 10, "content": 35, "expression": 15, "data": 20}
    assert found.total == 80 and all(mark.evidence and mark.by == "rules" for mark in marks.values())


@pytest.mark.parametrize(
    ("dimensions", "points"),
    [
        (tuple(PARAGRAPHS), 20),
        (("volume and price", "technical", "capital flow", "fundamentals"), 18),  # with the live market
        (("technical", "capital flow", "fundamentals", "news"), 15),
        (("technical", "capital flow", "fundamentals"), 10),
        (("technical", "news"), 5),
        (("technical",), 0),
    ],
)
def test_dimensions_are_counted_as_table_5_counts_them(dimensions, points):
    _, marks = whole(*dimensions)
    assert marks["dimensions"].points == points
    assert all(name in marks["dimensions"].evidence[0] for name in dimensions)


def test_data_counts_dimensions_whose_figures_are_borne_out():
    assert [whole(*list(PARAGRAPHS)[:count])[1]["data"].points for count in (5, 4, 3, 2, 1)] == [
        20,
        20,
        15,
        10,
        5,
    ]
    wrong = PARAGRAPHS["technical"].replace("80.54", "81.54").replace("(14)", "")
    _, marks = scored(OPENING, PARAGRAPHS["volume and price"], wrong, PARAGRAPHS["capital flow"], CLOSING)
    assert marks["data"].points == 10 and "technical" not in " ".join(marks["data"].evidence)


def test_a_dimension_that_is_said_to_be_missing_is_not_analysed():
    parts = blocks(
        "\n\n".join([OPENING, "Capital flow: no data.", "No data for Aaa Corp: financial results.", CLOSING])
    )
    assert analysed(parts) == {}


def test_conclusions_on_one_horizon_are_worth_5_and_none_nothing():
    assert scored(OPENING.rpartition(" In the long")[0], *PARAGRAPHS.values())[1]["conclusion"].points == 5
    assert scored(*PARAGRAPHS.values())[1]["conclusion"].points == 0


def test_only_a_report_that_names_its_readers_wishes_passes_10_on_its_conclusion():
    profile = {"risk": "low", "horizon": "long"}
    fitted = f"{CLOSING} That suits a reader of low risk and a long horizon."
    assert scored(OPENING, *PARAGRAPHS.values(), fitted, profile=profile)[1]["conclusion"].points == 20
    assert scored(OPENING, *PARAGRAPHS.values(), fitted)[1]["conclusion"].points == 10
    assert scored(OPENING, *PARAGRAPHS.values(), CLOSING, profile=profile)[1]["conclusion"].points == 10


@pytest.mark.parametrize(
    ("paragraphs", "points"),
    [
        ((OPENING, *PARAGRAPHS.values(), CLOSING), 5),
        ((OPENING, *PARAGRAPHS.values(), CLOSING.partition("; ")[0], "All of it is invented."), 5),
        ((*PARAGRAPHS.values(), CLOSING), 5),
        ((PARAGRAPHS["technical"], OPENING, PARAGRAPHS["news"], CLOSING), 0),
        ((OPENING, CLOSING, *PARAGRAPHS.values()), 0),
    ],
)
def test_details_stand_together_and_the_report_ends_in_its_conclusion(paragraphs, points):
    assert scored(*paragraphs)[1]["structure"].points == points


def test_language_falls_with_repetition_and_with_want_of_substance():
    again = " ".join([PARAGRAPHS["technical"]] * 9)
    assert scored(OPENING, again, CLOSING)[1]["language"].points == 5
    assert scored(OPENING, PARAGRAPHS["technical"], CLOSING)[1]["language"].points == 8
    assert scored("All is well.")[1]["language"].points == 0


@given(
    st.lists(st.sampled_from([*PARAGRAPHS.values(), OPENING, CLOSING, "Buy now!", "No data."]), max_size=12)
)
def test_whatever_is_written_the_points_are_ones_that_table_5_can_give_and_80_is_the_most(paragraphs):
    """P4: without personalisation."""
    found, marks = scored(*paragraphs)
    assert violations(found.points) == () and found.total <= ceiling(personal=False) == 80
    assert all(mark.points in {level.points for level in LEVELS[part]} for part, mark in marks.items())
    assert set(analysed(blocks("\n\n".join(paragraphs)))) <= set(CORE)
