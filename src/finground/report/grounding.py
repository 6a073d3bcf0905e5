"""Does a report say only what was found? Numbers, dates, quotations, names, tickers and directions (law 3).

A number is borne out by a fact, a finding, a price of a day the sentence names (or the last), a gap's
nearest figure or a passage, within half a unit of its own last digit: 25.28 may be written 25.3, one
changed digit is found. Where the sentence names a company or a measure, it must be a figure of that company
and measure; a date must be one of theirs, and a direction the one that was found for them.
"""

import re
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from finground.records.report import Report, Section, Status, Ungrounded
from finground.report import strangers
from finground.report.brief import Brief
from finground.report.data_answer import verdict
from finground.report.evidence import About, Evidence, Values, may_mean
from finground.report.known import Known
from finground.report.lexicon import Mention
from finground.report.polarity import Side, sides
from finground.report.reading import Day, Number, sentences
from finground.report.sentence import CODE, Sentence, bound, part_of, read

TERM = re.compile(
    r"\b(?:golden cross|death cross|overbought|oversold|engulfing|hammer|morning star|evening star"
    r"|shooting star|hanging man|harami|ddx|bollinger|rsi|macd)\b"
)
KIND_OF_DAY = re.compile(r"\b(filed|ended)(?: on)?\s+$", re.I)
CELLS = re.compile(r" {2,}")  # between the cells of a table
BESIDE = re.compile(r"(?: per share)?(?: \(|, )")
APART = re.compile(r"[,;]\s")
LISTED = re.compile(r"\b(highest|lowest) first\b", re.I)
CONTROL = re.compile(
    r"\b(strong|high|medium|medium-level|moderate|weak|low)\s+(?:institutional\s+|market\s+)?control\b", re.I
)
LEVELS = {
    "strong": "high", "high": "high", "medium": "medium", "medium-level": "medium", "moderate": "medium",
    "weak": "low", "low": "low",
}  # fmt: skip
NEGATIVE = re.compile(
    r"\b(?:loss(?:es)?|negative|minus|deficits?|outflows?)(?:\s+(?:of|at))?\s*[$€£]?$", re.I
)
COMPARED = re.compile(
    r"\b(?:(?P<more>higher|above|greater|more)|(?P<less>lower|below|less))\b(?:\s+than)?", re.I
)
FROM_TO = re.compile(
    r"\b(?:(?P<more>rose|increased|grew|climbed)|(?P<less>fell|declined|decreased|dropped))\b", re.I
)
MUST_BE_FOUND = ("cross", "mood", "flow", "zone", "move")  # families that nobody may claim without a finding


@dataclass(frozen=True, slots=True)
class Traced:
    """What a text rests on, and what in it rests on nothing."""

    ids: tuple[str, ...]
    ungrounded: tuple[Ungrounded, ...]


def check(report: Report, brief: Brief) -> Report:
    """The report with all that is not borne out, and the status that follows."""
    evidence = Evidence(brief)
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
    companies = evidence.brief.companies
    of = frozenset(companies) if len(companies) == 1 else frozenset[str]()
    for text in sentences(section.text):
        sentence = read(text, evidence.lexicon, of)
        if len(companies) != 1 and sentence.companies:
            of = sentence.companies[-1].keys
        for part in (_quotations, _numbers, _dates, _directions, _orders, _names):
            found, wrong = part(sentence, evidence)
            ids |= dict.fromkeys(found)
            flaws += [Ungrounded(what, section.name, why) for what, why in wrong]
    flaws += [Ungrounded(what, section.name, why) for what, why in _verdict(section, evidence.brief)]
    return Traced(tuple(ids), tuple(flaws))


Found = tuple[list[str], list[tuple[str, str]]]


def _quotations(sentence: Sentence, evidence: Evidence) -> Found:
    return [], [
        (text, "no news item says that") for text in sentence.quotations if not evidence.quoted_on(text)
    ]


def _numbers(sentence: Sentence, evidence: Evidence) -> Found:
    """Each number by itself; parameters also together with the figures beside them. Findings come first: what
    they bear out all that was read bears out.
    """
    codes = [
        (code, "no such source was read") for code in CODE.findall(sentence.text) if code not in evidence.text
    ]
    ids, flaws = _figures(sentence, evidence, evidence.found)
    if flaws:
        ids, flaws = _figures(sentence, evidence, evidence.values)
    return ids, [*flaws, *codes]


def _figures(sentence: Sentence, evidence: Evidence, values: Values) -> Found:
    """Numbers against these values."""
    ids: list[str] = []
    flaws: list[tuple[str, str]] = []
    supports: dict[int, list[Known]] = {}
    days = sentence.exact
    for at, number in enumerate(sentence.numbers):
        falls = _is_negative(sentence, number)
        about = sentence.about(number.start)
        found, why = evidence.borne_out(number, about, days, falls=falls, values=values)
        beside = _day_beside(sentence, number)
        if found and beside:
            found, why = _of_day(found, beside), "what was read has this value for another period"
        ids += [known.id for known in found]
        flaws += [] if found else [(number.text, why)]
        supports[at] = found
    flaws += [
        (sentence.numbers[at].text, "nothing that was read has this number beside the others")
        for at, number in enumerate(sentence.numbers)
        if number.counts and supports[at] and not _together(at, sentence, supports)
    ]
    return ids, flaws


def _day_beside(sentence: Sentence, number: Number) -> date | None:
    """The day, or the last day of the period, that follows a figure, "5 million USD (2024-03-31)", or stands
    in the cell before it.
    """
    cell = next(
        (day for day in sentence.days if CELLS.fullmatch(sentence.original, day.end, number.start)), None
    )
    if cell is not None and cell.first == cell.last:
        return cell.first
    match = BESIDE.match(sentence.text, number.end)
    place = match.end() if match else -1
    first = next((at for at, day in enumerate(sentence.days) if day.start == place), None)
    if first is None:
        return None
    pair = sentence.days[first : first + 2]
    last = pair[-1] if sentence.original[pair[0].end : pair[-1].start] == " to " else pair[0]
    return last.first if last.first == last.last else None


def _of_day(found: list[Known], day: date) -> list[Known]:
    """Those that are facts of a period that ends on the day, or no facts."""
    return [known for known in found if known.end in (None, day)]


def _is_negative(sentence: Sentence, number: Number) -> bool:
    """Whether the words before a figure without a sign make it negative: "a loss of 2 million"."""
    return NEGATIVE.search(sentence.text[: number.start]) is not None


def _together(at: int, sentence: Sentence, supports: dict[int, list[Known]]) -> bool:
    """Whether one source has a parameter and the number beside it in the same part of the sentence."""
    number = sentence.numbers[at]
    near = [
        other for other in (at - 1, at + 1)
        if other in supports and supports[other]
        and not APART.search(sentence.text, min(number.end, sentence.numbers[other].end),
                             max(number.start, sentence.numbers[other].start))
    ]  # fmt: skip
    own = {known.id for known in supports[at]}
    return not near or any(own & {known.id for known in supports[other]} for other in near)


def _dates(sentence: Sentence, evidence: Evidence) -> Found:
    """Each date: of a quoted passage, of a price given with it, or of what the sentence is about."""
    if not sentence.days:
        return [], []
    told = {day for text in sentence.quotations for day in evidence.quoted_on(text)}
    pairs = _pairs(sentence)
    wrong = [
        (f"{first.text} to {last.text}", "no such period was read")
        for first, last in pairs if (first.first, last.first) not in evidence.periods
    ]  # fmt: skip
    opening = {first.start for first, _ in pairs}
    for day in sentence.days:
        if day.start in opening:
            continue
        about = sentence.nearest(day.start)
        kind = KIND_OF_DAY.search(sentence.text, 0, day.start)
        if kind and not evidence.of_kind(kind[1].lower(), day):
            fits = False
        elif told and not about.keys - {"news"}:
            fits = any(may_mean(day, known) for known in told)
        else:
            fits = evidence.dated(day, about) or _priced(sentence, day, evidence)
            fits = fits or any(may_mean(day, known) for known in told)
        wrong += [] if fits else [(day.text, "no such date was read")]
    return [], wrong


def _pairs(sentence: Sentence) -> list[tuple[Day, Day]]:
    """First and last days of the periods it names."""
    return [
        (first, last) for first, last in pairwise(sentence.days)
        if first.first == first.last and last.first == last.last
        and sentence.original[first.end : last.start] == " to "
    ]  # fmt: skip


def _priced(sentence: Sentence, day: Day, evidence: Evidence) -> bool:
    """Whether a number of the sentence, not borne out without it, may be a daily value of that day: if it is
    not, the number is what is wrong."""
    if day.first != day.last or not evidence.traded(day.first):
        return False
    return any(
        not evidence.borne_out(number, sentence.about(number.start), set(), falls=True)[0]
        for number in sentence.numbers
    )


def _directions(sentence: Sentence, evidence: Evidence) -> Found:
    """Words that have a side: the one that was told of the measure they stand by."""
    terms = dict.fromkeys(TERM.findall(sentence.text.lower()))
    flaws = [(term, "no tool found that") for term in terms if not evidence.says(term)]
    for found in CONTROL.finditer(sentence.text):
        if not evidence.control(LEVELS[found[1].lower()]):
            flaws.append((found[0], "the tools give another level of control"))
    for side in sides(sentence.text):
        if any(_signs(side, number) for number in sentence.numbers):
            continue
        for mention in _stands_by(side, sentence):
            why = _turned(side, mention, sentence, evidence)
            if why:
                flaws.append((side.text, why))
                break
    return [], flaws


def _signs(side: Side, number: Number) -> bool:
    """Whether the word is the number's sign, which is checked with it."""
    return (
        side.family == "move"
        and number.signed
        and (0 <= number.start - side.end <= 8 or 0 <= side.start - number.end <= 4)
    )


def _stands_by(side: Side, sentence: Sentence) -> list[Mention]:
    """The measures a word speaks of: in its part of the sentence the nearest before it, else the first after
    it; all that are listed after a colon."""
    start, end = part_of(sentence.text, side.start)
    own = [one for one in sentence.measures if start <= one.start < end]
    after = [one for one in own if one.start >= side.end]
    if side.family == "mood" and sentence.text[side.end : side.end + 1] == ":":
        return after
    inside = [one for one in own if one.start <= side.start < one.end]
    before = [one for one in own if one.start < side.start]
    if inside:
        return inside
    if before:
        return before[-1:]
    if after:
        return after[:1]
    return [one for one in sentence.measures if one.start < start][-1:]


def _turned(side: Side, mention: Mention, sentence: Sentence, evidence: Evidence) -> str:
    """Why the word is wrong for that measure; empty if it is right, or nothing can be said."""
    entities = bound(sentence.companies, sentence.numbers, side.start) or sentence.of
    told = evidence.said(About(entities, mention.keys), sentence.exact)
    known = {row_side for row in told for family, row_side in row.sides if family == side.family}
    if side.side in known or (evidence.brief.plan.kind != "analysis" and not known):
        return ""
    if known:
        return f"what was read says {' and '.join(sorted(known))}"
    if side.family not in MUST_BE_FOUND or (sentence.numbers and side.family == "move"):
        return ""
    if "news" in mention.keys or any(mention.keys & {"news"} for mention in sentence.measures):
        return ""
    return f"no finding bears out that {sentence.text[mention.start : mention.end].lower()} moved so"


def _orders(sentence: Sentence, evidence: Evidence) -> Found:
    """Two figures beside a word that orders them, and lists that say which end comes first."""
    flaws = []
    for pattern in (COMPARED, FROM_TO):
        for word in pattern.finditer(sentence.text):
            pair = _pair(word, sentence, after_only=pattern is FROM_TO)
            if pair is not None and pair[0] != pair[1]:
                less, more = (pair[1] < pair[0], pair[0] < pair[1])
                wants_more = bool(word["more"])
                right = (
                    (more if wants_more else less) if pattern is FROM_TO else (less if wants_more else more)
                )
                flaws += [] if right else [(word[0], "the figures beside it are in the other order")]
    listed = LISTED.search(sentence.text)
    if listed:
        rank = evidence.brief.request.rank
        if rank and rank.descending != (listed[1].lower() == "highest"):
            flaws.append((listed[0], "the question asks for the other end"))
        values = [number.value for number in sentence.numbers if number.start > listed.end()]
        if values != sorted(values, reverse=listed[1].lower() == "highest"):
            flaws.append((listed[0], "the figures after it are in another order"))
    return [], flaws


def _pair(word: re.Match[str], sentence: Sentence, *, after_only: bool) -> tuple[float, float] | None:
    """The figures before and after a word, or the two after it, where they are of one kind."""
    after = [number for number in sentence.numbers if number.start >= word.end()]
    before = [number for number in sentence.numbers if number.end <= word.start()]
    pair = after[:2] if after_only else [*before[-1:], *after[:1]]
    if len(pair) < 2 or pair[0].kind != pair[1].kind or any(number.counts for number in pair):
        return None
    between = sentence.text[pair[0].end : pair[1].start]
    if ";" in between or (after_only and " to " not in between):
        return None
    return pair[0].value, pair[1].value


def _names(sentence: Sentence, evidence: Evidence) -> Found:
    return [], strangers.names(sentence, evidence)


def _verdict(section: Section, brief: Brief) -> list[tuple[str, str]]:
    """A yes or no that the figures do not give."""
    said = re.match(r"(Yes|No)\b", section.text)
    right = verdict(brief) if said and brief.plan.kind == "data" else ""
    return [(said[1], f"the figures say {right.lower()}")] if said and right and said[1] != right else []
