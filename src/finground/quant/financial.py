"""The latest report filed: its figures, year on year and quarter on quarter, solvency, and the price after
it.

Only figures of the past three years count. A quarter is compared with the one that ended a year before,
within 20 days; where a company files years only, a year with the year before. A change from a loss has no
percentage: that a loss turned into a profit, or grew, is said in the figures themselves.
"""

from datetime import date, timedelta

from finground.quant.subject import Figure, Notes, Subject, amount, direction, moved
from finground.records.bundle import Fact, Needs

TOOL = "financial"
FLOWS = {
    "total-revenue": "Revenue",
    "net-income": "Net income",
    "operating-income": "Operating income",
    "earnings-per-share": "Earnings per share",
    "operating-cash-flow": "Operating cash flow",
}
SOLVENCY = {
    "current-ratio": ("The current ratio", "current-assets", "current-liabilities", 1),
    "debt-ratio": ("The debt-to-assets ratio", "total-liabilities", "total-assets", -1),
}
NEEDS = Needs(
    metrics=(*FLOWS, "current-assets", "current-liabilities", "total-liabilities", "total-assets"),
    quarters=9, bars=120,
)  # fmt: skip
FOREMOST = 2  # figures that come before solvency and the price; the others after
REACTION_SESSIONS = 10
SAME_QUARTER = timedelta(days=20)
YEAR, QUARTER = timedelta(days=365), timedelta(days=91)
STEADY = 0.02  # a ratio that moved by less than this part of itself signals nothing
WEAK_LIQUIDITY = 1.0  # current liabilities exceed current assets


def financial(subject: Subject) -> Notes:
    """What the latest reports say: figures with their year-on-year changes first."""
    notes = Notes(TOOL, subject)
    if not any(subject.quarters(metric) for metric in NEEDS.metrics):
        notes.miss("financial results", not_filed(subject))
        return notes
    known = {metric: subject.quarters(metric) for metric in FLOWS}
    newest = max((facts[0].period_end for facts in known.values() if facts), default=None)
    latest = [metric for metric, facts in known.items() if _latest(notes, metric, facts, newest)]
    if latest:
        _report(notes, known[latest[0]][0])
    for metric in latest[:FOREMOST]:
        _flow(notes, metric, known[metric])
    for metric, shape in SOLVENCY.items():
        _solvency(notes, metric, *shape)
    if latest:
        _reaction(notes, known[latest[0]][0])
    for metric in latest[FOREMOST:]:
        _flow(notes, metric, known[metric])
    return notes


def _flow(notes: Notes, metric: str, facts: list[Fact]) -> None:
    """A figure of the report with its changes."""
    _figure(notes, metric, facts[0])
    _change(notes, facts, "year on year", YEAR)
    if not is_year(facts[0]):
        _change(notes, facts, "quarter on quarter", QUARTER)


def not_filed(subject: Subject) -> str:
    """Why there is nothing at all: the sources have no report."""
    return f"no report of the past three years, filed by {subject.today}, is in the sources"


def is_year(fact: Fact) -> bool:
    """Whether a figure is of a whole year."""
    return fact.period_start is not None and (fact.period_end - fact.period_start).days > 300


def unit_of(fact: Fact) -> str:
    """The fact's unit with its currency: "USD", "USD per share", "ratio"."""
    if fact.unit == "per-share":
        return f"{fact.currency} per share"
    return fact.currency or fact.unit


def earlier(facts: list[Fact], before: timedelta) -> Fact | None:
    """The fact that ended so long before the newest, within 20 days, in the same unit and currency."""
    now = facts[0]
    near = [
        fact for fact in facts[1:]
        if abs(now.period_end - before - fact.period_end) <= SAME_QUARTER
        and (fact.unit, fact.currency) == (now.unit, now.currency)
    ]  # fmt: skip
    return near[0] if near else None


def _latest(notes: Notes, metric: str, facts: list[Fact], newest: date | None) -> bool:
    """Whether the metric is known for the newest quarter of any; a gap where it is not."""
    what = f"quarterly {FLOWS[metric].lower()}"
    if not facts:
        notes.miss(what, f"no quarter of the past three years filed by {notes.subject.today}")
    elif facts[0].period_end != newest:
        notes.miss(what, f"the quarter ended {newest} is not filed as such", facts[0])
    return bool(facts) and facts[0].period_end == newest


def _shown(fact: Fact) -> str:
    """The value with its unit, as a reader wants it."""
    return amount(fact.value, fact.currency or "")


def _report(notes: Notes, fact: Fact) -> None:
    """Which report is the latest; the figures after it are of its period."""
    of, filed = "year" if is_year(fact) else "quarter", fact.filed_at.date()
    text = f"The latest report is of the {of} ended {fact.period_end}, filed {filed}."
    figure = Figure(of, "word", fact.period_end, fact.period_start)
    notes.say("latest-report", figure, text, inputs=(fact.id,))


def _figure(notes: Notes, metric: str, fact: Fact) -> None:
    figure = Figure(fact.value, unit_of(fact), fact.period_end, fact.period_start)
    notes.say(metric, figure, f"{FLOWS[metric]} is {_shown(fact)}.", inputs=(fact.id,))


def _change(notes: Notes, facts: list[Fact], against: str, before: timedelta) -> None:
    """A change against an earlier quarter, in percent where that was positive."""
    now, then = facts[0], earlier(facts, before)
    if then is None:
        notes.miss(f"{FLOWS[now.metric].lower()} {against}", "the figure before is not in the sources")
        return
    name = f"{now.metric}-{'yoy' if before == YEAR else 'qoq'}"
    if then.value > 0:
        change = 100 * (now.value / then.value - 1)
        figure = Figure(change, "percent", now.period_end, then.period_end)
        text = f"{FLOWS[now.metric]} is {moved(change)} {against}."
        rise = change
    elif then.value < 0:
        figure, rise = (
            Figure(now.value - then.value, unit_of(now), now.period_end, then.period_end),
            now.value - then.value,
        )
        side = "higher" if rise > 0 else "lower" if rise < 0 else "unchanged"
        text = f"{FLOWS[now.metric]} is {side} {against}, from {_shown(then)} to {_shown(now)}."
    else:
        notes.miss(f"{FLOWS[now.metric].lower()} {against}", "the earlier figure is zero")
        return
    signal = direction(rise) if before == YEAR else "neutral"
    notes.say(name, figure, text, inputs=(now.id, then.id), signal=signal)


def ratio_of(subject: Subject, over: str, under: str, entity: str | None = None) -> list[tuple[Fact, Fact]]:
    """Pairs of facts of the same day or period, newest first, where the lower one is positive."""
    below = {fact.period_end: fact for fact in subject.quarters(under, entity) if fact.value > 0}
    above = subject.quarters(over, entity)
    pairs = [(fact, below[fact.period_end]) for fact in above if fact.period_end in below]
    return [(a, b) for a, b in pairs if a.currency == b.currency and is_year(a) == is_year(b)]


def _solvency(notes: Notes, metric: str, label: str, over: str, under: str, good: int) -> None:
    """A ratio of two balance-sheet values, and how it moved against a year before.

    `good` is the sign of a change that speaks for the company.
    """
    pairs = ratio_of(notes.subject, over, under)
    if not pairs:
        notes.miss(label.removeprefix("The "), f"{over} and {under} of the same day are not both filed")
        return
    above, below = pairs[0]
    value = above.value / below.value
    before = earlier([pair[0] for pair in pairs], YEAR)
    pair = next((pair for pair in pairs if pair[0] is before), None)
    figure = Figure(value, "ratio", above.period_end)
    text = f"{label} is {value:.2f} on {above.period_end}"
    if pair is None:
        notes.say(metric, figure, f"{text}.", inputs=(above.id, below.id))
        return
    then = pair[0].value / pair[1].value
    change = 0.0 if abs(value - then) < STEADY * then else value - then
    word = "higher than" if change > 0 else "lower than"
    if change == 0:
        word = "unchanged from" if f"{then:.2f}" == f"{value:.2f}" else "little changed from"
    text = f"{text}, {word} the {then:.2f} of a year before."
    inputs = (above.id, below.id, pair[0].id, pair[1].id)
    notes.say(metric, figure, text, inputs=inputs, signal=direction(good * change))


def _reaction(notes: Notes, fact: Fact) -> None:
    """The adjusted price from the last session before the filing day to at most ten sessions after."""
    bars, filed = notes.subject.bars(), fact.filed_at.date()
    after = 0 if bars is None else bars.first_from(filed)
    if bars is None or after == 0 or after >= len(bars.days):
        notes.miss("price after the report", f"no prices on both sides of the filing of {filed} are known")
        return
    end = min(after - 1 + REACTION_SESSIONS, len(bars.days) - 1)
    change = 100 * (float(bars.close[end]) / float(bars.close[after - 1]) - 1)
    text = f"After the report filed {filed} the price is {moved(change)} over {end - after + 1} sessions."
    figure = Figure(change, "percent", bars.day(end), bars.day(after - 1))
    notes.say("price-after-report", figure, text, inputs=(fact.id, bars.id))
