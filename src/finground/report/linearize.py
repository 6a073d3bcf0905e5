"""The Bundle as text, the context c of FinBloom's enriched query (c, x): a table of figures, what is missing,
prices, news.

Under a budget of tokens the first lines of each kind that fit are kept, figures before gaps, prices and news,
and the last line says what was left out.
"""

from collections.abc import Callable, Sequence

from finground.catalog.catalog import Catalog
from finground.records.bundle import Bundle, Fact, Gap, Passage, Series
from finground.report.figures import figure, period

HEAD = "Company | Metric | Value | Period | Filed | Source"
CHARACTERS = 3  # of a token, for want of a tokenizer; of figures and names it is about three
RESERVED = 32  # tokens for the line that says what was left out


def estimate(text: str) -> int:
    """About how many tokens a text has."""
    return -(-len(text) // CHARACTERS)


def linearize(
    bundle: Bundle, catalog: Catalog, *, budget: int | None = None, count: Callable[[str], int] = estimate
) -> str:
    """All that was read, each value with its unit, period and filing date; news quoted; what is not there
    named; in at most `budget` tokens, as `count` counts them.
    """
    names = {company.id: company.name for company in catalog.companies.all}
    metrics = {metric.slug: metric.name for metric in catalog.metrics.all}
    prices = [text for series in bundle.series if (text := _prices(series, names))]
    parts: dict[str, Sequence[str]] = {
        "figures": [_row(fact, names, metrics) for fact in _by_metric(bundle.facts)],
        "gaps": [_gap(gap, names) for gap in bundle.gaps],
        "price series": prices,
        "headlines": [_news(item) for item in bundle.passages],
    }
    lines = ["The data are synthetic."] if bundle.synthetic else []
    lines += [HEAD] if bundle.facts else []
    if budget is None:
        return "\n".join([*lines, *(line for part in parts.values() for line in part)])
    return "\n".join(_fitted(lines, parts, budget - RESERVED, count))


def _fitted(
    lines: list[str], parts: dict[str, Sequence[str]], room: int, count: Callable[[str], int]
) -> list[str]:
    """The lines of each part while there is room, and what is left out."""
    kept, left = list(lines), dict[str, int]()
    room -= sum(count(line) + 1 for line in lines)
    for name, part in parts.items():
        for at, line in enumerate(part):
            room -= count(line) + 1
            if room < 0:
                room += count(line) + 1
                left[name] = len(part) - at
                break
            kept.append(line)
    if left:
        kept.append(f"Left out for length: {', '.join(f'{n} {name}' for name, n in left.items())}.")
    return kept


def _by_metric(facts: Sequence[Fact]) -> list[Fact]:
    """Facts of one metric together, in the order the metrics first come."""
    order = list(dict.fromkeys(fact.metric for fact in facts))
    return sorted(facts, key=lambda fact: order.index(fact.metric))


def _row(fact: Fact, names: dict[str, str], metrics: dict[str, str]) -> str:
    cells = (
        names.get(fact.entity, fact.entity), metrics.get(fact.metric, fact.metric), figure(fact),
        period(fact), f"{fact.filed_at.date()}", fact.source,
    )  # fmt: skip
    return " | ".join(cells)


def _gap(gap: Gap, names: dict[str, str]) -> str:
    near = f"; the last one known is {figure(gap.nearest)} ({period(gap.nearest)})" if gap.nearest else ""
    return f"No {gap.what} of {names.get(gap.entity, gap.entity)}: {gap.why}{near}"


def _news(item: Passage) -> str:
    return f'News {item.published_at.date()} {item.source}: "{" ".join(item.headline.split())}"'


def _prices(series: Series, names: dict[str, str]) -> str:
    """First and last close of a price series, as quoted."""
    close = series.column("close")
    if close is None or not len(close):
        return ""
    days = series.times.astype("datetime64[D]")
    currency = f" {series.currency}" if series.currency else ""
    name = names.get(series.entity, series.entity)
    first, last = f"{close[0]:.2f}{currency} on {days[0]}", f"{close[-1]:.2f}{currency} on {days[-1]}"
    return f"Close of {name}: {first}, {last} ({series.source})"
