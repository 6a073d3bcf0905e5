"""A data answer: the table, one sentence per comparison asked for, and every gap with the nearest figure
shown as such.
"""

import re

from finground.records.bundle import Fact, Gap, Passage
from finground.records.report import Section
from finground.report.brief import Brief
from finground.report.figures import figure, period
from finground.report.prose import capital, either, listed
from finground.report.rows import (
    FELL,
    ROSE,
    Row,
    asks_for_change,
    asks_why,
    asks_yes_or_no,
    filed_on,
    rows,
    same_season,
)

MARKET, GROWTH = "market", "stock-price-growth"
EDITION = re.compile(r"^[A-Z]{3,}[A-Z ]*\d*\s*-\s*")  # "UPDATE 2-"
HEAD = ("Entity", "Metric", "Period", "Value", "Filed", "Source")
MORE = re.compile(
    r"\b(higher|greater|more|larger|bigger|better|above|exceed\w*|outperform\w*|beat\w*)\b", re.I
)
LESS = re.compile(r"\b(lower|less|smaller|fewer|worse|below|underperform\w*)\b", re.I)
PROFIT, LOSS = (
    re.compile(r"\bprofit(?:able|ability)?\b", re.I),
    re.compile(r"\b(?:a|at a|making) loss|los(?:t|ing) money\b", re.I),
)
ADVICE = re.compile(r"\b(invest|buy|sell|hold|worth)\w*\b", re.I)


def data_answer(brief: Brief) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """Sections, and what is missing."""
    found = table(brief)
    lacking, missing = gaps(brief)
    sections = [section for section in (found, comparisons(brief), news(brief)) if section.text]
    if not rows(brief) and not missing:
        missing = ("figures",)
        sections.append(Section("nothing", "Nothing that was asked for is in the data."))
    if ADVICE.search(brief.query):
        sections.append(Section("scope", "The figures are given without a trading recommendation."))
    return (*sections, *lacking), missing


def table(brief: Brief) -> Section:
    """Every value asked for, with unit, period, filing date and source, in aligned columns."""
    found = rows(brief)
    if not found:
        return Section("table", "")
    cells = [HEAD, *(_cells(row, brief) for row in found)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(HEAD))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]
    return Section("table", "\n".join(lines), tuple(dict.fromkeys(row.fact.id for row in found)))


def _cells(row: Row, brief: Brief) -> tuple[str, ...]:
    fact = row.fact
    name = brief.names.get(row.entity, row.entity)
    return name, brief.metric(fact.metric), row.period, row.shown, f"{filed_on(row)}", fact.source


def comparisons(brief: Brief) -> Section:
    """One sentence a primary metric: entities against each other, or a company against its own past; of the
    metrics read beside it too where the question asks why, and of changes of prices that are compared.
    """
    sentences: list[str] = []
    used: list[str] = []
    every, behind = rows(brief), asks_why(brief.query)
    for metric in brief.request.metrics:
        if not (metric.primary or behind or (metric.slug == GROWTH and len(brief.companies) > 1)):
            continue
        found = [row for row in every if row.fact.metric == metric.slug]
        entities = list(dict.fromkeys(row.entity for row in found))
        newest = [next(row for row in found if row.entity == entity) for entity in entities]
        past = [row for row in found if row.entity == entities[0]] if len(entities) == 1 else []
        said = (
            _against_others(brief, newest)
            if len(newest) > 1 or (newest and brief.request.rank)
            else _against_past(brief, past)
            if len(past) > 1
            else ""
        )
        if not said and len(past) == 1 and metric.primary:
            said = _alone(brief, past[0])
        if said:
            sentences.append(said)
            used += [row.fact.id for row in (past or newest)]
    return Section("comparison", "\n".join(sentences), tuple(dict.fromkeys(used)))


def _alone(brief: Brief, row: Row) -> str:
    """A single figure in a sentence; over the prices of an interval also how it went."""
    metric, name = brief.metric(row.fact.metric), brief.names.get(row.entity, row.entity)
    if row.fact.metric == GROWTH:
        return _grew(brief, row)
    if asks_for_change(brief.query, brief.request):
        return (
            _over_sessions(brief, row)
            or f"Whether {metric} rose or fell cannot be said: one period is known."
        )
    sign = ""
    if asks_yes_or_no(brief.query, brief.request) and row.fact.metric in ("net-income", "net-profit-margin"):
        wanted = 1 if PROFIT.search(brief.query) else -1 if LOSS.search(brief.query) else 0
        sign = ("Yes. " if row.value * wanted > 0 else "No. ") if wanted and row.value else ""
    return f"{sign}{metric} of {name} is {row.shown} ({row.period})."


def _grew(brief: Brief, row: Row) -> str:
    """A growth asked about: yes or no by its sign."""
    metric, name = brief.metric(row.fact.metric), brief.names.get(row.entity, row.entity)
    rose, fell = bool(ROSE.search(brief.query)), bool(FELL.search(brief.query))
    closed = asks_yes_or_no(brief.query, brief.request) and rose != fell
    yes = ("Yes. " if (row.value > 0) == rose and row.value else "No. ") if closed else ""
    return f"{yes}{metric} of {name} is {row.shown} ({row.period})."


def _over_sessions(brief: Brief, row: Row) -> str:
    """How the quoted price went from the first session read to the last."""
    series = next(
        (one for one in brief.bundle.series if one.entity == row.entity and "close" in one.names), None
    )
    close = None if series is None or row.fact.metric != "stock-price" else series.column("close")
    if series is None or close is None or len(close) < 2:
        return ""
    first, last = float(close[0]), float(close[-1])
    word = "rose" if last > first else "fell" if last < first else "did not change"
    rose, fell = bool(ROSE.search(brief.query)), bool(FELL.search(brief.query))
    yes = (word == "rose") == rose and last != first
    closed = asks_yes_or_no(brief.query, brief.request) and rose != fell
    days, name = series.times.astype("datetime64[D]"), brief.names.get(row.entity, row.entity)
    unit = f" {series.currency}" if series.currency else ""
    return (
        f"{('Yes. ' if yes else 'No. ') if closed else ''}{brief.metric('stock-price')} of {name} {word} "
        f"from {first:.2f}{unit} ({days[0]}) to {last:.2f}{unit} ({days[-1]})."
    )


def verdict(brief: Brief) -> str:
    """Yes or No where the figures answer the question so; else nothing."""
    said = re.match(r"(?:Yes|No)\b", comparisons(brief).text)
    return said[0] if said else ""


def _against_others(brief: Brief, newest: list[Row]) -> str:
    """The entities in order of the metric; values of different currencies are not compared (law 3)."""
    metric = brief.metric(newest[0].fact.metric)
    units = {row.measure for row in newest}
    if len(units) > 1:
        kinds = ", ".join(sorted({row.fact.currency or row.fact.unit for row in newest}))
        return f"{metric} is not compared: the values are in {kinds}."
    rank = brief.request.rank
    ordered = sorted(newest, key=lambda row: row.value, reverse=rank.descending if rank else True)
    names = brief.names
    if rank or len(ordered) > 2:
        shown = ordered[: rank.n] if rank else ordered
        order = "lowest" if rank and not rank.descending else "highest"
        few = " among those that have figures" if rank and len(ordered) < rank.n else ""
        order_of = "; ".join(f"{names.get(row.entity, row.entity)} ({row.shown})" for row in shown)
        return f"{metric}, {order} first{few}: {order_of}."
    high, low = ordered
    word = "equal to" if high.value == low.value else "higher than"
    sentence = (
        f"{metric} of {names.get(high.entity, high.entity)} ({high.shown}, {high.period}) is {word} that of "
        f"{names.get(low.entity, low.entity)} ({low.shown}, {low.period})."
    )
    primary = {one.slug for one in brief.request.metrics if one.primary}
    return f"{_yes_or_no(brief, newest, high) if newest[0].fact.metric in primary else ''}{sentence}"


def _yes_or_no(brief: Brief, newest: list[Row], high: Row) -> str:
    """Yes or no to "is A's … higher than B's", where the question says which way and A is named first."""
    if not asks_yes_or_no(brief.query, brief.request) or newest[0].value == newest[1].value:
        return ""
    more, less = MORE.search(brief.query), LESS.search(brief.query)
    if bool(more) == bool(less):
        return ""
    return "Yes. " if (newest[0] is high) == bool(more) else "No. "


def _against_past(brief: Brief, found: list[Row]) -> str:
    """The newest value of one company against the oldest of the same season, or the oldest there is."""
    now, then = (
        found[0],
        next((row for row in reversed(found[1:]) if same_season(row.fact, found[0].fact)), found[-1]),
    )
    if now.measure != then.measure:
        return ""
    word = "rose" if now.value > then.value else "fell" if now.value < then.value else "did not change"
    name = brief.names.get(now.entity, now.entity)
    answer = ""
    rose, fell = ROSE.search(brief.query), FELL.search(brief.query)
    if asks_yes_or_no(brief.query, brief.request) and bool(rose) != bool(fell):
        answer = "Yes. " if (word == "rose") == bool(rose) and word != "did not change" else "No. "
    return (
        f"{answer}{brief.metric(now.fact.metric)} of {name} {word} from {then.shown} ({then.period}) "
        f"to {now.shown} ({now.period})."
    )


def news(brief: Brief, most: int = 3) -> Section:
    """The passages nearest to the question that name a company of the table, quoted; none to a ranking."""
    found = {row.entity for row in rows(brief)}
    told = {brief.ticker(id) for id in found}
    marks = [name.split()[0].rstrip(",.").lower() for id in found if (name := brief.names.get(id))]
    about = (
        row
        for row in brief.bundle.passages
        if brief.request.rank is None
        and (not told or told & set(row.tickers))
        and (not marks or any(mark in row.headline.lower() for mark in marks))
    )
    best = _unlike(sorted(about, key=lambda row: (-row.score, row.id)))[:most]
    lines = [
        f'{row.published_at.date()}, {row.source}: "{" ".join(row.headline.split())}"'
        for row in best
        if row.headline
    ]
    return Section("news", "\n".join(["News:", *lines]) if lines else "", tuple(row.id for row in best))


def _unlike(passages: list[Passage]) -> list[Passage]:
    """Of editions of one headline the first."""
    told = {EDITION.sub("", row.headline).lower(): row for row in reversed(passages)}
    return [row for row in passages if told[EDITION.sub("", row.headline).lower()] is row]


def gaps(brief: Brief) -> tuple[list[Section], tuple[str, ...]]:
    """Each gap in a sentence; the nearest figure is shown as what it is, never in the place of what was
    asked.
    """
    sentences = _gap_sentences(brief)
    if not sentences:
        return [], ()
    nearest = tuple(gap.nearest.id for gap in brief.bundle.gaps if gap.nearest)
    missing = tuple(dict.fromkeys((*(gap.what for gap in brief.bundle.gaps), *brief.request.unresolved)))
    return [Section("gaps", "\n".join(sentences), nearest)], missing


def _gap_sentences(brief: Brief) -> list[str]:
    """What is missing for one reason in a sentence, of all companies that lack the same."""
    lacking: dict[tuple[str, str], list[str]] = {}
    near = []
    for gap in brief.bundle.gaps:
        if gap.nearest is None:
            lacking.setdefault((gap.entity, gap.why.rstrip(".")), []).append(_what(brief, gap))
        else:
            near.append(_near(brief, gap, gap.nearest))
    alike: dict[tuple[str, str], list[str]] = {}
    for (entity, why), whats in lacking.items():
        text = either(list(dict.fromkeys(whats)))
        alike.setdefault((f"{text}: " if entity == MARKET else f"no {text}; ", why), []).append(entity)
    bare = [
        f"{capital(text)}{why}." if entities == [MARKET]
        else f"{listed([brief.names.get(id, id) for id in entities])}: {text}{why}."
        for (text, why), entities in alike.items()
    ]  # fmt: skip
    return list(dict.fromkeys([*bare, *near]))


def _what(brief: Brief, gap: Gap) -> str:
    known = {metric.slug for metric in brief.catalog.metrics.all}
    return brief.metric(gap.what) if gap.what in known else gap.what


def _near(brief: Brief, gap: Gap, near: Fact) -> str:
    """A gap with the nearest figure; what the table has of the same is said to be a part."""
    name, what, why = brief.names.get(gap.entity, gap.entity), _what(brief, gap), gap.why.rstrip(".")
    if any(row.fact.id == near.id for row in rows(brief)):
        return f"{name}: a part of {what} is missing; {why}."
    value = f"{brief.metric(near.metric)} of {figure(near)} for {period(near)}"
    return (
        f"{name}: no {what}; {why}. Nearest on file: {value}, filed {near.filed_at.date()} ({near.source})."
    )
