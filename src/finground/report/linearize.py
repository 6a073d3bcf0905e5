"""The Bundle as text, the context c of FinBloom's enriched query (c, x): figures by metric, prices, news,
gaps.
"""

from finground.catalog.catalog import Catalog
from finground.records.bundle import Bundle, Series
from finground.report.figures import figure, period


def linearize(bundle: Bundle, catalog: Catalog) -> str:
    """All that was read, each value with its unit, period and filing date; news quoted; what is not there
    named.
    """
    names = {company.id: company.name for company in catalog.companies.all}
    metrics = {metric.slug: metric.name for metric in catalog.metrics.all}
    lines: list[str] = ["The data are synthetic."] if bundle.synthetic else []
    for slug in dict.fromkeys(fact.metric for fact in bundle.facts):
        lines.append(f"{metrics.get(slug, slug)}:")
        for fact in bundle.facts:
            if fact.metric == slug:
                name = names.get(fact.entity, fact.entity)
                lines.append(
                    f"{name}: {figure(fact)} ({period(fact)}, filed {fact.filed_at.date()}, {fact.source})"
                )
    lines += [text for series in bundle.series if (text := _prices(series, names))]
    lines += [
        f'News {item.published_at.date()} {item.source}: "{" ".join(item.headline.split())}"'
        for item in bundle.passages
    ]
    for gap in bundle.gaps:
        nearest = (
            f"; the last one known is {figure(gap.nearest)} ({period(gap.nearest)})" if gap.nearest else ""
        )
        lines.append(f"No {gap.what} of {names.get(gap.entity, gap.entity)}: {gap.why}{nearest}")
    return "\n".join(lines)


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
