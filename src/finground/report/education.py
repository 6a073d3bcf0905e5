"""An explanation: the metric's entry in the catalogue, and an example where a company with data is named."""

import re

from finground.catalog.metrics import Metric
from finground.records.report import Section
from finground.report.brief import Brief
from finground.report.data_answer import gaps, table

UNITS = {
    "currency": "an amount of money", "ratio": "a ratio", "per-share": "an amount of money per share",
    "shares": "a number of shares", "count": "a number", "text": "told in words, not a number",
}  # fmt: skip


def education(brief: Brief) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """One section a primary metric, and the example's table."""
    known = {metric.slug: metric for metric in brief.catalog.metrics.all}
    asked = [known[row.slug] for row in brief.request.metrics if row.primary and row.slug in known]
    if not asked:
        return (Section("explanation", "The question names no metric of the catalogue to explain."),), (
            "metric",
        )
    sections = [Section("explanation", explain(metric, brief)) for metric in asked]
    missing: tuple[str, ...] = ()
    if brief.request.entities:
        example = table(brief)
        lacking, missing = gaps(brief)
        sections += (
            [Section("example", f"Example:\n{example.text}", example.rests_on)] if example.text else []
        )
        sections += lacking
    return tuple(sections), missing


def explain(metric: Metric, brief: Brief) -> str:
    """Name, unit, formula and related metrics, in sentences."""
    every = (
        "each quarter"
        if metric.frequency == "quarterly"
        else "each year"
        if metric.frequency == "annual"
        else "daily"
    )
    sentences = [f"{metric.name} is {UNITS[metric.unit]}, known {every}."]
    if metric.formula:
        formula = re.sub(r"[a-z][a-z-]*[a-z]", lambda slug: brief.metric(slug[0]), metric.formula)
        sentences.append(f"It is computed as {formula}.")
    if metric.aliases:
        sentences.append(f"It is also called {', '.join(metric.aliases[:3])}.")
    if metric.related:
        sentences.append(f"It is read beside {', '.join(brief.metric(slug) for slug in metric.related)}.")
    return " ".join(sentences)
