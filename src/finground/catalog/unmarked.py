"""Names that nothing marks as such: in small letters ("aapl revenue"), at the start of a question ("Quillmark
net income"), a number ("the revenue of 6912").

`spotting` reads names by their capitals, possessives and legal forms. Where it found nobody, a word that
stands right before a metric, or after "of", "compare" and the like, and that no question needs otherwise, is
taken for a name here: the company's if the catalogue knows exactly one by it, else unknown or ambiguous.
"""

import re
from collections.abc import Sequence
from datetime import datetime

from finground.catalog.companies import Companies, Company
from finground.catalog.mention import Mention
from finground.catalog.names import Word, words
from finground.catalog.spotting import lists

LEADS = frozenset({
    "of", "for", "at", "from", "about", "did", "does", "has", "is", "was", "analyse", "analyze",
    "compare", "between", "evaluate", "assess", "review", "vs", "versus",
})  # fmt: skip
JOINS = frozenset({"and", "or", "vs", "versus", "to", "with", "against", "than"})
COMPARES = frozenset({"compare", "comparing", "between", "vs", "versus"})
EXPLAINS = re.compile(
    r"\b(?:what(?:'s| is| are| does| do| exactly)|explain|define|definition|meaning|means?"
    r"|how (?:is|are|do|does)|why|difference|tell me|describe)\b",
    re.I,
)


def unmarked(
    companies: Companies,
    question: str,
    as_of: datetime | None,
    explained: Sequence[tuple[int, int]],
    *,
    certain: bool,
) -> tuple[Mention[Company], ...]:
    """The names, in order. `explained` are places that mean something else; `certain` if the question must be
    about somebody, as one about a past day is."""
    cut = words(question)
    taken = {i for i, word in enumerate(cut) if any(a <= word.start and word.end <= b for a, b in explained)}
    found, place = list[Mention[Company]](), 0
    while place < len(cut):
        stop = place
        while (
            stop < len(cut)
            and stop not in taken
            and _free(cut[stop])
            and _adjacent(question, cut, place, stop)
        ):
            stop += 1
        if stop > place and _in_position(cut, place, stop, taken):
            first = _with_place(cut, place, taken)
            mention = _mention(companies, question, as_of, cut[first:stop], certain)
            found += [mention] if mention else []
        place = max(stop, place + 1)
    return tuple(found)


def beside(
    companies: Companies,
    question: str,
    as_of: datetime | None,
    known: Sequence[Mention[Company]],
    explained: Sequence[tuple[int, int]],
) -> tuple[Mention[Company], ...]:
    """Names in small letters that a known one is compared with: "compare foobar and Apple"."""
    cut = words(question)
    taken = [*explained, *((one.start, one.end) for one in known)]
    found = list[Mention[Company]]()
    for one in known:
        first = next(i for i, word in enumerate(cut) if word.start >= one.start)
        stop = next((i for i, word in enumerate(cut) if word.start >= one.end), len(cut))
        compared = any(word.keys[-1] in COMPARES for word in cut[max(0, first - 3) : first])
        for at, join in ((first - 2, first - 1), (stop + 1, stop)):
            if not 0 <= at < len(cut) or cut[join].keys[-1] not in (JOINS if compared else COMPARES):
                continue
            if _free(cut[at]) and not any(a <= cut[at].start and cut[at].end <= b for a, b in taken):
                mention = _mention(companies, question, as_of, [cut[at]], certain=True)
                found += [mention] if mention else []
    return tuple(dict.fromkeys(found))


def _free(word: Word) -> bool:
    """Whether no question needs the word otherwise."""
    key = word.keys[-1]
    known = (lists().never, lists().qualifies, lists().ordinary, LEADS, JOINS)
    ordinary = any(key in words for words in known) and not word.text[0].isupper()
    ordinary = ordinary or any(key in words for words in (lists().never, lists().qualifies, LEADS, JOINS))
    return not ordinary and len(key) > 1 and (not key.isdigit() or len(key) > 2)


def _adjacent(question: str, cut: Sequence[Word], first: int, place: int) -> bool:
    return first == place or question[cut[place - 1].end : cut[place].start] in (" ", "-", ".", " & ")


def _in_position(cut: Sequence[Word], first: int, stop: int, taken: set[int]) -> bool:
    """Right before what is explained, with nothing before but the start, or right after a word that leads a
    name."""
    before = cut[first - 1].keys[-1] if first else ""
    starts = first == 0 or before in lists().places or first - 1 in taken
    return before in LEADS or (stop in taken and starts)


def _with_place(cut: Sequence[Word], first: int, taken: set[int]) -> int:
    """A country with a capital before a name belongs to it: "China Bank"."""
    while first and first - 1 not in taken and cut[first - 1].keys[-1] in lists().places:
        if cut[first - 1].text[0].islower():
            break
        first -= 1
    return first


def _mention(
    companies: Companies, question: str, as_of: datetime | None, span: Sequence[Word], certain: bool
) -> Mention[Company] | None:
    """What the catalogue makes of the words; nothing if they are more likely no name at all."""
    start, end = span[0].start, span[-1].end
    text = question[start:end]
    common = len(span) == 1 and span[0].keys[-1] in lists().common
    capital = text[0].isupper() and question.upper() != question
    bearers = companies.lookup(text, as_of)
    if len(bearers) == 1 and (capital or not common):
        return Mention(start, end, text, bearers[0])
    if bearers and (certain or capital or not common):
        return Mention(start, end, text, None, tuple(one.name for one in bearers), ambiguous=True)
    begun = tuple(company.name for company in companies.starting_with(text))
    near = begun or companies.near(text)
    named = certain or capital or text[0].isdigit() or not EXPLAINS.search(question)
    return Mention(start, end, text, None, near, ambiguous=bool(begun)) if named else None
