"""The second walk: a question at a moment becomes an Answer, and every step of it is kept (floor 3).

    question + as_of ─agent→ Request ─plan→ tools ─their needs, merged─store→ Bundle ─tools→ Findings
                     ─writer→ Report ─grounding→ what no number bears out ─analyscore→ Score

No step reads a clock: `as_of` is handed down, and the store gives nothing that was not known then (law 1).
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

import numpy as np
import numpy.typing as npt

from finground.agent import plan as planning
from finground.analyscore.score import score
from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies
from finground.core.errors import RequestError
from finground.quant import toolbox
from finground.records.bundle import Bundle, Finding, Gap, Needs
from finground.records.report import Answer, Plan, Report, Score
from finground.records.request import Interval, Reading, Request
from finground.report.brief import Brief
from finground.report.grounding import check
from finground.report.rows import asks_for_change, asks_why
from finground.report.template import TemplateWriter
from finground.store.lookup import lookup
from finground.store.reader import Store

NEWS_OF_ANALYSIS = 150  # headlines that the tools choose from
PAST_QUARTERS = 24  # read for a question whether something rose: the quarter asked, and the year before it
LONGEST = 2000  # characters of a question
Embed = Callable[[list[str]], npt.NDArray[np.float32]]


class Agent(Protocol):
    """Turns a question into a request."""

    def read(self, query: str, as_of: datetime) -> Reading: ...


class Planner(Protocol):
    """Says what to do for a request."""

    def __call__(self, query: str, request: Request, catalog: Catalog) -> Plan: ...


class Writer(Protocol):
    """Turns what was found into a report."""

    def write(self, brief: Brief) -> Report: ...


@dataclass(frozen=True, slots=True)
class World:
    """What answers are made from: a store, the catalogue of its content, an embedder, how to search news."""

    store: Store
    catalog: Catalog
    embed: Embed
    k: int = 20
    threshold: float = 0.2
    versions: Mapping[str, str] = field(default_factory=dict)

    def known(self, as_of: datetime) -> Catalog:
        """The catalogue of companies that questions are about: with data by then, or shipped."""
        covered = set(self.store.covered(as_of))
        companies = [one for one in self.catalog.companies.all if one.id in covered or one.exchange]
        return Catalog(Companies(companies), self.catalog.metrics)


def answer(
    query: str,
    *,
    as_of: datetime,
    world: World,
    agent: Agent,
    writer: Writer,
    planner: Planner = planning.plan,
    profile: Mapping[str, str] | None = None,
    after: Answer | None = None,
) -> Answer:
    """Answer one question as of one moment; `after` is the answer that it follows.

    What needs no data leaves the request of a conversation as it was.

    Raises:
        CatalogError, DateError, RequestError: if the question cannot be turned into a request.
    """
    if len(query) > LONGEST:
        raise RequestError(f"the question has {len(query)} characters; ask in at most {LONGEST}")
    timings: dict[str, float] = {}
    with timed(timings, "agent"):
        talk = planning.is_talk(query)
        reading = Reading(planning.NOTHING) if talk else agent.read(query, as_of)
        request = reading.request
        kept = after.request if talk and after else request
        if request.unresolved and not request.entities:
            raise world.catalog.companies.unknown(request.unresolved[0])
    with timed(timings, "plan"):
        plan = planner(query, request, world.catalog)
        if after is not None and not talk:
            plan = planning.follows(plan, after.query)
        if plan.kind == "analysis" and not any(entity.kind == "company" for entity in request.entities):
            named = ", ".join(entity.name for entity in request.entities) or "none"
            raise RequestError(
                f"an analysis is of a company, and the question names {named}; name one, or a metric"
            )
    with timed(timings, "store"):
        bundle = read(query, request, plan, as_of=as_of, world=world)
    with timed(timings, "tools"):
        findings, bundle = analyse(request, plan, bundle, world.catalog)
    brief = Brief(query, plan, request, bundle, findings, world.catalog, profile)
    with timed(timings, "writer"):
        by = TemplateWriter() if plan.kind == "talk" else writer
        report = check(by.write(brief), brief)
    with timed(timings, "analyscore"):
        judged = judge(report, brief)
    return Answer(
        query, as_of, plan, kept, bundle, findings, report, judged, dict(world.versions), timings,
        None if profile is None else dict(profile), reading.sure, reading.doubts,
        after.query if after else None,
    )  # fmt: skip


def read(query: str, request: Request, plan: Plan, *, as_of: datetime, world: World) -> Bundle:
    """One read of the store for the request and for what the plan's tools need."""
    needs = merged_needs(request, plan)
    if plan.kind == "data" and asks_for_change(query, request):
        wanted = [m.slug for m in request.metrics if m.primary or asks_why(query)]
        past = Needs(metrics=tuple(wanted), quarters=PAST_QUARTERS)
        companies = [entity.id for entity in request.entities if entity.kind == "company"]
        needs |= {id: merge([past, needs.get(id, Needs())]) for id in companies}
    wants_news = any(need.news_days for need in needs.values()) or plan.kind == "data"
    vector = world.embed([query])[0] if wants_news else None
    analysed = plan.kind == "analysis"  # what matters is whose news it is and when, not how near to the words
    bundle = lookup(
        world.store, request, needs, as_of=as_of, catalog=world.catalog, vector=vector,
        k=NEWS_OF_ANALYSIS if analysed else world.k, threshold=-1.0 if analysed else world.threshold,
    )  # fmt: skip
    changed = plan.kind == "data" and asks_for_change(query, request)
    return _with_year_before(bundle, request, world) if changed else bundle


def _with_year_before(bundle: Bundle, request: Request, world: World) -> Bundle:
    """With the figures of the same dates a year before, as long as those that were asked; prices apart."""
    import dataclasses

    metrics = tuple(
        one for one in request.metrics if world.catalog.metrics.by_slug(one.slug).frequency != "daily"
    )
    if request.interval is None or not metrics:
        return bundle
    then = dataclasses.replace(request, metrics=metrics, interval=year_before(request.interval))
    past = lookup(
        world.store, then, {}, as_of=bundle.as_of, catalog=world.catalog, vector=None, k=1,
        threshold=world.threshold,
    )  # fmt: skip
    facts = {fact.id: fact for fact in (*bundle.facts, *past.facts)}
    return dataclasses.replace(bundle, facts=tuple(facts.values()))


def year_before(interval: Interval) -> Interval:
    """The same days of the year before; the last of February for its 29th."""
    return Interval(*(_last_year(day) for day in (interval.start, interval.end)))


def _last_year(day: date) -> date:
    leap = (day.month, day.day) == (2, 29)
    return day.replace(year=day.year - 1, day=28 if leap else day.day)


def merged_needs(request: Request, plan: Plan) -> dict[str, Needs]:
    """What all tools of the plan want to know of each company of the request."""
    companies = [entity.id for entity in request.entities if entity.kind == "company"]
    return {id: merge([toolbox.needs(tool, id) for tool in plan.tools]) for id in companies if plan.tools}


def merge(needs: list[Needs]) -> Needs:
    """The smallest need that covers all of them."""
    return Needs(
        metrics=tuple(dict.fromkeys(slug for need in needs for slug in need.metrics)),
        quarters=max((need.quarters for need in needs), default=0),
        bars=max((need.bars for need in needs), default=0),
        flows=any(need.flows for need in needs),
        peers=any(need.peers for need in needs),
        index=any(need.index for need in needs),
        news_days=max((need.news_days for need in needs), default=0),
    )


def analyse(
    request: Request, plan: Plan, bundle: Bundle, catalog: Catalog
) -> tuple[tuple[Finding, ...], Bundle]:
    """What the plan's tools find for each company; their gaps join the bundle's."""
    import dataclasses

    day = bundle.as_of.date()
    companies = [
        catalog.companies.by_id(entity.id) for entity in request.entities if entity.kind == "company"
    ]
    names = {company.id: company.name_at(day) for company in companies}
    tickers = {company.id: tuple(dated.ticker for dated in company.dated) for company in companies}
    findings: list[Finding] = []
    gaps: list[Gap] = list(bundle.gaps)
    for company in companies if plan.tools else ():
        found, missing = toolbox.run(plan.tools, company.id, bundle, names, tickers)
        findings += found
        gaps += missing
    return tuple(findings), dataclasses.replace(bundle, gaps=tuple(dict.fromkeys(gaps)))


def judge(report: Report, brief: Brief) -> Score | None:
    """AnalyScore by rules of an analysis that was checked; other answers are not scored."""
    return score(report, brief) if report.kind == "analysis" else None


@contextmanager
def timed(timings: dict[str, float], step: str) -> Iterator[None]:
    """Note the seconds of a step."""
    began = time.perf_counter()
    yield
    timings[step] = round(time.perf_counter() - began, 6)
