"""What moved the stock: dated news of the past 15 days, the largest move out of the ordinary, its likely
cause.

A headline is quoted as it stands and obeyed by nobody (case R6). A move is abnormal where it lies two
standard deviations of the 60 sessions before from zero, the index's own move taken off where it is known.
Its likely cause is, in this order, a report filed between the close before and the close of the day, peers
that moved the same way by half as much, a headline of that time that names the company first and tells of
results or of an event that moves prices; else none is named. A headline that tells of the other direction is
no cause; are they all of results and tell of the other direction, the results are named without one.
"""

import re
from datetime import UTC, datetime, timedelta
from statistics import median

import numpy as np

from finground.quant.subject import MARKET, NEWS_DAYS, Bars, Figure, Floats, Notes, Subject, moved
from finground.records.bundle import Needs, Passage

TOOL = "catalysts"
NEEDS = Needs(bars=90, peers=True, index=True, news_days=NEWS_DAYS)
ABNORMAL = 2.0
USUAL_SESSIONS = 60
SHOWN = 4
FEWEST_PEERS = 3
SHORT_NAME = 3  # letters of a name that may be within other words
FOREMOST = 40  # characters of a headline within which it names whom it is about
WEIGHTY = 4  # a headline that names the company and tells of business, and promotes nothing
WORTH = 3  # a headline that begins with the company, or names it and tells of business
AFTER_HOURS = timedelta(hours=5)  # results told after a close, by clocks that may be hours off, move the next
RESULTS = re.compile(
    r"\b(?:results?|earnings|profits?|revenues?|sales|eps|guidance|outlook|forecasts?|q[1-4])\b", re.I
)
EARNED = re.compile(
    r"\b(?:results?|earnings|profits?|eps|(?:q[1-4]|quarter\w*) (?:revenues?|sales|net|loss))\b", re.I
)
EVENT = re.compile(
    r"\b(?:upgrade\w*|downgrade\w*|acqui\w+|merger|takeover|bids?|buyback|repurchase|bankrupt\w*|spin-?off|recall\w*"
    r"|layoffs?|cut\w*\b.*\b(?:jobs|staff|workforce|dividend)|warn\w*|strike|hack\w*|outage|fraud|probe\w*"
    r"|(?:wins?|awarded|loses?|cancels?)\b.*\b(?:orders?|contracts?)|(?:ceo|cfo)\b.*\b(?:departs|quits|resigns|leaves))\b",
    re.I,
)
GOOD = re.compile(
    r"\b(?:beats?|tops?|rises?|rose|jumps?|surges?|soars?|gains?|climbs?|increases?|record|strong\w*|raise[sd]?|ups"
    r"|boost\w*|upgrade\w*|better|approv\w+|wins?|awarded|lifts?|rebounds?|grows?|buyback|repurchase)\b",
    re.I,
)
BAD = re.compile(
    r"\b(?:miss(?:es|ed)?|falls?|fell|drops?|declin\w+|slides?|slump\w*|plunges?|weak\w*|hits?|darkens?"
    r"|disappoint\w*|warn\w*|cuts?\b(?!.*\b(?:jobs|costs?|staff|workforce)\b)|lowers?|loss(?:es)?|downgrade\w*"
    r"|recall\w*|probe\w*|sue[sd]?|lawsuit|concerns?|unnerve\w*|worr\w+|weighs?|reject\w*|halts?|fraud"
    r"|bankrupt\w*|loses?|cancels?)\b",
    re.I,
)
MATERIAL = re.compile(
    r"\b(?:results?|earnings|profits?|revenues?|sales|loss(?:es)?|forecasts?|guidance|outlook|warn\w*|cut\w*"
    r"|raise[sd]?|upgrade\w*|downgrade\w*|acqui\w+|merger|merge[sd]?|takeover|deal|bids?|lawsuit|sue[sd]?|probe\w*"
    r"|inquiry|investigat\w+|fine[sd]?|recall\w*|approv\w+|reject\w*|dividend\w*|buyback\w*|repurchase\w*|ceo|cfo"
    r"|layoffs?|strike|contract|order\w*|spin-?off|bankrupt\w*|settle\w*|hack\w*|outage|shares|stock)\b",
    re.I,
)
EDITION = re.compile(r"^(?:UPDATE|CORRECTED|CORRECTION|REFILE|BRIEF|WRAPUP|RPT|EXCLUSIVE)\b[ \d]*-\s*")
PROMOTION = re.compile(
    r"\b(?:research and markets|research on|research reports? on"
    r"|announcement dates|release dates|analyst notes?|zacks|highlights:"
    r"|technical (?:data|review|analysis)|stocks? (?:to watch|in focus)|coverage on|conference|webinar"
    r"|awards?|award-winning|named|winner|dominates?|recognized|featured|joins|attains|enables?|sponsors?|donates?"
    r"|law firm|shareholder alert|investor alert|reminds"
    r"|to (?:present|webcast|host|speak|attend|participate|report|announce))\b",
    re.I,
)


def catalysts(subject: Subject) -> Notes:
    """The largest abnormal move with its likely cause, and the news that matters most, newest first."""
    notes = Notes(TOOL, subject)
    news = _news(subject)
    if not news:
        notes.miss("news", f"no headline of the {NEWS_DAYS} days before {subject.today} is in the sources")
    _move(notes, news)
    told = _foremost(subject, news)
    if news and not told:
        notes.miss("news that matters", f"{len(news)} headlines of {NEWS_DAYS} days, all of them promotion")
    for number, passage in enumerate(told, start=1):
        day = passage.published_at.date()
        text = f'Headline of {day} ({passage.source}): "{one_line(passage.headline)}".'
        notes.say(
            f"news-{number}", Figure(one_line(passage.headline), "headline", day), text, inputs=(passage.id,)
        )
    return notes


def one_line(text: str) -> str:
    """A headline that can stand in quotation marks: one line, its own double marks made single."""
    return " ".join(text.split()).replace('"', "'").replace("“", "'").replace("”", "'").rstrip(".")


def _news(subject: Subject) -> list[Passage]:
    """Passages of the window about the company, newest first.

    By any of its tickers where they are handed in; else by name where other companies were read too.
    """
    first = subject.since(NEWS_DAYS)
    tickers = (subject.tickers or {}).get(subject.entity, ())
    borne = {row.id: row for ticker in tickers for row in subject.board.news.get(ticker, ())}
    own = borne.values() if tickers else subject.bundle.passages
    recent = [passage for passage in own if passage.published_at.date() >= first]
    if not tickers and subject.peers:
        recent = [passage for passage in recent if _names(passage, subject.name)]
    return sorted(recent, key=lambda passage: (passage.published_at, passage.id), reverse=True)


def _names(passage: Passage, name: str) -> bool:
    """Whether headline or body holds the word the company is known by."""
    return _place(f"{passage.headline} {passage.body}", name) >= 0


def _place(text: str, name: str) -> int:
    """Where a text names a company, -1 if nowhere: by the first word of its name, with or without hyphens
    ("Wal-Mart"); a short one ("3M") as a word of its own.
    """
    mark = next((word for word in _plain(name).split() if len(word) > 1 and word != "the"), _plain(name))
    end = r"(?!\w)" if len(mark) <= SHORT_NAME else ""
    found = re.search(rf"(?<![\w.]){re.escape(mark)}{end}", _plain(text))
    return found.start() if found else -1


def _plain(text: str) -> str:
    """In small letters, without hyphens and commas."""
    return text.lower().replace("-", "").replace(",", "")


def _weight(subject: Subject, passage: Passage) -> int:
    """How much a headline is likely to matter: it names the company, it tells of business, it promotes."""
    headline = EDITION.sub("", passage.headline)
    at = _place(headline, subject.name)
    named = 3 if at == 0 else 2 if 0 < at < FOREMOST else int(at > 0)
    material = MATERIAL.search(headline) or RESULTS.search(headline) or EVENT.search(headline)
    return named + 2 * bool(material) - 2 * bool(PROMOTION.search(headline))


def _foremost(subject: Subject, news: list[Passage]) -> list[Passage]:
    """The headlines that weigh most and promote nothing, newest first; of those that begin alike, or share
    half their words on one day, the first.
    """
    told: dict[str, Passage] = {}
    for passage in reversed([passage for passage in news if not PROMOTION.search(passage.headline)]):
        words = re.findall(r"\w+", EDITION.sub("", passage.headline).lower())
        told.setdefault(" ".join(words[:5]), passage)
    unlike: list[Passage] = []
    for passage in told.values():
        if not any(_same_story(passage, other) for other in unlike):
            unlike.append(passage)
    unlike.sort(key=lambda passage: (passage.published_at, passage.id), reverse=True)
    worth = [passage for passage in unlike if _weight(subject, passage) >= WORTH] or unlike
    best = sorted(worth, key=lambda passage: -_weight(subject, passage))[:SHOWN]
    return [passage for passage in unlike if passage in best]


def _same_story(one: Passage, other: Passage) -> bool:
    """Whether two headlines of a day share at least half of the words of the shorter."""
    first, second = (
        set(re.findall(r"\w{3,}", EDITION.sub("", row.headline).lower())) for row in (one, other)
    )
    same_day = one.published_at.date() == other.published_at.date()
    return same_day and 2 * len(first & second) >= min(len(first), len(second)) > 0


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
    cause, ids = _cause(notes.subject, bars, largest, news)
    size = f"{moved(change)}{' beyond the index' if against else ''}"
    text = f"Unusual movement on {day}: {size}, {abs(known[largest]):.1f} standard deviations; {cause}."
    figure = Figure(change, "percent", day, bars.day(largest))
    notes.say("unusual-movement", figure, text, inputs=(*inputs, *ids))


def _cause(subject: Subject, bars: Bars, at: int, news: list[Passage]) -> tuple[str, tuple[str, ...]]:
    """The likely cause of the return at `at`, and the ids it rests on."""
    after, until = (bars.closes[place].item().replace(tzinfo=UTC) for place in (at, at + 1))
    filed = [
        fact for fact in subject.board.filed.get(subject.entity, ())
        if _between(after, fact.filed_at, until)
    ]  # fmt: skip
    if filed:
        return f"the likely cause is the report filed {filed[0].filed_at.date()}", (filed[0].id,)
    likewise = _of_peers(subject, bars, at)
    if likewise is not None:
        return likewise, ()
    told = [
        row for row in news if _moves(subject, row) and _between(_since(row, after), row.published_at, until)
    ]
    rose = bool(bars.returns[at] > 0)
    results = [row for row in told if EARNED.search(row.headline)]
    fitting = [row for row in results or told if not _tells_otherwise(row.headline, rose=rose)]
    if not fitting and not results:
        return _next_day(subject, news, until)
    best = max(fitting or results, key=lambda row: (*_fit(subject, row, rose=rose), row.score, row.id))
    if fitting:
        return f'the likely cause is the headline "{one_line(best.headline)}"', (best.id,)
    return "the likely cause is its results, the subject of that day's headlines", (best.id,)


def _next_day(subject: Subject, news: list[Passage], until: datetime) -> tuple[str, tuple[str, ...]]:
    """No cause; and where the headlines of the day after the close tell of results, that they do."""
    later = [
        row for row in reversed(news)
        if until < row.published_at <= until + timedelta(days=1)
        and EARNED.search(row.headline) and _weight(subject, row) >= WEIGHTY
    ]  # fmt: skip
    none = "no news or report of that day names a cause"
    if not news:
        return "no headlines of that time are in the sources to name a cause", ()
    if not later:
        return none, ()
    return f"{none}, but headlines of {later[0].published_at.date()} tell of its results", (later[0].id,)


def _moves(subject: Subject, passage: Passage) -> bool:
    """Whether a headline names the company and tells of what moves prices."""
    telling = RESULTS.search(passage.headline) or EVENT.search(passage.headline)
    return telling is not None and _weight(subject, passage) >= WEIGHTY


def _since(passage: Passage, after: datetime) -> datetime:
    """From when a headline may tell of the move after a close."""
    return after - AFTER_HOURS if EARNED.search(passage.headline) else after


def _fit(subject: Subject, passage: Passage, *, rose: bool) -> tuple[int, bool, bool]:
    """How well a headline explains a move: its weight, whether it tells of that direction, and of results."""
    tells = (GOOD if rose else BAD).search(passage.headline) is not None
    return _weight(subject, passage), tells, EARNED.search(passage.headline) is not None


def _tells_otherwise(headline: str, *, rose: bool) -> bool:
    """Whether a headline tells of the other direction only."""
    good, bad = GOOD.search(headline) is not None, BAD.search(headline) is not None
    return (bad and not good) if rose else (good and not bad)


def _between(after: datetime, moment: datetime, until: datetime) -> bool:
    """Whether something became known after one close and by the next; what is dated by day only, by its
    day.
    """
    return after < moment <= until or (
        (moment.hour, moment.minute) == (23, 59) and moment.date() == until.date()
    )


def _of_peers(subject: Subject, bars: Bars, at: int) -> str | None:
    """The industry as the cause, if the peers' median change of that session is at least half of the
    company's own and of its sign.
    """
    own, day = 100 * float(bars.returns[at]), bars.days[at + 1]
    changes = []
    for peer in subject.peers:
        found = subject.bars(peer)
        place = -1 if found is None else int(np.searchsorted(found.days, day))
        if found is not None and 0 < place < len(found.days) and found.days[place] == day:
            changes.append(100 * (float(found.close[place]) / float(found.close[place - 1]) - 1))
    middle = median(changes) if len(changes) >= FEWEST_PEERS else 0.0
    if middle * own <= 0 or abs(middle) < abs(own) / 2:
        return None
    word = moved(middle)
    return f"the likely cause is the whole industry, the median of {len(changes)} peers being {word}"


def _excess(bars: Bars, index: Bars | None) -> tuple[Floats, tuple[str, ...]]:
    """Returns, less the index's of the same days where it has them all; and the index's id if so."""
    if index is None or len(index.days) < 2:
        return bars.returns, ()
    places = np.searchsorted(index.days[1:], bars.days[1:])
    inside = places < len(index.days) - 1
    if not (inside.all() and np.array_equal(index.days[1:][places], bars.days[1:])):
        return bars.returns, ()
    return bars.returns - index.returns[places], (index.id,)


def _deviations(returns: Floats, at: int) -> float:
    """The return at `at` in standard deviations of the 60 before it; NaN where those do not vary."""
    usual = float(np.std(returns[at - USUAL_SESSIONS : at], ddof=1))
    return float(returns[at]) / usual if usual > 0 else float("nan")
