"""Asked in three wordings and both orders, read strictly, heard only if it agrees with itself."""

import re
from dataclasses import dataclass

import pytest
from served_model import served

from finground.analyscore.endpoint import EndpointGenerator
from finground.analyscore.judge import PARTS, judge, judge_one
from finground.analyscore.rubric import LEVELS
from finground.analyscore.score import score
from finground.core.errors import FingroundError, InputError
from finground.roles import judge as role
from finground.settings import load


@dataclass
class Said:
    text: str
    stop: str = "eos"
    truncated: bool = False


class Model:
    """A model in this process: `answers(prompt)` is what it says."""

    name = "model"

    def __init__(self, answers):
        self.answers, self.asked = answers, []

    def reply(self, prompts, *, max_new_tokens, batch):
        self.asked += prompts
        return [Said(self.answers(prompt)) for prompt in prompts]


LISTED = re.compile(r"^([A-H]): (.*)$", re.M)


def sees(prompt):
    """A good judge: the level it means is the same in whatever order the levels are listed."""
    report = prompt.partition("<<<")[2].partition(">>>")[0]
    part = next(part for part, about in PARTS.items() if about in prompt)
    clear = "caution is suggested" in report and "attention is suggested" in report and len(report) > 900
    wanted = LEVELS[part][-1] if not clear else next(row for row in LEVELS[part] if not row.personal)
    return next(letter for letter, standard in LISTED.findall(prompt) if standard == wanted.standard)


def reports():
    good = "In the short term attention is suggested, in the long term caution is suggested. " + "x" * 900
    return [good, "Nothing.", f"{good} Again.", "No.", f"{good} Once more.", "Neither."]


def test_a_judge_that_means_what_it_says_is_heard(monkeypatch, brief, report):
    with served(monkeypatch, sees) as (settings, asked):
        generator = EndpointGenerator(settings)
        judged = judge(generator, generator.name, reports(), seed=1)
    assert len(asked) == 6 * 3 * 3 * 2
    assert all(
        not found.by_chance and found.kappa == pytest.approx(1) for found in judged.agreements.values()
    )
    rules = score(report, brief)
    good, bad = judged.score(0, rules), judged.score(1, rules)
    assert {mark.part: (mark.points, mark.by) for mark in good.marks if mark.part in PARTS} == {
        "conclusion": (10, "endpoint:m"),
        "logic": (15, "endpoint:m"),
        "language": (10, "endpoint:m"),
    }
    assert bad.points == {"conclusion": 0, "content": 20, "expression": 5, "data": 20}


@pytest.mark.parametrize(
    ("answers", "unread"),
    [(lambda _: "A", 0), (lambda _: "H", 36), (lambda _: "I would say that level B fits.", 36)],
    ids=["always the first", "a level that is not there", "prose"],
)
def test_a_judge_that_always_answers_the_same_is_refused(brief, report, answers, unread):  # B2
    judged = judge(Model(answers), "model", reports(), seed=1)
    assert all(found.by_chance for found in judged.agreements.values())
    assert {found.unread for found in judged.agreements.values()} == {unread}
    assert len(judged.readings) == 108 and all(row.prompt and row.text for row in judged.readings)
    rules = score(report, brief)
    heard = judged.score(0, rules)
    assert heard.points == rules.points and {mark.by for mark in heard.marks} == {"rules"}
    assert sum("is refused: kappa" in mark.evidence[-1] for mark in heard.marks) == 3


def test_a_letter_to_a_prompt_that_was_cut_is_unread(brief, report):
    class Cut(Model):
        def reply(self, prompts, *, max_new_tokens, batch):
            return [Said("A", truncated=True) for _ in prompts]

    judged = judge(Cut(sees), "model", reports(), seed=1)
    assert {row.points for row in judged.readings} == {None}
    assert {found.unread for found in judged.agreements.values()} == {36}


def test_a_base_of_ours_says_a_letter_and_is_refused_if_it_does_so_by_chance(walked, brief, report):
    """A tiny base knows nothing; under the grammar it is read, and does not agree with itself."""
    generator, name = role("local", walked, load(walked.params))
    judged = judge(generator, name, [f"{text[:60]} {at}" for at, text in enumerate(reports())], seed=1)
    assert {row.text in tuple("ABCDEFGH") for row in judged.readings} == {True}
    assert all(found.by_chance for found in judged.agreements.values())
    assert judged.score(0, score(report, brief)).points == score(report, brief).points


def test_what_a_rule_found_wanting_a_judge_does_not_give_back(brief, report):
    judged = judge(Model(sees), "model", reports(), seed=1)
    rules = score(report, brief)
    marks = tuple(
        mark if mark.part != "logic" else type(mark)("logic", 0, ("two stances",)) for mark in rules.marks
    )
    lowered = type(rules)(rules.eligible, rules.criteria, rules.points, marks)
    assert next(mark.points for mark in judged.score(0, lowered).marks if mark.part == "logic") == 0


def test_the_levels_are_asked_from_best_to_worst_and_back():
    model = Model(lambda _: "A")
    judge(model, "model", reports(), seed=1)
    logic = [LISTED.findall(prompt) for prompt in model.asked if PARTS["logic"] in prompt]
    orders = {tuple(standard for _, standard in levels) for levels in logic}
    best, worst = (level.standard for level in LEVELS["logic"])
    assert orders == {(best, worst), (worst, best)}


def test_one_report_is_judged_among_damaged_copies_of_it(brief, report):
    model = Model(sees)
    judged = judge_one(model, "model", report, brief, seed=1)
    assert len(model.asked) == 7 * 3 * 3 * 2 and {row.report for row in judged.readings} == set(range(7))
    assert report.text in model.asked[0]


def test_agreement_takes_some_reports():
    model = Model(sees)
    with pytest.raises(InputError, match="takes 5 or more"):
        judge(model, "model", reports()[:4], seed=1)
    assert model.asked == []


def test_an_endpoint_that_is_gone_is_one_sentence(monkeypatch):
    with served(monkeypatch, sees) as (settings, _):
        generator = EndpointGenerator(settings)
    with pytest.raises(FingroundError, match="cannot be used"):
        judge(generator, "m", reports(), seed=1)
