"""The writer that needs no model: the baseline of every table and the fallback that says so."""

from finground.records.report import Report, Section, Status
from finground.report.analysis import analysis
from finground.report.brief import Brief
from finground.report.data_answer import data_answer
from finground.report.education import education

SYNTHETIC = "All data here are synthetic: the companies, figures and news are invented."


class TemplateWriter:
    """Writes by stated rules; every figure it gives is copied from a fact, a finding or a series."""

    def write(self, brief: Brief) -> Report:
        """The table and its comparisons, the analyst's report, or the explanation, as the plan says."""
        kinds = {"data": data_answer, "analysis": analysis, "education": education}
        sections, missing = kinds[brief.plan.kind](brief)
        if brief.bundle.synthetic:
            sections = (*sections, Section("synthetic", SYNTHETIC))
        status: Status = "partial" if missing else "complete"
        return Report(brief.plan.kind, sections, "template", status, missing=missing)
