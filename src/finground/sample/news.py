"""Headlines as JSONL and longer stories as Reuters SGML, both about events of the invented world.

Headlines carry `ts`, `title`, `href`, `matched` and mostly a `body`. Stories are Latin-1 with entities and
control characters, wrapped as the real ones are. Some have no body, some repeat an earlier one exactly,
nearly, or as another agency's copy, so that cleaning and deduplication have something to do.
"""

import json
import random
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from xml.sax.saxutils import escape

from finground.sample.events import Event
from finground.sample.grammar import SLOT, Grammar
from finground.sample.telling import World, values

WITHOUT_BODY = 0.15
STORIES_A_FILE = 1000


@dataclass(frozen=True, slots=True)
class Story:
    """A longer text; `body` is paragraphs, empty for a brief."""

    at: datetime
    title: str
    place: str
    topics: tuple[str, ...]
    tickers: tuple[str, ...]
    body: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Teller:
    """Writes about events with the shipped templates."""

    data: Mapping[str, Any]
    world: World
    last: date

    def headline(self, event: Event, number: int, rng: random.Random) -> dict[str, Any]:
        """One row of the headline file."""
        told, at = values(event, self.world, rng), self._after(event, rng, 45)
        title = self._write(rng.choice(self.data["headline"][event.kind]), told, rng)
        slug = "-".join(re.findall(r"[a-z]+", title.lower())[:4])
        row = {
            "ts": f"{at:%Y%m%d} {at.hour % 12 or 12}:{at:%M}{'AM' if at.hour < 12 else 'PM'} UTC",
            "title": title,
            "href": f"http://news.invalid/article/{at:%Y/%m/%d}/{slug}-idINV{number:06d}",
            "matched": self._tickers(event),
        }
        if rng.random() < WITHOUT_BODY:
            return row
        return {**row, "body": "\n".join(self._paragraphs(event, told, rng.randint(2, 3), rng))}

    def story(self, event: Event, rng: random.Random) -> Story:
        """A story of 100 to 300 words."""
        told, at = values(event, self.world, rng), self._after(event, rng, 600)
        title = self._write(rng.choice(self.data["headline"][event.kind]), told, rng)
        body = self._paragraphs(event, told, rng.randint(5, 8), rng)
        topic = event.kind.partition("-")[0]
        place = told["city_short" if event.firm else "land" if topic == "economy" else "port"]
        return Story(at, title, place, (topic,), tuple(self._tickers(event)), tuple(body))

    def _paragraphs(self, event: Event, told: Mapping[str, str], count: int, rng: random.Random) -> list[str]:
        """A lead, then paragraphs that fit the event, none twice, none that needs what is not known."""
        groups = self.data["groups"][event.kind]
        rest = [text for group in groups for text in self.data["paragraphs"][group] if self._can(text, told)]
        of_the_stock = [text for text in rest if "{close}" in text]
        if of_the_stock:  # one sentence on the share price is enough
            rest = [text for text in rest if text not in of_the_stock] + [rng.choice(of_the_stock)]
        chosen = [rng.choice(self.data["lead"][event.kind]), *rng.sample(rest, min(count - 1, len(rest)))]
        return [self._write(template, told, rng) for template in chosen]

    def _write(self, template: str, told: Mapping[str, str], rng: random.Random) -> str:
        return Grammar(self.data["rules"]).write(template, told, rng)

    def _can(self, template: str, told: Mapping[str, str]) -> bool:
        return all(name in told or name in self.data["rules"] for _, name in SLOT.findall(template))

    def _tickers(self, event: Event) -> list[str]:
        if event.firm:
            return [event.firm.ticker]
        return [firm.ticker for firm in self.world.filed if firm.trade.industry == event.industry]

    def _after(self, event: Event, rng: random.Random, minutes: int) -> datetime:
        """Some minutes later, on the last day at the latest."""
        end = datetime.combine(self.last, time(23, 59), tzinfo=UTC)
        return min(event.at + timedelta(minutes=rng.randint(1, minutes), seconds=rng.randrange(60)), end)


def headlines(teller: Teller, events: Sequence[Event], count: int, seed: int) -> bytes:
    """`count` headlines as JSONL, in order of their events."""
    rng = random.Random(f"{seed}/headlines")
    rows = (
        teller.headline(event, number, rng) for number, event in enumerate(_take(events, count, rng), start=1)
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def stories(teller: Teller, events: Sequence[Event], count: int, seed: int) -> list[Story]:
    """`count` stories in order of time; about one in eight is odd on purpose."""
    rng = random.Random(f"{seed}/stories")
    told: list[Story] = []
    for event in _take(events, count, rng):
        chance = rng.random()
        if chance < 0.03:
            told.append(replace(teller.story(event, rng), body=()))
        elif chance < 0.12 and told:
            told.append(_again(rng.choice(told), teller.last, rng))
        else:
            told.append(teller.story(event, rng))
    return sorted(told, key=lambda story: story.at)


def sgml(told: Sequence[Story]) -> Iterator[bytes]:
    """The stories as SGML files of at most 1,000."""
    for start in range(0, len(told), STORIES_A_FILE):
        part = told[start : start + STORIES_A_FILE]
        records = (_record(story, number) for number, story in enumerate(part, start=start + 1))
        text = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n<DATA>\n' + "".join(records) + "</DATA>\n"
        yield text.encode("latin-1", "xmlcharrefreplace")


def _take(events: Sequence[Event], count: int, rng: random.Random) -> list[Event]:
    """So many events in order of time; all of them once before any comes again."""
    taken: list[Event] = []
    while events and len(taken) < count:
        taken += rng.sample(list(events), min(count - len(taken), len(events)))
    return sorted(taken, key=lambda event: event.at)


def _again(story: Story, last: date, rng: random.Random) -> Story:
    """An earlier story sent again: the same, with a word or a sentence more, or as another agency's copy."""
    end = datetime.combine(last, time(23, 59), tzinfo=UTC)
    later = replace(story, at=min(story.at + timedelta(minutes=rng.randint(10, 300)), end))
    kind = rng.choice(("same", "near", "copy"))
    if kind == "copy":
        return replace(later, title=f"{story.title} — Reuters")
    if kind == "near" and story.body:
        return replace(
            later, title=f"UPDATE 1-{story.title}", body=(*story.body, "It gave no further details.")
        )
    return later


def _record(story: Story, number: int) -> str:
    brief = "" if story.body else ' TYPE="BRIEF"'
    title, place = escape(story.title).replace("&gt;", ">"), escape(story.place.upper())
    body = "\n".join(_wrap(paragraph) for paragraph in story.body).lstrip()
    dateline = f"<DATELINE>    {place}, {story.at:%B} {story.at.day} - </DATELINE>" if body else ""
    text = f"<TEXT{brief}>&#2;\n<TITLE>{title}</TITLE>\n{dateline}"
    return (
        _head(story, number)
        + text
        + (f"<BODY>{body}\n REUTER\n&#3;</BODY>" if body else "")
        + "</TEXT>\n</REUTERS>\n"
    )


def _head(story: Story, number: int) -> str:
    ids = f'OLDID="{number}" NEWID="{number}"'
    when = f"{story.at.day:2d}-{story.at:%b-%Y}".upper() + f" {story.at:%H:%M:%S}.00"
    return (
        f'<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" {ids}>\n'
        f"<DATE>{when}</DATE>\n<TOPICS>{_listed(story.topics)}</TOPICS>\n<PLACES></PLACES>\n<PEOPLE></PEOPLE>\n"
        f"<ORGS></ORGS>\n<EXCHANGES></EXCHANGES>\n<COMPANIES>{_listed(story.tickers)}</COMPANIES>\n"
        f"<UNKNOWN> \n&#5;&#5;&#5;F\n&#22;&#22;&#1;f{number:04d}&#31;reute\n"
        f"u f BC-INVENTED   {story.at:%m-%d}</UNKNOWN>\n"
    )


def _listed(items: Iterable[str]) -> str:
    return "".join(f"<D>{escape(item.lower())}</D>" for item in items)


def _wrap(paragraph: str) -> str:
    return textwrap.fill(
        escape(paragraph).replace("&gt;", ">"), 64, initial_indent="    ", break_long_words=False
    )
