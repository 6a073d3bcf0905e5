"""The analyst's report by rules: movement and cause, two conclusions, the dimensions with their figures, a
summary.

A conclusion follows from signals and from nothing else: more bullish than bearish ones call for attention,
more bearish ones for caution, as many of both for observation; short-term from technical signals, medium to
long-term from financial and fundamental ones. A dimension without data is named, and no number is given for
it (case R3).
"""

from dataclasses import dataclass

from finground.records.bundle import Finding
from finground.records.report import Section
from finground.report.brief import Brief
from finground.report.selection import Chosen, chosen
from finground.report.standard import CAUSE_WORDS, DIMENSIONS, LONG_TERM, SHORT_TERM

ADVICE = {
    "bullish": "the signals are mostly bullish and appropriate attention is suggested",
    "bearish": "the signals are mostly bearish and caution is suggested",
    "neutral": "the signals are mixed and observation is suggested",
}


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What signals add up to: `stance` None where there is no finding at all."""

    stance: str | None
    bullish: tuple[Finding, ...] = ()
    bearish: tuple[Finding, ...] = ()

    def told(self, ids: set[str]) -> "Conclusion":
        """The same stance with those reasons that a report gives."""
        sides = (tuple(row for row in side if row.id in ids) for side in (self.bullish, self.bearish))
        return Conclusion(self.stance, *sides)


def conclude(findings: tuple[Finding, ...]) -> Conclusion:
    """The majority of signals."""
    if not findings:
        return Conclusion(None)
    bullish = tuple(row for row in findings if row.signal == "bullish")
    bearish = tuple(row for row in findings if row.signal == "bearish")
    lead = len(bullish) - len(bearish)
    return Conclusion("bullish" if lead > 0 else "bearish" if lead < 0 else "neutral", bullish, bearish)


def conclude_from(brief: Brief, entity: str, tools: tuple[str, ...]) -> Conclusion:
    """What the signals of these tools about a company add up to."""
    return conclude(tuple(row for tool in tools for row in brief.findings_of(entity, tool)))


def analysis(brief: Brief, shown: Chosen | None = None) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """Sections of all companies asked about, and the dimensions without data.

    `shown` are the findings the report gives; the conclusions follow from all of them in any case.
    """
    shown = chosen(brief) if shown is None else shown
    sections: list[Section] = []
    missing: list[str] = []
    several = len(brief.companies) > 1
    for entity in brief.companies:
        name = brief.names[entity]
        lacking = [
            DIMENSIONS[tool].lower() for tool in brief.plan.tools if not brief.findings_of(entity, tool)
        ]
        missing += [f"{name}: {dimension}" if several else dimension for dimension in lacking]
        sections += _company(brief, entity, lacking, shown)
    unknown = brief.request.unresolved
    if unknown:
        sections.append(Section("unresolved", f"Not known to the catalogue: {', '.join(unknown)}."))
    return tuple(sections), (*missing, *unknown)


def _company(brief: Brief, entity: str, lacking: list[str], shown: Chosen) -> list[Section]:
    name = brief.names[entity]
    told = {row.id for rows in shown.values() for row in rows}
    short = conclude_from(brief, entity, SHORT_TERM).told(told)
    long = conclude_from(brief, entity, LONG_TERM).told(told)
    sections = [_summary(brief, entity, short, long)]
    for tool, label in DIMENSIONS.items():
        rows = shown.get((entity, tool), ())
        if rows:
            text = f"{label} of {name}: {' '.join(row.text for row in rows)}"
            sections.append(Section(tool, text, tuple(row.id for row in rows)))
    if lacking:
        sections.append(Section("missing", f"No data for {name}: {', '.join(lacking)}."))
    rests_on = tuple(row.id for side in (short, long) for row in (*side.bullish, *side.bearish))
    reasons = f"{_reasoned('in the short term', short)}; {_reasoned('in the medium to long term', long)}"
    text = f"In summary for {name}: {reasons}."
    return [*sections, Section("conclusion", text, rests_on)]


def _summary(brief: Brief, entity: str, short: Conclusion, long: Conclusion) -> Section:
    """Movement with its cause, then both conclusions without explanation."""
    name = brief.names[entity]
    unusual = [row for row in brief.findings_of(entity, "catalysts") if row.name == "unusual-movement"]
    looked = [row for row in brief.findings_of(entity, "catalysts") if row.name == "movement"]
    if unusual:
        movement = f"{name} shows unusual movement on {unusual[0].period_end}; {_cause(brief, unusual[0])}."
    elif looked:
        movement = f"{name} shows no unusual movement."
    else:
        movement = f"Whether {name} shows unusual movement cannot be said from the data."
    conclusions = f"{_stated('in the short term', short)}. {_stated('in the medium to long term', long)}."
    ids = tuple(row.id for row in (*unusual, *looked))
    return Section(
        "summary", f"{movement} {conclusions[0].upper()}{conclusions[1:]}".replace(". in", ". In"), ids
    )


def _cause(brief: Brief, move: Finding) -> str:
    """The main cause in fewer than twenty words: the headline of the day, or that there is none."""
    passages = {row.id: row for row in brief.bundle.passages}
    news = next((passages[id] for id in move.inputs if id in passages), None)
    if news is None:
        return "no news of that day names a cause"
    words = news.headline.replace('"', "'").split()
    cut = words[: CAUSE_WORDS - 8]
    return f'the main news of that day is "{" ".join(cut).rstrip(".")}"'


def _stated(when: str, conclusion: Conclusion) -> str:
    if conclusion.stance is None:
        return f"{when}, no conclusion can be drawn for want of data"
    return f"{when}, {ADVICE[conclusion.stance]}"


def _reasoned(when: str, conclusion: Conclusion) -> str:
    """The conclusion with the signals it follows from."""
    if conclusion.stance is None:
        return _stated(when, conclusion)
    sides = [
        f"{side}: {', '.join(dict.fromkeys(_label(row) for row in rows))}"
        for side, rows in (("bullish", conclusion.bullish), ("bearish", conclusion.bearish))
        if rows
    ]
    return f"{_stated(when, conclusion)} ({'; '.join(sides)})" if sides else _stated(when, conclusion)


def _label(finding: Finding) -> str:
    """What a signal is called: a pattern by its name, the rest by what was measured."""
    if isinstance(finding.value, str) and finding.name.startswith(("pattern", "macd")):
        return f"MACD {finding.value}" if finding.name.startswith("macd") else finding.value
    names = {
        "rsi": "RSI",
        "macd": "MACD",
        "yoy": "year on year",
        "price-to-earnings": "P/E ratio",
        "price-to-book": "P/B ratio",
    }
    if finding.name in names:
        return names[finding.name]
    return finding.name.replace("-yoy", " year on year").replace("-", " ")
