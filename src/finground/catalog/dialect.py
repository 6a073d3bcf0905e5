"""The three written forms of a request (DESIGN, section 5), each with its reader.

sdr       the paper's: `(Adobe Inc.; Adobe Inc. Peers) (Sales Revenue; Total Revenue) (1/9/2018 - 30/9/2018)`;
          carries entities, all metrics and the interval; which are primary is recovered from the catalogue.
required  the paper's "Required Data": `Companies: …`, `Metrics: M (Related Metrics: a, b)`, `Dates: phrase`;
          carries entities, all metrics with which are primary, and the phrase. Reading it needs `as_of`.
compact   ours: `(Adobe Inc.) (Sales Revenue) (201809) (top 5)`; carries entities, primary metrics, interval,
          rank.

No form carries the kind: it is told from what is there. A name the catalogue cannot resolve is written
`?"Foo"`, a name that could be read as something else in quotes, a company whose name is not its own by its
id.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache

from finground.catalog import dates, periods
from finground.catalog.brackets import Item, groups, items, quoted
from finground.catalog.catalog import MARKET, Catalog, company_entity, industry_entity, peers_entity
from finground.catalog.companies import Companies
from finground.catalog.primary import recovered
from finground.core.errors import CatalogError, DateError, RequestError
from finground.records.request import Entity, Interval, QuestionKind, Rank, Request, RequestedMetric

FORMS = ("sdr", "required", "compact")
RANK = re.compile(r"(top|bottom) (\d+)(?: by (.+))?")
SHORT = re.compile(r"(\d{4})(?:Q([1-4])|H([12])|(\d{2})(\d{2})?)?(?:-(\d{4})(\d{2})(\d{2}))?")
LINES = re.compile(r"^\s*(Companies|Metrics|Information|Dates)\s*:", re.M)
LABELS = re.compile(r"(?<!Related )\b(Companies|Metrics|Information|Dates)\s*:")
RELATED = re.compile(r"\(\s*Related (?:Metrics|Concepts)\s*:(.*)\)\s*$", re.S)


@dataclass(frozen=True, slots=True)
class Named:
    """The entities of a written request, and the names nobody knows."""

    entities: tuple[Entity, ...]
    unresolved: tuple[str, ...]


def write(request: Request, form: str, catalog: Catalog) -> str:
    """The request in that form, one of FORMS."""
    _check(form)
    who = "; ".join(
        [
            *(_entity(entity, catalog) for entity in request.entities),
            *(f"?{quoted(u)}" for u in request.unresolved),
        ]
    )
    if form == "required":
        return f"Companies: {who}\nMetrics: {_nested(request, catalog)}\nDates: {_phrase(request)}"
    if form == "sdr":
        what = "; ".join(catalog.metrics.by_slug(metric.slug).name for metric in request.metrics)
        return f"({who}) ({what}) ({dates.written(request.interval) if request.interval else ''})"
    what = "; ".join(
        catalog.metrics.by_slug(metric.slug).name for metric in request.metrics if metric.primary
    )
    rank = f" ({_ranked(request.rank, request, catalog)})" if request.rank else ""
    return f"({who}) ({what}) ({shortest(request.interval) if request.interval else ''}){rank}"


def read(text: str, form: str, catalog: Catalog, as_of: datetime) -> Request:
    """The request that a text in that form writes.

    Raises:
        RequestError: if it is not of the form, or names what the catalogue does not hold.
    """
    _check(form)
    try:
        if form == "required":
            return _read_required(text, catalog, as_of)
        return _read_groups(text, form, catalog, as_of)
    except (CatalogError, DateError) as error:
        raise RequestError(f"request {text!r}: {error}") from error


def kind_of(
    entities: tuple[Entity, ...], metrics: tuple[RequestedMetric, ...], rank: Rank | None
) -> QuestionKind:
    """The kind of a request of which only the parts are known."""
    kinds = {entity.kind for entity in entities}
    if rank is not None:
        return "ranking"
    if not metrics:
        return "analysis"
    if "peers" in kinds:
        return "peers"
    if "industry" in kinds:
        return "industry"
    if not entities:
        return "educational"
    return "comparative" if len(entities) > 1 else "open-ended"


@lru_cache(maxsize=4096)
def shortest(interval: Interval) -> str:
    """2018, 2018H2, 2018Q3, 201809, 20180915, or 20180901-20180915."""
    start, end = interval.start, interval.end
    named = {
        f"{start.year}": periods.year(start.year),
        f"{start.year}H{(start.month + 5) // 6}": periods.half(start.year, (start.month + 5) // 6),
        f"{start.year}Q{(start.month + 2) // 3}": periods.quarter(start.year, (start.month + 2) // 3),
        f"{start.year}{start.month:02}": periods.month(start.year, start.month),
        f"{start:%Y%m%d}": Interval(start, start),
    }
    return next((text for text, meant in named.items() if meant == interval), f"{start:%Y%m%d}-{end:%Y%m%d}")


def _check(form: str) -> None:
    if form not in FORMS:
        raise RequestError(f"{form!r} is not a form of requests; forms are {', '.join(FORMS)}")


def _entity(entity: Entity, catalog: Catalog) -> str:
    if entity.kind == "market":
        return MARKET.name
    if entity.kind == "industry":
        return f"{entity.id} Companies"
    name = _own_name(entity.id, catalog.companies)
    return name if entity.kind == "company" else f"{name} Peers"


@lru_cache(maxsize=65_536)
def _own_name(id: str, companies: Companies) -> str:
    """The company's name, in quotes if it looks like another form, or its id if the name is not its alone."""
    name = companies.by_id(id).name
    found = companies.lookup(name)
    if len(found) != 1 or found[0].id != id:
        return id
    safe = re.fullmatch(r"[^;\"?()]+(?:\([^;\"?()]*\)[^;\"?()]*)*", name) and name == " ".join(name.split())
    return name if safe and not re.search(r"(?:Peers|Companies)$", name, re.I) else quoted(name)


def _nested(request: Request, catalog: Catalog) -> str:
    nested: list[tuple[str, list[str]]] = []
    for metric in request.metrics:
        name = catalog.metrics.by_slug(metric.slug).name
        if metric.primary or not nested:
            nested.append((name, []))
        else:
            nested[-1][1].append(name)
    return "; ".join(
        f"{name} (Related Metrics: {', '.join(rest)})" if rest else name for name, rest in nested
    )


def _phrase(request: Request) -> str:
    if request.phrase or request.interval is None:
        return request.phrase
    return dates.written(request.interval)


def _ranked(rank: Rank, request: Request, catalog: Catalog) -> str:
    first = next((metric.slug for metric in request.metrics if metric.primary), None)
    by = "" if rank.by == first else f" by {catalog.metrics.by_slug(rank.by).name}"
    return f"{'top' if rank.descending else 'bottom'} {rank.n}{by}"


def _read_groups(text: str, form: str, catalog: Catalog, as_of: datetime) -> Request:
    parts = groups(text)
    most = 4 if form == "compact" else 3
    if not 3 <= len(parts) <= most:
        raise RequestError(f"request {text!r} has {len(parts)} groups; write (companies) (metrics) (dates)")
    named = _names(items(parts[0]), catalog, as_of)
    slugs = [catalog.metrics.resolve(item.text).slug for item in items(parts[1])]
    metrics = catalog.expand(slugs) if form == "compact" else recovered(slugs, catalog)
    when = parts[2].strip()
    interval = (_short(when) if form == "compact" else dates.parse(when, as_of)) if when else None
    rank = _read_rank(parts[3], metrics, catalog) if len(parts) == 4 else None
    kind = kind_of(named.entities, metrics, rank)
    return Request(kind, named.entities, metrics, interval, "", rank, named.unresolved)


def _read_required(text: str, catalog: Catalog, as_of: datetime) -> Request:
    cut = LINES.split(text)
    if len(cut) != 7:
        cut = LABELS.split(text)
    fields = dict(zip(cut[1::2], (part.strip() for part in cut[2::2]), strict=True))
    fields.setdefault("Metrics", fields.pop("Information", None) or "")
    if cut[0].strip() or "Companies" not in fields or "Dates" not in fields or len(cut) != 7:
        raise RequestError(f"request {text!r} should have three lines: Companies: …, Metrics: …, Dates: …")
    named = _names(items(fields["Companies"]), catalog, as_of)
    metrics: dict[str, bool] = {}
    for item in items(fields["Metrics"]):
        _add_nested(item.text, metrics, catalog)
    phrase = fields["Dates"]
    interval = dates.parse(phrase, as_of) if phrase else None
    asked = tuple(RequestedMetric(slug, primary) for slug, primary in metrics.items())
    kind = kind_of(named.entities, asked, None)
    return Request(kind, named.entities, asked, interval, phrase, None, named.unresolved)


def _add_nested(text: str, metrics: dict[str, bool], catalog: Catalog) -> None:
    """One metric with its related ones; a name with commas in it ("Earnings Before Interest, Taxes, …") is
    one."""
    related = RELATED.search(text)
    slug = catalog.metrics.resolve(text[: related.start()] if related else text).slug
    metrics.pop(slug, None) if not metrics.get(slug, True) else None
    metrics[slug] = True
    for name in _comma_names(related[1], catalog) if related else ():
        metrics.setdefault(catalog.metrics.resolve(name).slug, False)


def _comma_names(text: str, catalog: Catalog) -> list[str]:
    pieces, names = [piece.strip() for piece in text.split(",")], list[str]()
    while pieces:
        for size in range(len(pieces), 0, -1):
            name = ", ".join(pieces[:size])
            if size == 1 or catalog.metrics.knows(name):
                names.append(name)
                del pieces[:size]
                break
    return [name for name in names if name]


def _names(written: list[Item], catalog: Catalog, as_of: datetime) -> Named:
    entities, unresolved = list[Entity](), list[str]()
    for item in written:
        if not item.unknown:
            entities.append(_named_entity(item, catalog, as_of))
            continue
        known = catalog.companies.lookup(item.text, as_of)
        if len(known) == 1:
            raise RequestError(
                f"?{quoted(item.text)} is written as unknown, but it is {known[0].name}; write that"
            )
        unresolved.append(item.text)
    return Named(tuple(dict.fromkeys(entities)), tuple(unresolved))


def _named_entity(item: Item, catalog: Catalog, as_of: datetime) -> Entity:
    """`X Peers`, `<Industry> Companies`, `General Companies`, or a company; a text in quotes is always a
    company's."""
    if item.in_quotes:
        company = catalog.companies.resolve(item.text, as_of)
        return peers_entity(company) if item.tail == "Peers" else company_entity(company)
    if item.text.lower() == MARKET.name.lower():
        return MARKET
    head, _, last = item.text.rpartition(" ")
    if last.lower() == "peers" and head:
        return peers_entity(catalog.companies.resolve(head, as_of))
    if last.lower() == "companies" and head:
        return industry_entity(catalog.companies.industry(head))
    return company_entity(catalog.companies.resolve(item.text, as_of))


def _short(text: str) -> Interval:
    """The interval of a compact date.

    Raises:
        DateError: if it is none.
    """
    match = SHORT.fullmatch(text)
    if match is None:
        raise DateError(f"{text!r} is not a compact date; write 2018, 2018Q3, 201809 or 20180901-20180930")
    year = int(match[1])
    try:
        interval = _compact(year, match)
    except ValueError as error:
        raise DateError(f"{text!r} is not a day or month of the calendar ({error})") from error
    if interval.end < interval.start:
        raise DateError(f"{text!r} ends before it starts; write the earlier day first")
    return interval


def _compact(year: int, match: re.Match[str]) -> Interval:
    _, quarter, half, month, day, *last = match.groups()
    if last[0]:
        return Interval(date(year, int(month or 0), int(day or 0)), date(*(int(part) for part in last)))
    if quarter:
        return periods.quarter(year, int(quarter))
    if half:
        return periods.half(year, int(half))
    if not month:
        return periods.year(year)
    first = date(year, int(month), int(day or 1))
    return Interval(first, first) if day else periods.month(year, first.month)


def _read_rank(text: str, metrics: tuple[RequestedMetric, ...], catalog: Catalog) -> Rank:
    match = RANK.fullmatch(text.strip())
    if match is None or int(match[2]) < 1:
        raise RequestError(f"rank {text!r} should be e.g. 'top 5', 'bottom 3' or 'top 5 by Net Income'")
    if match[3] is None and not metrics:
        raise RequestError(f"rank {text!r} does not say by which metric; write e.g. 'top 5 by Net Income'")
    by = catalog.metrics.resolve(match[3]).slug if match[3] else metrics[0].slug
    return Rank(by, int(match[2]), match[1] == "top")
