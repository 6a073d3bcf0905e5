"""What moved the stock: dated news of the past 15 days, and days whose move was out of the ordinary.

A headline is quoted as it stands and obeyed by nobody (case R6). A move is abnormal where it lies two
standard deviations of the 60 sessions before from zero, the index's own move taken off where it is known.
"""

import numpy as np

from finground.quant.subject import MARKET, NEWS_DAYS, Bars, Figure, Floats, Notes, Subject, moved
from finground.records.bundle import Needs, Passage

TOOL = "catalysts"
NEEDS = Needs(bars=90, index=True, news_days=NEWS_DAYS)
ABNORMAL = 2.0
USUAL_SESSIONS = 60
SHOWN = 5


def catalysts(subject: Subject) -> Notes:
    """News newest first, and the largest abnormal move with that day's headline."""
    notes = Notes(TOOL, subject)
    news = _news(subject)
    if not news:
        notes.miss(
            "news", f"no news about {subject.name} of the {NEWS_DAYS} days before {subject.today} was found"
        )
    _move(notes, news)
    for number, passage in enumerate(news[:SHOWN], start=1):
        day = passage.published_at.date()
        text = f'On {day} {passage.source} wrote: "{one_line(passage.headline)}".'
        notes.say(
            f"news-{number}", Figure(one_line(passage.headline), "headline", day), text, inputs=(passage.id,)
        )
    return notes


def one_line(text: str) -> str:
    """A headline that can stand in quotation marks: one line, its own double marks made single."""
    return " ".join(text.split()).replace('"', "'").replace("“", "'").replace("”", "'").rstrip(".")


def _news(subject: Subject) -> list[Passage]:
    """Passages of the window about the company, newest first.

    By ticker where tickers are handed in; else by name where other companies were read too.
    """
    first = subject.since(NEWS_DAYS)
    recent = [passage for passage in subject.bundle.passages if passage.published_at.date() >= first]
    ticker = (subject.tickers or {}).get(subject.entity)
    if ticker:
        recent = [passage for passage in recent if ticker in passage.tickers]
    elif subject.peers:
        recent = [passage for passage in recent if _names(passage, subject.name)]
    return sorted(recent, key=lambda passage: (passage.published_at, passage.id), reverse=True)


def _names(passage: Passage, name: str) -> bool:
    """Whether headline or body holds the first word of the company's name that is longer than two letters."""
    words = [word.strip(",.") for word in name.split()]
    mark = next((word for word in words if len(word) > 2 and word.lower() != "the"), name)
    return mark.lower() in f"{passage.headline} {passage.body}".lower()


def _move(notes: Notes, news: list[Passage]) -> None:
    bars = notes.subject.bars()
    if bars is None or len(bars.days) < USUAL_SESSIONS + 2 or bars.day(-1) < notes.subject.since(NEWS_DAYS):
        notes.miss(
            "unusual movement", f"it takes {USUAL_SESSIONS + 2} sessions up to the past {NEWS_DAYS} days"
        )
        return
    returns, against = _excess(bars, notes.subject.bars(MARKET))
    first = notes.subject.since(NEWS_DAYS)
    recent = [at for at in range(USUAL_SESSIONS, len(returns)) if bars.day(at + 1) >= first]
    scores = {at: _deviations(returns, at) for at in recent}
    known = {at: score for at, score in scores.items() if np.isfinite(score)}
    largest = max(known, key=lambda at: abs(known[at]), default=None)
    inputs = (bars.id, *against)
    if largest is None or abs(known[largest]) < ABNORMAL:
        text = f"No unusual movement in the past {NEWS_DAYS} days."
        notes.say("movement", Figure("usual", "word", bars.day(-1), first), text, inputs=inputs)
        return
    day, change = bars.day(largest + 1), 100 * float(returns[largest])
    of_day = [passage for passage in news if passage.published_at.date() == day]
    headline = (
        f'the day of the headline "{one_line(of_day[-1].headline)}"' if of_day else "a day without news"
    )
    size = f"{moved(change)}{' beyond the index' if against else ''}"
    text = f"Unusual movement on {day}: {size}, {abs(known[largest]):.1f} standard deviations, {headline}."
    figure = Figure(change, "percent", day, bars.day(largest))
    inputs = (*inputs, *(passage.id for passage in of_day[-1:]))
    notes.say("unusual-movement", figure, text, inputs=inputs)


def _excess(bars: Bars, index: Bars | None) -> tuple[Floats, tuple[str, ...]]:
    """Returns, less the index's of the same days where it has them all; and the index's id if so."""
    if index is None or len(index.days) < 2:
        return bars.returns, ()
    moves = {day: float(move) for day, move in zip(index.days[1:].tolist(), index.returns, strict=True)}
    own_days = bars.days[1:].tolist()
    if not all(day in moves for day in own_days):
        return bars.returns, ()
    return bars.returns - np.array([moves[day] for day in own_days]), (index.id,)


def _deviations(returns: Floats, at: int) -> float:
    """The return at `at` in standard deviations of the 60 before it; NaN where those do not vary."""
    usual = float(np.std(returns[at - USUAL_SESSIONS : at], ddof=1))
    return float(returns[at]) / usual if usual > 0 else float("nan")
