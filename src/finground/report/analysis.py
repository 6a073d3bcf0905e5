"""The analyst's report by rules, in the four steps of the response standard (FinSphere, appendix D):
movement and its main cause, two conclusions, the dimensions with their figures, a summary with reasons.

A conclusion follows from signals and from nothing else: more bullish than bearish ones call for attention,
more bearish ones for caution, as many of both for observation; short-term from technical signals, medium to
long-term from financial and fundamental ones. The lead of a dimension follows from its own signals
likewise. A dimension without data is named, and no number is given for it (case R3).
"""

from dataclasses import dataclass

from finground.records.bundle import Finding, Gap
from finground.records.report import Section
from finground.report.brief import Brief
from finground.report.profile import personal
from finground.report.prose import capital, flowing, listed
from finground.report.selection import FULL, Chosen, chosen
from finground.report.standard import CAUSE_WORDS, DIMENSIONS, LEADS, LONG_TERM, SHORT_TERM

ADVICE = {
    "bullish": "the signals are mostly bullish and appropriate attention is suggested",
    "bearish": "the signals are mostly bearish and caution is suggested",
    "neutral": "the signals are mixed and observation is suggested",
}
HORIZONS = (("in the short term", SHORT_TERM), ("in the medium to long term", LONG_TERM))
REASONS = 4  # signals of one side that a conclusion names
NOT_GIVEN = 6  # reasons for missing items that a report names one by one


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

    `shown` are the findings the report gives, as many as 600 words hold if not said; the conclusions follow
    from all of them in any case.
    """
    full = shown is None
    told = chosen(brief, limit=FULL * len(brief.companies)) if shown is None else shown
    sections: list[Section] = []
    missing: list[str] = []
    several = len(brief.companies) > 1
    for entity in brief.companies:
        name = brief.names[entity]
        lacking = [
            DIMENSIONS[tool].lower() for tool in brief.plan.tools if not brief.findings_of(entity, tool)
        ]
        missing += [f"{name}: {dimension}" if several else dimension for dimension in lacking]
        sections += _company(brief, entity, told, full=full)
    unknown = brief.request.unresolved
    if unknown:
        sections.append(Section("unresolved", f"Not known to the catalogue: {', '.join(unknown)}."))
    return tuple(sections), (*missing, *unknown)


def _company(brief: Brief, entity: str, shown: Chosen, *, full: bool) -> list[Section]:
    sections = [_summary(brief, entity, full=full)]
    for tool, label in DIMENSIONS.items():
        rows = shown.get((entity, tool), ())
        if rows:
            head = f"{label} of {brief.names[entity]}" if len(brief.companies) > 1 else label
            lead = lead_of(brief, entity, tool) if full else ""
            text = f"{head}: {f'{lead} ' if lead else ''}{flowing(_once_told(row) for row in rows)}"
            sections.append(Section(tool, text, tuple(row.id for row in rows)))
    sections += _missing(brief, entity, full=full)
    return [*sections, _final(brief, entity, shown, full=full)]


def _once_told(row: Finding) -> str:
    """What a finding says; of an unusual movement without the cause, which the summary has told."""
    return f"{row.text.partition('; ')[0]}." if row.name == "unusual-movement" else row.text


def lead_of(brief: Brief, entity: str, tool: str) -> str:
    """What a dimension's signals come to, in a sentence; nothing for the news."""
    found, leads = conclude(brief.findings_of(entity, tool)), LEADS.get(tool, {})
    if found.stance and not (found.bullish or found.bearish) and "alone" in leads:
        return leads["alone"]
    return leads.get(found.stance or "", "")


def _summary(brief: Brief, entity: str, *, full: bool) -> Section:
    """Movement with its cause, then both conclusions without explanation."""
    name, ticker = brief.names[entity], brief.ticker(entity) if full else ""
    whom = f"{name} ({ticker})" if ticker else name
    unusual = [row for row in brief.findings_of(entity, "catalysts") if row.name == "unusual-movement"]
    looked = [row for row in brief.findings_of(entity, "catalysts") if row.name == "movement"]
    if unusual:
        size = f", {unusual[0].text.partition(': ')[2].partition(',')[0]}" if full else ""
        movement = f"{whom} shows unusual movement on {unusual[0].period_end}{size}; {_cause(unusual[0])}."
    elif looked:
        found = looked[0].text.rstrip(".").removeprefix("No ") if full else "unusual movement"
        movement = f"{whom} shows no {found}."
    else:
        movement = f"Whether {whom} shows unusual movement cannot be said from the data."
    conclusions = [stated(when, conclude_from(brief, entity, tools).stance) for when, tools in HORIZONS]
    ids = tuple(row.id for row in (*unusual, *looked))
    return Section("summary", " ".join([movement, *(f"{capital(text)}." for text in conclusions)]), ids)


def _cause(move: Finding) -> str:
    """The main cause in fewer than twenty words, as the tool names it; a long headline is cut."""
    cause = move.text.partition("; ")[2].rstrip(".")
    before, mark, headline = cause.partition('the headline "')
    if not mark:
        return cause or "no news of that day names a cause"
    words = headline.rstrip('"').split()
    cut = " ".join(words[: CAUSE_WORDS - 6]).rstrip(".")
    return f'{before}"{cut}"'


def stated(when: str, stance: str | None) -> str:
    """A conclusion for one horizon."""
    if stance is None:
        return f"{when}, no conclusion can be drawn for want of data"
    return f"{when}, {ADVICE[stance]}"


def _final(brief: Brief, entity: str, shown: Chosen, *, full: bool) -> Section:
    """Both conclusions with the signals they follow from, what to watch, and what it means for the reader."""
    told = {row.id for rows in shown.values() for row in rows}
    found = [conclude_from(brief, entity, tools) for _, tools in HORIZONS]
    given = found if full else [one.told(told) for one in found]
    sentences = [_reasoned(when, one) for (when, _), one in zip(HORIZONS, given, strict=True)]
    name = brief.names[entity]
    opening = f"In summary for {name}, " if len(brief.companies) > 1 else "In summary, "
    parts = [f"{opening}{sentences[0]}.", f"{capital(sentences[1])}."]
    rests_on = [row.id for one in given for row in (*one.bullish, *one.bearish)]
    if full:
        watched = [
            row for row in brief.findings_of(entity, "technical") if row.name in ("support", "resistance")
        ]
        parts += [_watch(watched)] if len(watched) > 1 else []
        rests_on += [row.id for row in watched]
        parts += [text] if (text := personal(brief.profile, found[0].stance, found[1].stance)) else []
    return Section("conclusion", " ".join(parts), tuple(dict.fromkeys(rests_on)))


def _watch(levels: list[Finding]) -> str:
    """The levels at which the short-term picture would change."""
    low, high = (row.text.partition(" is at ")[2].partition(", ")[0] for row in levels[:2])
    return f"Levels to watch are support at {low} and resistance at {high}."


def _reasoned(when: str, conclusion: Conclusion) -> str:
    """The conclusion with the signals it follows from."""
    sides = [
        f"{side}: {listed(_reasons(rows))}"
        for side, rows in (("bullish", conclusion.bullish), ("bearish", conclusion.bearish))
        if rows
    ]
    text = stated(when, conclusion.stance)
    return f"{text} ({'; '.join(sides)})" if sides else text


def _reasons(rows: tuple[Finding, ...]) -> list[str]:
    """What the signals are called, the first of them if there are many."""
    yearly = [row for row in rows if row.name.endswith("-yoy")]
    names = list(dict.fromkeys(label(row) for row in rows if row not in yearly))
    kept = [*names[:REASONS], "others"] if len(names) > REASONS + 1 else names
    changes = "the year-on-year change" if len(yearly) == 1 else "the year-on-year changes"
    return [*kept, f"{changes} of {listed([label(row) for row in yearly])}"] if yearly else kept


LABELS = {
    "price-to-earnings": "the P/E ratio", "price-to-book": "the P/B ratio",
    "total-revenue-yoy": "revenue", "moving-averages": "the alignment of the moving averages",
    "current-ratio": "the current ratio", "debt-ratio": "the debt-to-assets ratio",
    "net-profit-margin": "the net profit margin", "return-on-equity": "return on equity",
    "revenue-growth": "revenue growth against peers",
}  # fmt: skip


def label(finding: Finding) -> str:
    """What a signal is called: a pattern or a cross by its name, the rest by what was measured."""
    if finding.name.startswith("pattern-"):
        return f"the {finding.value} pattern"
    if finding.name == "rsi":
        return f"RSI being {'overbought' if finding.signal == 'bearish' else 'oversold'}"
    if finding.name == "macd-cross":
        return f"the MACD {finding.value}"
    if finding.name == "rsi-cross":
        return f"the RSI {finding.value}"
    if finding.name == "macd":
        return f"MACD {'above' if finding.signal == 'bullish' else 'below'} its signal line"
    if finding.name in LABELS:
        return LABELS[finding.name]
    return finding.name.removesuffix("-yoy").replace("-", " ")


def _missing(brief: Brief, entity: str, *, full: bool) -> list[Section]:
    """Dimensions without data; in full, of the others also what was looked for and is not there, and why."""
    bare = [tool for tool in brief.plan.tools if not brief.findings_of(entity, tool)]
    own = [gap for gap in brief.bundle.gaps if gap.entity == entity and gap.tool]
    sentences = []
    for why, tools in _by_reason([gap for gap in own if gap.tool in bare], bare).items():
        named = listed([DIMENSIONS[tool].lower() for tool in tools])
        sentences.append(f"No data for {brief.names[entity]}: {named}{f'; {why}' if why and full else ''}.")
    others = [gap for gap in own if gap.tool not in bare]
    if full and others:
        sentences += ["Not given are the following.", *_not_given(others)]
    return [Section("missing", " ".join(sentences))] if sentences else []


def _by_reason(gaps: list[Gap], tools: list[str]) -> dict[str, list[str]]:
    """Tools without data by their reason; no reason where a tool has several."""
    found: dict[str, list[str]] = {}
    for tool in tools:
        reasons = {gap.why.rstrip(".") for gap in gaps if gap.tool == tool}
        found.setdefault(reasons.pop() if len(reasons) == 1 else "", []).append(tool)
    return found


def _not_given(gaps: list[Gap]) -> list[str]:
    """Items by reason, a sentence each."""
    by_reason: dict[str, list[str]] = {}
    for gap in gaps:
        by_reason.setdefault(gap.why.rstrip("."), []).append(gap.what)
    shown = list(by_reason.items())[:NOT_GIVEN]
    more = ["Others are in the list of gaps."] if len(by_reason) > NOT_GIVEN else []
    return [*(f"{capital(listed(items))}: {why}." for why, items in shown), *more]
