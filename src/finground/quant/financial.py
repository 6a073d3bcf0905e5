"""The latest quarter filed: its figures, year-on-year and quarter-on-quarter, solvency, and the price after
the filing.

Only figures of the past three years count. A quarter is compared with the one that ended a year before,
within 20 days.
"""

from datetime import timedelta

from finground.quant.subject import Figure, Notes, Subject, amount, direction, moved
from finground.records.bundle import Fact, Needs

TOOL = "financial"
FLOWS = {
    "total-revenue": "Revenue",
    "operating-income": "Operating income",
    "net-income": "Net income",
    "earnings-per-share": "Earnings per share",
}
SOLVENCY = {
    "current-ratio": ("The current ratio", "current-assets", "current-liabilities", 1),
    "debt-ratio": ("The debt-to-assets ratio", "total-liabilities", "total-assets", -1),
}
NEEDS = Needs(
    metrics=(*FLOWS, "current-assets", "current-liabilities", "total-liabilities", "total-assets"),
    quarters=9, bars=120,
)  # fmt: skip
REACTION_SESSIONS = 10
SAME_QUARTER = timedelta(days=20)
YEAR, QUARTER = timedelta(days=365), timedelta(days=91)


def financial(subject: Subject) -> Notes:
    """What the latest reports say."""
    notes = Notes(TOOL, subject)
    latest = [fact for metric in FLOWS if (fact := _quarter(notes, metric)) is not None]
    for metric, shape in SOLVENCY.items():
        _solvency(notes, metric, *shape)
    if latest:
        _reaction(notes, max(latest, key=lambda fact: fact.period_end))
    return notes


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


def _quarter(notes: Notes, metric: str) -> Fact | None:
    """The newest quarter of a metric, and its changes; a gap where there is none."""
    facts, label = notes.subject.quarters(metric), FLOWS[metric]
    if not facts:
        notes.miss(
            f"quarterly {label.lower()}", f"no quarter of the past three years filed by {notes.subject.today}"
        )
        return None
    fact = facts[0]
    per_share = " per share" if fact.unit == "per-share" and "share" not in label else ""
    value = f"{amount(fact.value, fact.currency or '')}{per_share}"
    text = f"{label} of the quarter ended {fact.period_end} is {value}, filed {fact.filed_at.date()}."
    figure = Figure(fact.value, unit_of(fact), fact.period_end, fact.period_start)
    notes.say(metric, figure, text, inputs=(fact.id,))
    for name, words, before in (("yoy", "year on year", YEAR), ("qoq", "quarter on quarter", QUARTER)):
        _change(notes, fact, earlier(facts, before), (f"{metric}-{name}", f"{label} is", words))
    return fact


def _change(notes: Notes, now: Fact, then: Fact | None, words: tuple[str, str, str]) -> None:
    """A change against an earlier quarter; undefined where that was not positive."""
    name, subject, against = words
    if then is None or then.value <= 0:
        why = (
            "that quarter is not among those filed" if then is None else "the earlier figure is not positive"
        )
        notes.miss(f"{now.metric} {against}", why)
        return
    change = 100 * (now.value / then.value - 1)
    text = f"{subject} {moved(change)} {against}."
    signal = direction(change) if against == "year on year" else "neutral"
    notes.say(
        name,
        Figure(change, "percent", now.period_end, then.period_end),
        text,
        inputs=(now.id, then.id),
        signal=signal,
    )


def ratio_of(subject: Subject, over: str, under: str, entity: str | None = None) -> list[tuple[Fact, Fact]]:
    """Pairs of facts of the same day or quarter, newest first, where the lower one is positive."""
    below = {fact.period_end: fact for fact in subject.quarters(under, entity) if fact.value > 0}
    above = subject.quarters(over, entity)
    pairs = [(fact, below[fact.period_end]) for fact in above if fact.period_end in below]
    return [(a, b) for a, b in pairs if a.currency == b.currency]


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
    change = 0.0 if f"{then:.2f}" == f"{value:.2f}" else value - then
    word = "unchanged from" if change == 0 else "higher than" if change > 0 else "lower than"
    text = f"{text}, {word} the {then:.2f} of a year before."
    inputs = (above.id, below.id, pair[0].id, pair[1].id)
    notes.say(metric, figure, text, inputs=inputs, signal=direction(good * change))


def _reaction(notes: Notes, fact: Fact) -> None:
    """The adjusted price from the last session before the filing day to at most ten sessions after."""
    bars, filed = notes.subject.bars(), fact.filed_at.date()
    before = [] if bars is None else [at for at in range(len(bars.days)) if bars.day(at) < filed]
    if bars is None or not before or before[-1] + 1 >= len(bars.days):
        notes.miss("price after the report", f"no prices on both sides of the filing of {filed} are known")
        return
    start = before[-1]
    end = min(start + REACTION_SESSIONS, len(bars.days) - 1)
    change = 100 * (float(bars.close[end]) / float(bars.close[start]) - 1)
    text = f"After the report filed {filed} the price is {moved(change)} over {end - start} sessions."
    figure = Figure(change, "percent", bars.day(end), bars.day(start))
    notes.say("price-after-report", figure, text, inputs=(fact.id, bars.id))
