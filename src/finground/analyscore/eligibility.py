"""AnalyScore's eligibility check: six mandatory criteria, each with the evidence it was decided on
(FinSphere, table 4).

It reads any report, whoever wrote it, as `grounding.check` left it, beside what its writer was given; it
changes nothing.
"""

from finground.analyscore.dimensions import Block, blocks
from finground.analyscore.language import advice, banned
from finground.analyscore.stances import Stated, stated
from finground.analyscore.timeliness import Dated, dated
from finground.records.report import Criterion, Report, Ungrounded
from finground.report.analysis import conclude
from finground.report.brief import Brief
from finground.report.standard import LONG_TERM, SHORT_TERM

Flaws = tuple[Ungrounded, ...]
Verdict = tuple[bool, tuple[str, ...]]
FEWEST_FIGURES = 3
WANTED = {"bullish": "attention", "bearish": "caution", "neutral": "observation"}


def eligibility(
    report: Report, brief: Brief, parts: tuple[Block, ...] | None = None
) -> tuple[Criterion, ...]:
    """All six criteria; the report is eligible if all pass.

    What is not borne out counts once: what contradicts the tools against consistency, the rest against
    support.
    """
    contradictions = tuple(flaw for flaw in report.ungrounded if _contradicts(flaw.why))
    days = dated(report, brief)
    old = tuple(str(one) for one in days if one.stale)
    unsupported = tuple(
        flaw for flaw in report.ungrounded if not _contradicts(flaw.why) and not _aged(flaw, old)
    )
    parts = blocks(report.text) if parts is None else parts
    verdicts = {
        "conclusion structure": conclusion_structure(report),
        "logical consistency": logical_consistency(report, brief, contradictions),
        "factual support": factual_support(parts, unsupported),
        "data timeliness": data_timeliness(days),
        "analytical dimensions": analytical_dimensions(parts),
        "neutral language": neutral_language(report),
    }
    return tuple(Criterion(name, passed, evidence) for name, (passed, evidence) in verdicts.items())


def conclusion_structure(report: Report) -> Verdict:
    """A conclusion for the short and one for the medium to long term."""
    found = stated(report.text)
    first = {
        horizon: next((row for row in found if row.horizon == horizon), None) for horizon in ("short", "long")
    }
    evidence = tuple(
        f"{horizon} term: {row.stance} ({row.clause})" if row else f"no conclusion for the {horizon} term"
        for horizon, row in first.items()
    )
    return all(first.values()), evidence


def logical_consistency(report: Report, brief: Brief, wrong: Flaws) -> Verdict:
    """One stance a horizon from start to end, the one the signals call for, and nothing said against the
    tools.
    """
    found = stated(report.text)
    flaws = [*_wavering(found), *_against_signals(found, brief)]
    flaws += [f"{flaw.text}: {flaw.why}" for flaw in wrong]
    return not flaws, tuple(flaws) or ("each conclusion is the same throughout and follows from its signals",)


def _contradicts(why: str) -> bool:
    return why.startswith(
        ("what was read moved", "what was read says", "the tools give another", "no finding bears out")
    )


def _aged(flaw: Ungrounded, old: tuple[str, ...]) -> bool:
    """Whether the flaw is a day outside its window, which is timeliness and not want of support."""
    return flaw.why == "no such date was read" and any(flaw.text in line for line in old)


def _wavering(found: tuple[Stated, ...]) -> list[str]:
    """Horizons whose stance turns from attention to caution, or back, between two clauses."""
    flaws = []
    for horizon in ("short", "long"):
        stances = [row.stance for row in found if row.horizon == horizon and row.stance != "observation"]
        if len(set(stances)) > 1:
            flaws.append(f"{horizon} term: {' and '.join(dict.fromkeys(stances))} are both concluded")
    return flaws


def _against_signals(found: tuple[Stated, ...], brief: Brief) -> list[str]:
    """Conclusions that run against the majority of signals of a single company's tools."""
    if len(brief.companies) != 1:
        return []
    flaws = []
    for horizon, tools in (("short", SHORT_TERM), ("long", LONG_TERM)):
        signals = conclude(tuple(row for row in brief.findings if row.tool in tools)).stance
        said = next((row.stance for row in found if row.horizon == horizon), None)
        if signals and said and {said, WANTED[signals]} == {"attention", "caution"}:
            flaws.append(f"{horizon} term: {said} is concluded from mostly {signals} signals")
    return flaws


def factual_support(parts: tuple[Block, ...], wrong: Flaws) -> Verdict:
    """Exact figures, and each of them borne out."""
    given = [figure for part in parts for figure in part.figures]
    flaws = tuple(f"{flaw.text}: {flaw.why}" for flaw in wrong)
    if len(given) < FEWEST_FIGURES:
        return False, (f"{len(given)} figures are given; {FEWEST_FIGURES} are the fewest", *flaws)
    return not flaws, flaws or (f"{len(given)} figures, all borne out",)


def data_timeliness(days: tuple[Dated, ...]) -> Verdict:
    """Nothing older than its window; else what is, and if nothing is, the oldest of each kind."""
    if old := tuple(str(one) for one in days if one.stale):
        return False, old
    oldest = {one.kind: one for one in sorted(days, key=lambda one: one.days)}
    return True, tuple(map(str, oldest.values())) or ("no day is named",)


def analytical_dimensions(parts: tuple[Block, ...]) -> Verdict:
    """At least one of short-term analysis, medium to long-term analysis, supporting data."""
    spoken = dict.fromkeys(part.dimension for part in parts if part.dimension)
    return bool(spoken), tuple(spoken) or ("no dimension is analysed",)


def neutral_language(report: Report) -> Verdict:
    """No trading advice; banned phrases are named, but only advice fails the report."""
    flaws = advice(report.text)
    noted = tuple(f"phrase to avoid: {phrase}" for phrase in banned(report.text))
    return not flaws, (*flaws, *noted) or ("no trading advice",)
