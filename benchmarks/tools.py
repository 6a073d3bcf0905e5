"""Tools, report and grounding: how fast, and how many planted errors are found: `python benchmarks/tools.py
[ROOT] [--show] [--until DAY] [--reports N] [--of NAMES]`.

ROOT is a project root with the demo's store; of another, DAY is the last that reports are of, and NAMES,
divided by commas, are whom they are about. Speeds:
medians of RUNS runs after one warm-up. Planted errors: REPORTS reports of varied companies, days and
questions; in each, one error of every kind, one at a time, at a random place where it can stand. An error
counts as found if the report then has a flaw that it had not before; a false alarm is any flaw in a report
as written.
"""

import argparse
import dataclasses
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np

from finground.agent.plan import plan as make_plan
from finground.agent.rules import RulesAgent
from finground.answer import World, analyse, read
from finground.core.errors import FingroundError
from finground.core.paths import Root
from finground.quant import toolbox
from finground.quant.subject import Board
from finground.records.bundle import Bundle, Fact, Passage, Series
from finground.records.report import Report
from finground.report.brief import Brief
from finground.report.grounding import check
from finground.report.template import TemplateWriter
from finground.roles import open_world
from finground.settings import load

RUNS = 9
REPORTS = 200
LAST = date(2025, 6, 30)
AS_OF = datetime(2024, 6, 28, 23, 59, 59, tzinfo=UTC)
METRICS = (
    "total-revenue", "net-income", "operating-income", "earnings-per-share", "operating-cash-flow",
    "current-assets", "current-liabilities", "total-liabilities", "total-assets", "shareholders-equity",
    "cost-of-revenue", "research-and-development",
)  # fmt: skip
ASKED = (
    "net income",
    "total revenue",
    "operating income",
    "earnings per share",
    "total assets",
    "current ratio",
)
QUESTIONS = (
    "Please analyze {0}.",
    "Please analyze {0}.",
    "Please analyze {0} and {1}.",
    "What was the {metric} of {0} in the last quarter?",
    "Compare the {metric} of {0} and {1} in the last quarter.",
    "Was {0}'s {metric} higher than {1}'s in the last quarter?",
    "Did the {metric} of {0} increase in the last quarter?",
    "Which 5 companies had the highest {metric} in the last quarter?",
)


# speed ------------------------------------------------------------------------------------------------
def company(number: int, sessions: int, rng: random.Random) -> tuple[list[Series], list[Fact], list[Passage]]:
    """A made-up company: bars, flows, twelve quarters and news."""
    id, noise = f"us:T{number:03}", np.random.default_rng(number)
    close = 50 * np.exp(np.cumsum(noise.normal(0, 0.015, sessions)))
    spread = np.abs(noise.normal(0, 0.01, (2, sessions)))
    opened = close * np.exp(noise.normal(0, 0.005, sessions))
    high, low = np.maximum(opened, close) * (1 + spread[0]), np.minimum(opened, close) * (1 - spread[1])
    volume = noise.uniform(1e5, 1e6, sessions)
    days = np.busday_offset("2024-06-28", np.arange(-sessions + 1, 1)).astype("datetime64[s]") + 72000
    bars = dict(
        zip(
            ("open", "high", "low", "close", "adj_close", "volume"),
            (opened, high, low, close, close, volume),
            strict=True,
        )
    )
    flows = {
        "large_order_buy_shares": volume * 0.2, "large_order_sell_shares": volume * 0.19,
        "float_shares": np.full(sessions, 1e8), "margin_balance": close * 1e6,
        "institutional_share": np.linspace(0.5, 0.6, sessions), "control_level": np.full(sessions, 0.5),
    }  # fmt: skip
    series = [
        Series(f"{id}/{kind}", id, tuple(columns), days, tuple(columns.values()), "USD", "synthetic")
        for kind, columns in (("bars", bars), ("flows", flows))
    ]
    news = [
        Passage(
            f"n{number}/{at}",
            AS_OF - timedelta(days=at),
            "wire",
            f"T{number:03} cuts forecast {at}",
            "",
            "",
            (f"T{number:03}",),
            0.5,
        )
        for at in range(10)
    ]
    return series, list(figures(id, rng)), news


def figures(id: str, rng: random.Random) -> Iterator[Fact]:
    """Twelve quarters of every metric the tools read."""
    for at in range(12):
        end = date(2024, 3, 31) - timedelta(days=91 * at)
        filed = datetime(end.year, end.month, end.day, tzinfo=UTC) + timedelta(days=35)
        for metric in (*METRICS, "shares-outstanding"):
            unit = (
                "shares"
                if metric == "shares-outstanding"
                else "per-share"
                if "per-share" in metric
                else "currency"
            )
            value = rng.uniform(1e8, 2e8) if unit != "per-share" else rng.uniform(0.5, 2)
            start = end - timedelta(days=90) if unit != "shares" else None
            yield Fact(f"{id}/{metric}/{end}", id, metric, value, unit, None if unit == "shares" else "USD",
                       start, end, filed, filed, "synthetic")  # fmt: skip


def bundle_of(count: int, sessions: int) -> Bundle:
    rng = random.Random(1)
    made = [company(number, sessions, rng) for number in range(count)]
    parts = [tuple(row for one in made for row in one[part]) for part in range(3)]
    return Bundle(AS_OF, parts[1], parts[0], parts[2], synthetic=True)


def seconds(work: Callable[[], object], runs: int = RUNS) -> list[float]:
    """Seconds of each run, sorted, after one warm-up."""
    work()
    found = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return sorted(found)


def told(name: str, found: list[float], target: str) -> None:
    middle, least, most = (1000 * value for value in (statistics.median(found), found[0], found[-1]))
    print(f"{name:48} median {middle:9.1f} ms   {least:.1f} … {most:.1f}"
          f"   n={len(found)}   target {target}")  # fmt: skip


def speed_of_tools() -> None:
    """Six tools for one company over three years, and for every one of 500 among all the others."""
    one = bundle_of(1, 756)
    tickers = {f"us:T{number:03}": (f"T{number:03}",) for number in range(500)}
    told(
        "six tools, one company, 756 sessions",
        seconds(lambda: toolbox.run(toolbox.TOOLS, "us:T000", one, {}, tickers)),
        "30 ms",
    )
    many = bundle_of(500, 260)

    def section() -> None:
        board = Board(many)
        for id in board.companies:
            toolbox.run(toolbox.TOOLS, id, board, {}, tickers)

    told("six tools, cross-section of 500 companies", seconds(section, 3), "5,000 ms")


# planted errors -----------------------------------------------------------------------------------------
Plant = Callable[[str, random.Random, Brief], str | None]
FIGURE = re.compile(r"(?<![\w-])\d[\d,]*(?:\.\d+)?(?![\w-])")
DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
UNITS = {
    "million": "billion",
    "USD": "EUR",
    "%": " percentage points",
    "shares": "USD",
    "percentage points": "%",
}
TURNS = (
    ("up", "down"), ("rose", "fell"), ("higher", "lower"), ("above", "below"), ("bullish", "bearish"),
    ("golden", "death"), ("inflow", "outflow"), ("flowing in", "flowing out"), ("ahead of", "behind"),
    ("strengthening", "weakening"), ("highest first", "lowest first"), ("favourable", "unfavourable"),
    ("Yes. ", "No. "), ("better than", "worse than"),
)  # fmt: skip


def at_random(
    pattern: re.Pattern[str], text: str, rng: random.Random, change: Callable[[str], str]
) -> str | None:
    places = [found for found in pattern.finditer(text) if change(found[0]) != found[0]]
    if not places:
        return None
    found = rng.choice(places)
    return text[: found.start()] + change(found[0]) + text[found.end() :]


def digit(text: str, rng: random.Random, brief: Brief) -> str | None:  # noqa: ARG001
    """One digit of a figure, dates apart."""
    dates = [range(found.start(), found.end()) for found in DAY.finditer(text)]
    places = [
        at for found in FIGURE.finditer(text) if not any(found.start() in day for day in dates)
        for at in range(found.start(), found.end()) if text[at].isdigit()
    ]  # fmt: skip
    if not places:
        return None
    at = rng.choice(places)
    return text[:at] + rng.choice([d for d in "123456789" if d != text[at]]) + text[at + 1 :]


def unit(text: str, rng: random.Random, brief: Brief) -> str | None:  # noqa: ARG001
    """The unit or scale of a figure."""
    pattern = re.compile(
        r"(?<=\d)%|(?<=\d )(?:million|percentage points|USD|shares)\b|(?<=million )(?:USD|shares)\b"
    )
    return at_random(pattern, text, rng, lambda found: UNITS[found])


def sign(text: str, rng: random.Random, brief: Brief) -> str | None:  # noqa: ARG001
    """A minus added or taken away; at figures that are no parameter."""
    pattern = re.compile(r"(?<=[ (])-?\d[\d,]*(?:\.\d+| million)(?=[\s,.;:)%])")
    return at_random(pattern, text, rng, lambda found: found[1:] if found[0] == "-" else f"-{found}")


def day(text: str, rng: random.Random, brief: Brief) -> str | None:  # noqa: ARG001
    """Another day: a few days, a month or a year off."""
    by = timedelta(days=rng.choice((1, -1, 2, -3, 7, -10, 30, -30, 90, 365, -365)))
    return at_random(DAY, text, rng, lambda found: f"{date.fromisoformat(found) + by}")


def ticker(text: str, rng: random.Random, brief: Brief) -> str | None:
    """Another company's ticker beside a name, or another company's name."""
    companies = [company for company in brief.catalog.companies.all if company.ticker]
    pattern = re.compile(r"(?<=\()[A-Z]{1,5}(?=\))")
    if pattern.search(text):
        other = rng.choice(companies).ticker
        return at_random(pattern, text, rng, lambda found: other if other != found else found)
    names = [name for name in brief.names.values() if name in text]
    if not names:
        return None
    name, other = rng.choice(names), rng.choice(companies).name
    return None if other in (name, *brief.names.values()) else text.replace(name, other, 1)


def direction(text: str, rng: random.Random, brief: Brief) -> str | None:  # noqa: ARG001
    """A word turned round."""
    turn = {word: other for pair in TURNS for word, other in (pair, pair[::-1])}
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(turn, key=len, reverse=True)))})(?!\w)")
    return at_random(pattern, text, rng, lambda found: turn[found])


PLANTS: dict[str, Plant] = {
    "digit": digit,
    "unit": unit,
    "sign": sign,
    "date": day,
    "ticker": ticker,
    "direction": direction,
}


def briefs(world: World, rng: random.Random, last: date = LAST, of: Sequence[str] = ()) -> Iterator[Brief]:
    """Varied questions about companies with data, on varied days."""
    agent = RulesAgent(world.catalog)
    while True:
        day = last - timedelta(days=rng.randrange(0, 420))
        as_of = datetime(day.year, day.month, day.day, 23, 59, 59, tzinfo=UTC)
        known = of or [world.catalog.companies.by_id(id).name for id in sorted(world.store.covered(as_of))]
        query = rng.choice(QUESTIONS).format(*rng.sample(known, 2), metric=rng.choice(ASKED))
        profile = rng.choice(
            (
                None,
                None,
                {"risk": rng.choice(("low", "medium", "high")), "horizon": rng.choice(("short", "long"))},
            )
        )
        try:
            request = agent.request(query, as_of)
        except FingroundError:
            continue
        plan = make_plan(query, request, world.catalog)
        bundle = read(query, request, plan, as_of=as_of, world=world)
        findings, bundle = analyse(request, plan, bundle, world.catalog)
        yield Brief(query, plan, request, bundle, findings, world.catalog, profile)


def planted(report: Report, brief: Brief, plant: Plant, rng: random.Random) -> tuple[Report, str] | None:
    """The report with one error in one of its sections, and the text around it."""
    places = list(range(len(report.sections)))
    rng.shuffle(places)
    for at in places:
        text = report.sections[at].text
        wrong = plant(text, rng, brief)
        if wrong is not None and wrong != text and report.sections[at].name not in ("news", "synthetic"):
            changed = dataclasses.replace(report.sections[at], text=wrong)
            first = next((i for i, (a, b) in enumerate(zip(text, wrong, strict=False)) if a != b), 0)
            around = f"{text[max(0, first - 60) : first + 30]!r} → {wrong[max(0, first - 60) : first + 30]!r}"
            return dataclasses.replace(
                report, sections=(*report.sections[:at], changed, *report.sections[at + 1 :])
            ), around
    return None


def errors(world: World, *, show: bool, last: date, reports: int, of: Sequence[str] = ()) -> None:
    """Found errors by kind, false alarms, and the time that writing and grounding take."""
    rng = random.Random(7)
    found, tried, alarms, kinds = Counter[str](), Counter[str](), 0, Counter[str]()
    writing: list[float] = []
    working: list[float] = []
    words: list[int] = []
    for number, brief in zip(range(reports), briefs(world, rng, last, of), strict=False):
        writer = TemplateWriter(compact=number % 4 == 3)
        began, worked = time.perf_counter(), time.process_time()
        report = check(writer.write(brief), brief)
        if brief.plan.kind == "analysis" and len(brief.companies) == 1 and not writer.compact:
            writing.append(time.perf_counter() - began)
            working.append(time.process_time() - worked)
            words.append(len(report.text.split()))
        kinds[brief.request.kind] += 1
        alarms += bool(report.ungrounded)
        if show and report.ungrounded:
            print("false alarm", brief.query, report.ungrounded[:3])
        for kind, plant in PLANTS.items():
            made = planted(report, brief, plant, rng)
            if made is None:
                continue
            tried[kind] += 1
            hit = len(check(made[0], brief).ungrounded) > len(report.ungrounded)
            found[kind] += hit
            if show and not hit:
                print("missed", kind, made[1])
    told("report and grounding, one company in full", sorted(writing), "20 ms")
    told("the same in processor time", sorted(working), "20 ms")
    print(f"words of a full report: {min(words)} … {max(words)}, median {statistics.median(words):.0f}")
    print(f"{reports} reports: {', '.join(f'{count} {kind}' for kind, count in kinds.most_common())}")
    for kind in PLANTS:
        print(
            f"planted {kind:10} found {found[kind]} of {tried[kind]} "
            f"({100 * found[kind] / max(tried[kind], 1):.1f}%)"
        )
    total, all_tried = sum(found.values()), sum(tried.values())
    print(f"planted in all     found {total} of {all_tried} ({100 * total / all_tried:.2f}%)   target 99%")
    print(f"false alarms       {alarms} of {reports} reports ({100 * alarms / reports:.1f}%)   target 1%")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path, nargs="?", default=Path("runs/demo"))
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--until", type=date.fromisoformat, default=LAST)
    parser.add_argument("--reports", type=int, default=REPORTS)
    parser.add_argument("--of", type=lambda names: names.split(","), default=())
    asked = parser.parse_args()
    root = Root(asked.root)
    speed_of_tools()
    with open_world(root.live, load(root.params)) as world:
        errors(world, show=asked.show, last=asked.until, reports=asked.reports, of=asked.of)


if __name__ == "__main__":
    main()
