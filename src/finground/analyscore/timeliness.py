"""Is what a report gives fresh enough? Technical a month, capital flow and news 15 days, financials three
years (FinSphere, table 4): by the days in the report's sentences, and by the days of the findings it rests
on.
"""

import re
from datetime import date, timedelta

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


def stale(report: Report, brief: Brief) -> tuple[str, ...]:
    """What is older than its window, each in a sentence."""
    today = brief.bundle.as_of.date()
    old = [text for sentence in sentences(report.text) for text in _in_sentence(sentence, today)]
    used = set(report.rests_on)
    for finding in brief.findings:
        window = TOOLS.get(finding.tool)
        days = (today - finding.period_end).days
        if window and finding.id in used and days > WINDOWS[window]:
            old.append(f"{window}: {finding.name} is of {finding.period_end}, {days} days before {today}")
    return tuple(dict.fromkeys(old))


def _in_sentence(sentence: str, today: date) -> list[str]:
    """Days of a sentence that lie before the window of what it speaks of; only days, no months or years."""
    kind = next((kind for kind, words in SPOKEN if words.search(sentence)), None)
    if kind is None:
        return []
    days = [_meant(day, today) for day in read_dates(sentence)[1] if day.first == day.last]
    first = today - timedelta(days=WINDOWS[kind])
    return [
        f"{kind}: {day} is {(today - day).days} days before {today}" for day in days if day and day < first
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
