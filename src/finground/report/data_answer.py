"""A data answer: the table, one sentence per comparison asked for, and every gap with the nearest figure
shown as such.
"""

import re

from finground.records.bundle import Gap
from finground.records.report import Section
from finground.report.brief import Brief
from finground.report.figures import figure, period
from finground.report.rows import FELL, ROSE, Row, asks_for_change, asks_yes_or_no, filed_on, rows

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
    """One sentence a primary metric: entities against each other, or a company against its own past."""
    sentences: list[str] = []
    used: list[str] = []
    for slug in (metric.slug for metric in brief.request.metrics if metric.primary):
        found = [row for row in rows(brief) if row.fact.metric == slug]
        entities = list(dict.fromkeys(row.entity for row in found))
        newest = [next(row for row in found if row.entity == entity) for entity in entities]
        past = [row for row in found if row.entity == entities[0]] if len(entities) == 1 else []
        said = (
            _against_others(brief, newest)
            if len(newest) > 1
            else _against_past(brief, past)
            if len(past) > 1
            else ""
        )
        if not said and len(past) == 1:
            said = _alone(brief, past[0])
        if said:
            sentences.append(said)
            used += [row.fact.id for row in (past or newest)]
    return Section("comparison", "\n".join(sentences), tuple(dict.fromkeys(used)))


def _alone(brief: Brief, row: Row) -> str:
    """A single figure in a sentence; over the prices of an interval also how it went."""
    metric, name = brief.metric(row.fact.metric), brief.names.get(row.entity, row.entity)
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
    yes = (word == "rose") == bool(ROSE.search(brief.query)) and last != first
    days, name = series.times.astype("datetime64[D]"), brief.names.get(row.entity, row.entity)
    unit = f" {series.currency}" if series.currency else ""
    return (
        f"{'Yes' if yes else 'No'}. {brief.metric('stock-price')} of {name} {word} "
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
        listed = ", ".join(sorted({row.fact.currency or row.fact.unit for row in newest}))
        return f"{metric} is not compared: the values are in {listed}."
    rank = brief.request.rank
    ordered = sorted(newest, key=lambda row: row.value, reverse=rank.descending if rank else True)
    names = brief.names
    if rank or len(ordered) > 2:
        shown = ordered[: rank.n] if rank else ordered
        order = "lowest" if rank and not rank.descending else "highest"
        listed = "; ".join(f"{names.get(row.entity, row.entity)} ({row.shown})" for row in shown)
        return f"{metric}, {order} first: {listed}."
    high, low = ordered
    word = "equal to" if high.value == low.value else "higher than"
    sentence = (
        f"{metric} of {names.get(high.entity, high.entity)} ({high.shown}, {high.period}) is {word} that of "
        f"{names.get(low.entity, low.entity)} ({low.shown}, {low.period})."
    )
    return f"{_yes_or_no(brief, newest, high)}{sentence}"


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
    now, then = found[0], next((row for row in reversed(found[1:]) if _same_season(row, found[0])), found[-1])
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


def _same_season(row: Row, now: Row) -> bool:
    """Whether a period ended whole years before, give or take 20 days: a quarter is compared with its own
    kind.
    """
    days = (now.fact.period_end - row.fact.period_end).days
    return days > 300 and min(days % 365.25, 365.25 - days % 365.25) <= 20


def news(brief: Brief, most: int = 3) -> Section:
    """The passages nearest to the question, quoted."""
    told = {brief.ticker(row.entity) for row in rows(brief)}
    about = (row for row in brief.bundle.passages if not told or told & set(row.tickers))
    best = sorted(about, key=lambda row: (-row.score, row.id))[:most]
    lines = [
        f'{row.published_at.date()}, {row.source}: "{" ".join(row.headline.split())}"'
        for row in best
        if row.headline
    ]
    return Section("news", "\n".join(["News:", *lines]) if lines else "", tuple(row.id for row in best))


def gaps(brief: Brief) -> tuple[list[Section], tuple[str, ...]]:
    """Each gap in a sentence; the nearest figure is shown as what it is, never in the place of what was
    asked.
    """
    sentences = [_gap(brief, gap) for gap in brief.bundle.gaps]
    if not sentences:
        return [], ()
    nearest = tuple(gap.nearest.id for gap in brief.bundle.gaps if gap.nearest)
    missing = tuple(dict.fromkeys((*(gap.what for gap in brief.bundle.gaps), *brief.request.unresolved)))
    return [Section("gaps", "\n".join(dict.fromkeys(sentences)), nearest)], missing


def _gap(brief: Brief, gap: Gap) -> str:
    name = brief.names.get(gap.entity, gap.entity)
    known = {metric.slug for metric in brief.catalog.metrics.all}
    what = brief.metric(gap.what) if gap.what in known else gap.what
    sentence = f"{name}: no {what}; {gap.why.rstrip('.')}."
    if gap.nearest is None:
        return sentence
    near = gap.nearest
    value = f"{brief.metric(near.metric)} of {figure(near)} for {period(near)}"
    return f"{sentence} Nearest on file: {value}, filed {near.filed_at.date()} ({near.source})."
