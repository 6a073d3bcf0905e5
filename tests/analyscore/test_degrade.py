"""Each kind of damage lowers its subject and nothing else."""

import random

import pytest
from made_brief import analysis_brief

from finground.analyscore.agreement import cohen_kappa
from finground.analyscore.degrade import KINDS, SUBJECTS, lowered
from finground.analyscore.score import score
from finground.report.grounding import check
from finground.report.template import TemplateWriter
from finground.roles import open_world
from finground.settings import load
from finground.stocksis.build import pairs
from finground.stocksis.pair import brief_of
from finground.stocksis.split import Moment

SEEDS = range(12)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kind_of_damage_lowers_its_subject_alone(kind, brief, report):
    before = score(report, brief)
    assert before.eligible and before.total == 80
    for seed in SEEDS:
        worse = kind.does(report, brief, random.Random(seed))
        assert worse is not None and worse.text != report.text
        assert lowered(before, score(check(worse, brief), brief)) == {kind.subject}, worse.text


def test_damage_to_reports_on_several_companies_is_told_kind_by_kind(walked):
    """On a store, not on one brief: each kind lowers its subject alone; scorer and script agree."""
    script, scorer = [], []
    with open_world(walked.frozen, load(walked.params)) as world:
        for pair in pairs(walked.stocksis, "train"):
            brief = brief_of(world, Moment(pair.company, pair.as_of, "train"), pair.query)
            for compact in (False, True):
                whole = check(TemplateWriter(compact=compact).write(brief), brief)
                before = score(whole, brief)
                for at, kind in enumerate(KINDS):
                    worse = kind.does(whole, brief, random.Random(f"{pair.id}{compact}{at}"))
                    assert worse is not None
                    script.append(kind.subject)
                    scorer.append(" ".join(lowered(before, score(check(worse, brief), brief))))
    assert len(script) == 4 * 2 * len(KINDS) and cohen_kappa(script, scorer) == 1.0


def test_what_is_not_damaged_is_not_lowered(brief, report):
    assert lowered(score(report, brief), score(report, brief)) == frozenset()


def test_a_report_without_old_sessions_cannot_be_made_stale(report):
    stale = next(kind for kind in KINDS if kind.name == "figures stale")
    assert stale.does(report, analysis_brief(), random.Random(1)) is None


def test_every_criterion_and_part_has_a_subject(brief, report):
    found = score(report, brief)
    names = {row.name for row in found.criteria} | {mark.part for mark in found.marks}
    assert names == set(SUBJECTS) and {kind.subject for kind in KINDS} <= set(SUBJECTS.values())
