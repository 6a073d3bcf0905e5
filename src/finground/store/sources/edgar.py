"""EDGAR company facts: the figures of a company as it filed them, of the tags that metrics name.

`fy` and `fp` describe the filing, not the fact, so a period is told by its dates alone. Of a filing only the
day is known: its figures count as known from the end of that day, UTC.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Any

from finground.catalog.metrics import Metric, Metrics
from finground.core.errors import InputError
from finground.store import schema
from finground.store.sources.known import Known, company_id, json_of
from finground.store.sources.rows import Aside, Batch, Read
from finground.store.sources.tables import FORMER

TAXONOMIES = ("us-gaap", "dei")


def company_facts(path: Path, known: Known, metrics: Metrics) -> Iterator[Read]:
    """Figures of one company in the currency it mostly reports in.

    Raises:
        InputError: if the file is damaged, or not company facts.
    """
    data = json_of(path)
    if not isinstance(data, dict) or not {"cik", "facts"} <= data.keys():
        raise InputError(f"{path}: no 'cik' and 'facts' in it; EDGAR's company facts have both")
    if not str(data["cik"]).isdigit():
        raise InputError(f"{path}: 'cik' is {data['cik']!r}; it should be a number")
    company = company_id(int(data["cik"]))
    if company not in known.names:
        yield known.company(
            company, str(data.get("entityName", company)), FORMER, known.source("EDGAR company facts")
        )
    rows: list[dict[str, Any]] = []
    for read in _figures(data["facts"], metrics, path, {"company": company, "source": known.source("EDGAR")}):
        if isinstance(read, Aside):
            yield read
        else:
            rows.append(read)
    currencies = Counter(row["currency"] for row in rows if row["currency"])
    main = max(currencies, key=lambda name: (currencies[name], name), default=None)
    for row in rows:
        if row["currency"] not in (None, main):
            yield Aside(
                _place(row), f"in {row['currency']}; the company mostly reports in {main}", str(row["value"])
            )
    yield Batch(schema.metric_values, [row for row in rows if row["currency"] in (None, main)])


def _figures(
    facts: Mapping[str, Any], metrics: Metrics, path: Path, of: Mapping[str, Any]
) -> Iterator[dict[str, Any] | Aside]:
    for metric in metrics.all:
        for preference, tag in enumerate(metric.tags):
            for unit, rows in _reported(facts, tag):
                currency = _currency(metric, unit)
                if currency is None:
                    continue
                same = {**of, "metric": metric.slug, "tag": tag, "preference": preference, "scale": 1.0}
                same |= {"unit": metric.unit, "currency": currency or None}
                for row in rows:
                    try:
                        yield _figure(row, metric, same)
                    except (KeyError, TypeError, ValueError) as error:
                        why = f"{error!r}; a fact has val, end, filed, accn and form"
                        yield Aside(f"{tag} {unit} {row!r}", why, path.name)


def _reported(facts: Mapping[str, Any], tag: str) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """All that was reported under a tag, by unit."""
    for taxonomy in TAXONOMIES:
        yield from facts.get(taxonomy, {}).get(tag, {}).get("units", {}).items()


def _figure(row: Mapping[str, Any], metric: Metric, same: Mapping[str, Any]) -> dict[str, Any]:
    """A row's period, value and filing, beside what is the same of all.

    Raises:
        KeyError, TypeError, ValueError: if something of it is missing or not what it should be.
    """
    end = _day(row["end"])
    if metric.instant == ("start" in row):
        raise ValueError(
            "a period where a day should stand" if metric.instant else "a day where a period should stand"
        )
    return {
        **same,
        "period_start": end if metric.instant else _day(row["start"]),
        "period_end": end,
        "filed_at": _known_from(row["filed"]),
        "value": float(row["val"]),
        "accession": str(row["accn"]),
        "form": str(row["form"]),
        "fiscal_year": row.get("fy"),
        "fiscal_period": row.get("fp"),
    }


_day = lru_cache(maxsize=20_000)(date.fromisoformat)  # the same days again and again


@lru_cache(maxsize=20_000)
def _known_from(day: str) -> int:
    """The end of the day of a filing, in seconds UTC."""
    return schema.seconds(datetime.combine(date.fromisoformat(day), time(23, 59, 59), UTC))


def _currency(metric: Metric, unit: str) -> str | None:
    """The currency of a unit, "" where it has none; None if the unit is not the metric's."""
    money = unit.split("/")[0]
    is_money = len(money) == 3 and money.isupper()
    if metric.unit == "currency":
        return unit if is_money and unit == money else None
    if metric.unit == "per-share":
        return money if is_money and unit.endswith("/shares") else None
    if metric.unit == "shares":
        return "" if unit == "shares" else None
    return "" if unit == "pure" else None


def _place(row: Mapping[str, Any]) -> str:
    keys = ("metric", "tag", "period_start", "period_end", "accession", "currency")
    return " ".join(str(row[key]) for key in keys)
