"""The writer that needs no model: the baseline of every table and the fallback that says so."""

from finground.records.report import Report, Section, Status
from finground.report.analysis import analysis
from finground.report.brief import Brief
from finground.report.data_answer import data_answer
from finground.report.education import education
from finground.report.selection import compact

SYNTHETIC = "All data here are synthetic: the companies, figures and news are invented."

TALK = (
    "This answers questions about companies from dated data, each figure with its source: a figure of a "
    "company and a period, comparisons and rankings, what a metric means, and an analysis of "
    "a company (please analyze, and its name). Nothing was looked up for this reply."
)


class TemplateWriter:
    """Writes by stated rules; every figure it gives is copied from a fact or a finding.

    With `compact` an analysis gives only the findings that a model's prompt holds: what a small model
    learns from must rest on what it reads.
    """

    def __init__(self, *, compact: bool = False) -> None:
        self.compact = compact

    def write(self, brief: Brief) -> Report:
        """The table and its comparisons, the analyst's report, or the explanation, as the plan says."""
        if brief.plan.kind == "analysis":
            sections, missing = analysis(brief, compact(brief) if self.compact else None)
        elif brief.plan.kind == "talk":
            sections, missing = (Section("talk", TALK),), ()
        else:
            sections, missing = data_answer(brief) if brief.plan.kind == "data" else education(brief)
        if brief.bundle.synthetic:
            sections = (*sections, Section("synthetic", SYNTHETIC))
        status: Status = "partial" if missing else "complete"
        return Report(brief.plan.kind, sections, "template", status, missing=missing)
