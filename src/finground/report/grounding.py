"""Does a report say only what was found? Numbers, dates, quotations, tickers, signal words and directions
(law 3).

A number is borne out by a fact, a finding, a price of a day the sentence names (or the last), a gap's
nearest figure or a passage, within half a unit of its own last digit: 25.28 may be written 25.3, one
changed digit is found.
"""

import re
from dataclasses import dataclass, replace

from finground.records.report import Report, Section, Status, Ungrounded
from finground.report.brief import Brief
from finground.report.evidence import Evidence, gather
from finground.report.reading import NUMBER, read_dates, read_numbers, sentences

TERMS = (
    "golden cross", "death cross", "overbought", "oversold", "engulfing", "hammer", "morning star",
    "evening star", "shooting star", "hanging man", "harami", "ddx", "bollinger", "rsi", "macd",
)  # fmt: skip
CONTROL = re.compile(
    r"\b(strong|high|medium|medium-level|moderate|weak|low)\s+(?:institutional\s+|market\s+)?control\b", re.I
)
LEVELS = {
    "strong": "high", "high": "high", "medium": "medium", "medium-level": "medium", "moderate": "medium",
    "weak": "low", "low": "low",
}  # fmt: skip
RISING = r"(?:rose|rising|increased|increas(?:e|ing)|grew|growing|improved|improving|higher|up)"
FALLING = r"(?:fell|falling|decreased|decreas(?:e|ing)|declin(?:e|ed|es|ing)|dropped|worsened|lower|down)"
TURN = re.compile(rf"\b(?:(?P<up>{RISING})|(?P<down>{FALLING}))\b", re.I)
TICKER = re.compile(r"(?<![\w.&-])\$?([A-Z]{2,5})(?![\w&-]|\.[A-Za-z])")
QUOTED = re.compile(r'"([^"]*)"|“([^”]*)”')


@dataclass(frozen=True, slots=True)
class Traced:
    """What a text rests on, and what in it rests on nothing."""

    ids: tuple[str, ...]
    ungrounded: tuple[Ungrounded, ...]


def check(report: Report, brief: Brief) -> Report:
    """The report with all that is not borne out, and the status that follows."""
    evidence = gather(brief)
    found = tuple(flaw for section in report.sections for flaw in trace(section, evidence).ungrounded)
    return replace(report, ungrounded=found, status=_status(report, found))


def _status(report: Report, found: tuple[Ungrounded, ...]) -> Status:
    if report.status == "failed":
        return "failed"
    return "partial" if found or report.missing else report.status


def trace(section: Section, evidence: Evidence) -> Traced:
    """One section against the evidence."""
    ids: dict[str, None] = {}
    flaws: list[Ungrounded] = []
    for sentence in sentences(section.text):
        bare, unquoted = _quotations(sentence, evidence)
        flaws += [Ungrounded(text, section.name, "no news item says that") for text in unquoted]
        bare, dates = read_dates(bare)
        flaws += [
            Ungrounded(day.text, section.name, "no such date was read")
            for day in dates
            if not evidence.dated(day)
        ]
        days = {day.first for day in dates if day.first == day.last}
        for number in read_numbers(bare):
            sources, why = evidence.borne_out(number, days)
            ids |= dict.fromkeys(sources)
            flaws += [] if sources else [Ungrounded(number.text, section.name, why)]
        flaws += _words(bare, section.name, evidence)
    return Traced(tuple(ids), tuple(flaws))


def _quotations(sentence: str, evidence: Evidence) -> tuple[str, list[str]]:
    """The sentence without its quotations, and those that no passage holds."""
    said = [first or second for first, second in QUOTED.findall(sentence)]
    return QUOTED.sub(" ", sentence), [text for text in said if not evidence.quotes(text)]


def _words(sentence: str, where: str, evidence: Evidence) -> list[Ungrounded]:
    """Tickers, signal words, control level and directions without a number."""
    flaws = [
        Ungrounded(found, where, "no such ticker was read")
        for found in dict.fromkeys(TICKER.findall(NUMBER.sub(" ", sentence)))
        if not evidence.capitals(found)
    ]
    low = sentence.lower()
    flaws += [
        Ungrounded(term, where, "no tool found that")
        for term in TERMS
        if re.search(rf"\b{term}\b", low) and not evidence.says(term)
    ]
    for found in CONTROL.finditer(sentence):
        level = LEVELS[found[1].lower()]
        if not evidence.control(level):
            flaws.append(Ungrounded(found[0], where, "the tools give another level of control"))
    if not read_numbers(sentence):
        flaws += _turns(sentence, where, evidence)
    return flaws


def _turns(sentence: str, where: str, evidence: Evidence) -> list[Ungrounded]:
    """A direction without a number needs a change of the same sign in what was found about that measure."""
    for found in TURN.finditer(sentence):
        measure = evidence.measure_in(sentence)
        sign = 1 if found["up"] else -1
        if measure and not evidence.moved(measure, sign):
            return [Ungrounded(found[0], where, f"no finding bears out that {measure} moved so")]
    return []
