"""What is measured of a report, and the prompt that a plain model gets."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "report"))
from made_brief import AS_OF, FINDINGS, analysis_brief

from finground.answer import judge
from finground.bench.cell import Trial
from finground.bench.reports import Written, measure, score_written, write
from finground.bench.systems import FewShot, few_shot, labels_of
from finground.records.report import Report, Section, WriterPair
from finground.report.grounding import check
from finground.report.prompt import prompt
from finground.report.standard import BANNED_PHRASES, DIMENSIONS, TRADING_WORDS
from finground.report.template import TemplateWriter
from finground.report.tuned import TunedWriter


@dataclass
class Said:
    text: str
    stop: str = "eos"
    truncated: bool = False


class Parrot:
    def __init__(self, *said):
        self.said = said

    def reply(self, prompts, *, max_new_tokens, batch):
        self.prompts = prompts
        return list(self.said)


def written(text=None, brief=None):
    brief = brief or analysis_brief()
    report = (
        TemplateWriter().write(brief)
        if text is None
        else Report("analysis", (Section("s", text),), "t", "complete")
    )
    return Written("part", brief, check(report, brief), "")


def values(one):
    return measure(one, judge(one.report, one.brief))


def test_a_whole_report_covers_all_and_gives_every_figure_right():
    found = values(written())
    assert (found["coverage"], found["figures_right"], found["ungrounded"]) == (1.0, 1.0, 0.0)
    assert (found["total"], found["eligible"], found["content"]) == (80.0, 1.0, 35.0)


def test_one_wrong_figure_of_two_is_half_right_and_one_error():
    found = values(written("The last price is 25.28 USD. The P/E ratio is 99.00."))
    assert (found["figures_right"], found["ungrounded"]) == (0.5, 1.0)


def test_coverage_is_of_the_dimensions_that_have_findings():
    only = [row for row in FINDINGS if row.tool in ("volume-price", "technical")]
    brief = analysis_brief(only, passages=())
    assert values(written("The last price is 25.28 USD.", brief))["coverage"] == 0.5
    assert values(written(None, brief))["coverage"] == 1.0


def test_a_report_without_figures_has_none_right():
    assert values(written("All is well."))["figures_right"] == 0.0


def test_a_failed_report_scores_nothing_stays_in_n_and_a_cut_prompt_is_counted():
    brief = analysis_brief()
    parrot = Parrot(
        Said(" "),
        Said("The last price is 25.28 USD.", truncated=True),
        Said(TemplateWriter().write(brief).text),
    )
    reports = write(TunedWriter(parrot), [("part", brief)] * 3)
    rows = {
        row.metric: row for row in score_written(Trial("s", "analyscore", 1, "c"), reports, unread=1).rows
    }
    assert {(row.n, row.n_unread, row.n_truncated) for row in rows.values()} == {(4, 3, 1)}
    assert rows["total"].value == 80 / 4 and rows["coverage"].value == 1 / 4


def test_a_plain_model_is_shown_the_standard_and_an_example_before_its_prompt():
    experts = WriterPair(
        "1", "q", AS_OF, "us:AAA", "Prompt one\nReport:\n", "The expert's report.", "expert", "train"
    )
    ours = replace(
        experts, id="2", prompt="Prompt two\nReport:\n", target="The template's.", labels="template-writer"
    )
    prefix = few_shot([ours, experts])
    assert "The expert's report." in prefix and "The template's." not in prefix
    assert all(word in prefix for word in (*BANNED_PHRASES, *TRADING_WORDS, *DIMENSIONS.values()))
    parrot, brief = Parrot(Said("Fine.")), analysis_brief()
    reports = write(TunedWriter(FewShot(parrot, prefix)), [("part", brief)], prefix)
    assert parrot.prompts == [prefix + prompt(brief)] == [reports[0].prompt]


@pytest.mark.parametrize(
    ("labels", "whose"),
    [
        (("expert", "expert"), "expert"),
        (("expert", "template-writer"), "template-writer"),
        ((), "template-writer"),
    ],
)
def test_one_label_of_the_template_makes_what_learned_it_imitation(labels, whose):
    pair = WriterPair("1", "q", AS_OF, "us:AAA", "p", "t", "", "train")
    assert labels_of([replace(pair, labels=name) for name in labels]) == whose
