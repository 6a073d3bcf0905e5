"""Is what a report gives fresh enough? Technical a month, capital flow and news 15 days, financials three
years (FinSphere, table 4): by the days in the report's sentences, and by the days of the findings it rests
on.
"""

import re
from dataclasses import dataclass
from datetime import date

from finground.records.report import Report
from finground.report.brief import Brief
from finground.report.reading import Day, read_dates, sentences

WINDOWS = {"technical": 31, "capital flow": 15, "financial": 3 * 366, "news": 15}
TOOLS = {
    "technical": "technical",
    "capital-flow": "capital flow",
    "financial": "financial",
    "catalysts": "news",
}
SPOKEN = (
    (
        "technical",
        re.compile(r"\b(?:pattern|golden cross|death cross|RSI|MACD|candlestick|Bollinger)\b", re.I),
    ),
    ("capital flow", re.compile(r"\b(?:DDX|margin (?:balance|trading|financing)|capital flow)\b", re.I)),
    ("financial", re.compile(r"\b(?:revenue|net income|net profit|quarter|annual report|filed)\b", re.I)),
    ("news", re.compile(r"\b(?:news|headline|wrote)\b", re.I)),
)


@dataclass(frozen=True, slots=True)
class Dated:
    """Something a report gives, in words, and how many days before the question it is of."""

    kind: str
    what: str
    days: int

    @property
    def stale(self) -> bool:
        """Whether it lies before its window."""
        return self.days > WINDOWS[self.kind]

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}"


def dated(report: Report, brief: Brief) -> tuple[Dated, ...]:
    """Every day named of what has a window, and every finding of such a tool that the report rests on."""
    today = brief.bundle.as_of.date()
    told = [one for sentence in sentences(report.text) for one in _in_sentence(sentence, today)]
    used = set(report.rests_on)
    for finding in brief.findings:
        if finding.tool in TOOLS and finding.id in used:
            days = (today - finding.period_end).days
            what = f"{finding.name} is of {finding.period_end}, {days} days before {today}"
            told.append(Dated(TOOLS[finding.tool], what, days))
    return tuple(dict.fromkeys(told))


def _in_sentence(sentence: str, today: date) -> list[Dated]:
    """Days of a sentence that speaks of what has a window; only days, no months or years."""
    kind = next((kind for kind, words in SPOKEN if words.search(sentence)), None)
    if kind is None:
        return []
    days = [_meant(day, today) for day in read_dates(sentence)[1] if day.first == day.last]
    return [
        Dated(kind, f"{day} is {n} days before {today}", n)
        for day in days
        if day and (n := (today - day).days) >= 0
    ]


def _meant(day: Day, today: date) -> date | None:
    """The day itself; without a year, the last such day up to today."""
    if not day.any_year:
        return day.first
    for year in (today.year, today.year - 1):
        try:
            candidate = day.first.replace(year=year)
        except ValueError:  # 29 February of a common year
            continue
        if candidate <= today:
            return candidate
    return None
