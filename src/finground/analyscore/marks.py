"""The six parts of AnalyScore's rubric marked by rules (FinSphere, table 5), each with what it was given for.

A rule decides what can be counted: horizons concluded on, dimensions, contradictions, order, figures.
Language is judged by signs only (readable, repeats itself, interprets its figures): that is a judge's to do
finer, and the evidence says so. Whether a report fits its reader takes a profile that was handed in.
"""

import re
from collections import Counter
from collections.abc import Callable

from finground.analyscore.dimensions import Block, analysed
from finground.analyscore.stances import stated
from finground.records.report import Criterion, Mark, Report
from finground.report.brief import Brief
from finground.report.reading import sentences

FEWEST_WORDS = 30  # fewer say nothing
REPEATED = 0.2  # share of sentences said before, from which a text is discontinuous
DEPTH = re.compile(
    r"\b(?:rank\w*|above|below|beyond|between|against|than|outperform\w*|underperform\w*|compared|median|inflow"
    r"|outflow|indicat\w+|suggest\w+|show(?:s|ing)|demonstrat\w+|reflect\w+|signal\w*|year on year"
    r"|year-over-year)\b",
    re.I,
)
DEEP = 2  # dimensions whose figures are compared or interpreted, and at least half of all: how many there
# are is another mark's
DIMENSION_POINTS = {4: 15, 3: 10, 2: 5, 1: 0, 0: 0}
LIVE = 18  # four dimensions with the live market among them
ALL_DIMENSIONS = 20
DATA_POINTS = {3: 15, 2: 10, 1: 5, 0: 0}


def marks(report: Report, brief: Brief, parts: tuple[Block, ...], logic: Criterion) -> tuple[Mark, ...]:
    """All six parts; `logic` is the eligibility criterion that names the contradictions."""
    marked: dict[str, Callable[[], tuple[int, tuple[str, ...]]]] = {
        "conclusion": lambda: _conclusion(report, brief),
        "dimensions": lambda: _dimensions(parts),
        "logic": lambda: (15 if logic.passed else 0, logic.evidence),
        "structure": lambda: _structure(parts),
        "language": lambda: _language(report, parts),
        "data": lambda: _data(report, parts),
    }
    return tuple(Mark(part, *decide()) for part, decide in marked.items())


def _conclusion(report: Report, brief: Brief) -> tuple[int, tuple[str, ...]]:
    """20 for both horizons fitted to the reader, 10 for both, 5 for one, 0 for none."""
    found = stated(report.text)
    horizons = tuple(dict.fromkeys(row.horizon for row in found))
    evidence = tuple(dict.fromkeys(f"{row.horizon} term: {row.stance}" for row in found))
    if not horizons:
        return 0, ("nothing is concluded",)
    if len(horizons) == 1:
        return 5, (*evidence, f"only the {horizons[0]} term is concluded on")
    fitted = _fitted(report.text, brief)
    if fitted:
        return 20, (*evidence, f"fitted to the reader: {fitted}")
    return 10, (*evidence, "both horizons, fitted to no reader")


def _fitted(text: str, brief: Brief) -> str:
    """Where every preference of the reader's profile is named with its value, those words."""
    wanted = [(key, value) for key, value in (brief.profile or {}).items() if value]
    found = [f"{value} {key}" for key, value in wanted if _names(text, key, value)]
    return ", ".join(found) if wanted and len(found) == len(wanted) else ""


def _names(text: str, key: str, value: str) -> bool:
    name, said = re.escape(key), re.escape(value)
    near = rf"\b{said}[ -](?:\w+[ -])?{name}\b|\b{name}\b[^.;]{{0,30}}\b{said}\b"
    return re.search(near, text, re.I) is not None


def _dimensions(parts: tuple[Block, ...]) -> tuple[int, tuple[str, ...]]:
    told = analysed(parts)
    named = (f"{len(told)} core dimensions: {', '.join(told) or 'none'}",)
    if len(told) > max(DIMENSION_POINTS):
        return ALL_DIMENSIONS, named
    if len(told) == 4 and "volume and price" in told:
        return LIVE, (*named, "with the live market")
    return DIMENSION_POINTS[len(told)], named


def _structure(parts: tuple[Block, ...]) -> tuple[int, tuple[str, ...]]:
    """Details stand together, and the report ends in its conclusion if it has one."""
    places = [
        "conclusion" if part.concludes else "details" for part in parts if part.concludes or part.dimension
    ]
    runs = [place for at, place in enumerate(places) if at == 0 or places[at - 1] != place]
    if len(places) < 2:
        return 0, ("there are no parts to put in order",)
    if runs.count("details") > 1:
        return 0, ("conclusions stand amid the details",)
    if "conclusion" in runs and runs[-1] != "conclusion":
        return 0, ("the report does not end in its conclusion",)
    return 5, (", then ".join(runs),)


def _language(report: Report, parts: tuple[Block, ...]) -> tuple[int, tuple[str, ...]]:
    """0 without substance, 5 where it repeats itself, 10 where figures are interpreted, else 8."""
    words, said = len(report.text.split()), sentences(report.text)
    signs = "by signs only; a judge decides finer"
    if words < FEWEST_WORDS or len(said) < 2:
        return 0, (f"{words} words in {len(said)} sentences", signs)
    repeated = sum(count - 1 for count in Counter(text.strip().lower() for text in said).values())
    if repeated > REPEATED * len(said):
        return 5, (f"{repeated} of {len(said)} sentences repeat another", signs)
    told = analysed(parts)
    deep = {part.dimension for part in parts if not part.concludes and DEPTH.search(part.text)} & set(told)
    evidence = (f"figures are compared or interpreted in {len(deep)} of {len(told)} dimensions", signs)
    return 10 if len(deep) >= max(DEEP, len(told) / 2) else 8, evidence


def _data(report: Report, parts: tuple[Block, ...]) -> tuple[int, tuple[str, ...]]:
    """By dimensions with a figure that is borne out."""
    wrong = Counter(flaw.text for flaw in report.ungrounded)
    told = {
        name: [figure for figure in given if figure not in wrong] for name, given in analysed(parts).items()
    }
    counted = {name: len(given) for name, given in told.items() if given}
    evidence = tuple(f"{name}: {count} figures" for name, count in counted.items()) or ("no figure",)
    return DATA_POINTS.get(len(counted), 20), evidence
