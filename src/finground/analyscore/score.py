"""AnalyScore of one report by rules: six criteria that must all hold, then the rubric's hundred points.

A report that is not eligible keeps its points, as the paper averages them all the same (PAPERS P5).
"""

from finground.analyscore.dimensions import blocks
from finground.analyscore.eligibility import eligibility
from finground.analyscore.marks import marks
from finground.analyscore.rubric import LINES
from finground.records.report import Criterion, Mark, Report, Score
from finground.report.brief import Brief


def score(report: Report, brief: Brief) -> Score:
    """Criteria and marks of a report that `grounding.check` has checked against its brief."""
    parts = blocks(report.text)
    criteria = eligibility(report, brief, parts)
    logic = next(criterion for criterion in criteria if criterion.name == "logical consistency")
    return scored(criteria, marks(report, brief, parts, logic))


def scored(criteria: tuple[Criterion, ...], given: tuple[Mark, ...]) -> Score:
    """The score of these criteria and marks, with its points by line."""
    by_part = {mark.part: mark.points for mark in given}
    points = {line: sum(by_part[part] for part in parts) for line, parts in LINES.items()}
    return Score(all(row.passed for row in criteria), criteria, points, given)
