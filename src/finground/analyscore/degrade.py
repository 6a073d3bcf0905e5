"""Reports made worse by script, in one way each: what a scorer should find, it can be tried on (floor 2).

A kind of damage touches one subject, and a good scorer lowers that and nothing else. The script knows the
report and its brief, and asks no scorer.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from finground.analyscore.dimensions import analysed, blocks
from finground.analyscore.stances import HORIZONS
from finground.records.report import Report, Score, Section
from finground.report.brief import Brief
from finground.report.reading import DATE, sentences

Damage = Callable[[Report, Brief, random.Random], Report | None]
ADVICE = (
    "Investors may hold the stock.", "It is a buy at this price.", "Sell now.", "Buy on weakness.",
    "This signals an entry opportunity.", "Reduce positions soon.", "Now is the time to build a position.",
    "Clear the position before the report.", "Investors should increase the position.",
    "Watch for trading opportunities.",
)  # fmt: skip
TURNED = {"bullish": "bearish", "bearish": "bullish", "attention": "caution", "caution": "attention"}
STALE_DAYS = 40  # beyond every window of days that the standard gives
DATED = re.compile(r"\b(?:RSI|MACD|pattern|golden cross|death cross|DDX|margin balance)\b")
OUTSIDE_BRACKETS = re.compile(r";\s+(?![^(]*\))")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of damage, and the subject that it should lower."""

    name: str
    subject: str
    does: Damage


# what a criterion or a part of the rubric is about: a subject is lowered once, wherever it counts
SUBJECTS = {
    "conclusion structure": "conclusion", "conclusion": "conclusion",
    "logical consistency": "consistency", "logic": "consistency",
    "factual support": "support", "data timeliness": "timeliness",
    "analytical dimensions": "dimensions", "dimensions": "dimensions",
    "neutral language": "neutrality", "structure": "order", "language": "language", "data": "data",
}  # fmt: skip


def lowered(before: Score, after: Score) -> frozenset[str]:
    """The subjects that came out worse."""
    passed = {row.name for row in after.criteria if row.passed}
    points = {mark.part: mark.points for mark in after.marks}
    failed = [row.name for row in before.criteria if row.passed and row.name not in passed]
    fewer = [mark.part for mark in before.marks if points[mark.part] < mark.points]
    return frozenset(SUBJECTS[name] for name in (*failed, *fewer))


def conclusion_removed(report: Report, _brief: Brief, rng: random.Random) -> Report | None:
    """One horizon's conclusion, wherever it stands."""
    gone = HORIZONS[rng.choice(tuple(HORIZONS))]
    sections = []
    for section in report.sections:
        kept = [_without(sentence, gone) for sentence in sentences(section.text)]
        sections.append(replace(section, text=" ".join(text for text in kept if text)))
    return _changed(report, [section for section in sections if section.text])


def dimension_removed(report: Report, _brief: Brief, rng: random.Random) -> Report | None:
    """All that is said in detail of one core dimension."""
    parts = blocks(report.text)
    gone = rng.choice(list(analysed(parts)))
    texts = {part.text for part in parts if part.dimension == gone and not part.concludes}
    return _changed(report, [section for section in report.sections if section.text not in texts])


def figures_stale(report: Report, brief: Brief, rng: random.Random) -> Report | None:
    """Technical signals and capital flow of a session long past."""
    past = _sessions(brief, brief.bundle.as_of.date() - timedelta(days=STALE_DAYS))
    if not past:
        return None
    day = rng.choice(past).isoformat()
    sections = [
        replace(section, text=" ".join(_of_day(text, day) for text in sentences(section.text)))
        for section in report.sections
    ]
    return _changed(report, sections)


def contradiction(report: Report, _brief: Brief, rng: random.Random) -> Report | None:
    """The last conclusion on a horizon turned into the opposite of the first."""
    named = [index for index, part in enumerate(report.sections) if _concludes(part.text)]
    if len(named) < 2:
        return None
    horizon = rng.choice(tuple(HORIZONS.values()))
    texts = [section.text for section in report.sections]
    if not _turn(_clause(texts[named[0]], horizon)):  # nothing to turn: both ends take sides
        texts[named[0]] = _sided(texts[named[0]], horizon, "attention")
        texts[named[-1]] = _sided(texts[named[-1]], horizon, "caution")
    else:
        clause = _clause(texts[named[-1]], horizon)
        texts[named[-1]] = texts[named[-1]].replace(clause, _turn(clause) or clause)
    return _changed(
        report, [replace(part, text=text) for part, text in zip(report.sections, texts, strict=True)]
    )


def advice_given(report: Report, _brief: Brief, rng: random.Random) -> Report | None:
    """A sentence of trading advice at the end of a paragraph."""
    at = rng.randrange(len(report.sections))
    chosen = report.sections[at]
    worse = replace(chosen, text=f"{chosen.text} {rng.choice(ADVICE)}")
    return _changed(report, [*report.sections[:at], worse, *report.sections[at + 1 :]])


def order_shuffled(report: Report, _brief: Brief, rng: random.Random) -> Report | None:
    """The paragraphs in another order, a conclusion somewhere amid the details."""
    sections = list(report.sections)
    for _ in range(100):
        rng.shuffle(sections)
        ends = [_concludes(section.text) for section in sections if _counts(section.text)]
        if any(ends[1:-1]) and ends[1:-1] != sorted(ends[1:-1]):
            return _changed(report, sections)
    return None


KINDS = (
    Kind("conclusion removed", "conclusion", conclusion_removed),
    Kind("dimension removed", "dimensions", dimension_removed),
    Kind("figures stale", "timeliness", figures_stale),
    Kind("contradiction", "consistency", contradiction),
    Kind("advice words", "neutrality", advice_given),
    Kind("order shuffled", "order", order_shuffled),
)


def _changed(report: Report, sections: Sequence[Section]) -> Report | None:
    """The report with these sections, not checked yet; None if nothing is different."""
    if tuple(sections) == report.sections:
        return None
    return replace(report, sections=tuple(sections), ungrounded=())


def _concludes(text: str) -> bool:
    return all(words.search(text) for words in HORIZONS.values())


def _counts(text: str) -> bool:
    """Whether a paragraph is a conclusion or gives details; notes are neither."""
    return _concludes(text) or any(part.dimension for part in blocks(text))


def _without(sentence: str, gone: re.Pattern[str]) -> str:
    """The sentence without its clauses on a horizon; what leads in to the first clause stays."""
    clauses = OUTSIDE_BRACKETS.split(sentence)
    if not any(gone.search(clause) for clause in clauses):
        return sentence
    lead = re.match(r"[^:(]*: ", clauses[0])
    kept = [clause for clause in clauses if not gone.search(clause)]
    if not kept:
        return ""
    text = "; ".join(kept).rstrip(".;") + "."
    return f"{lead[0]}{text}" if lead and gone.search(clauses[0]) else text


def _clause(text: str, horizon: re.Pattern[str]) -> str:
    """The clause on a horizon, up to the reasons in brackets."""
    for sentence in sentences(text):
        for clause in OUTSIDE_BRACKETS.split(sentence):
            if found := horizon.search(clause):
                return clause[found.start() :].partition("(")[0]
    return ""


def _turn(clause: str) -> str:
    """The clause with each side turned, or nothing if it takes none."""
    found = re.compile(rf"\b(?:{'|'.join(TURNED)})\b")
    return found.sub(lambda word: TURNED[word[0]], clause) if found.search(clause) else ""


def _sided(text: str, horizon: re.Pattern[str], side: str) -> str:
    clause = _clause(text, horizon)
    return text.replace(clause, clause.replace("observation", side)) if clause else text


def _sessions(brief: Brief, before: date) -> list[date]:
    """Sessions read of the company asked about, up to a day."""
    own = [series for series in brief.bundle.series if series.entity in brief.companies]
    days = {day for series in own for day in series.times.astype("datetime64[D]").tolist()}
    return sorted(day for day in days if day <= before)


def _of_day(sentence: str, day: str) -> str:
    """A sentence on technical signals or capital flow, with that day as its date."""
    if not DATED.search(sentence) or any(words.search(sentence) for words in HORIZONS.values()):
        return sentence
    dated = re.sub(r"\d{4}-\d{2}-\d{2}", day, sentence)
    return dated if DATE.search(dated) else f"{dated.rstrip('.')} on {day}."
