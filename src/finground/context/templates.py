"""Question templates as data: a text with typed slots, and what may be put into them.

In come the shipped JSONL files (`templates/`, one file a channel); out go checked templates. A slot is
`[company]`, `[company1]`, `[company2]`, `[companies]`, `[industry]`, `[metrics]`, `[date]` or `[number]`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

import msgspec

from finground.core.errors import FingroundError
from finground.records.request import QuestionKind

Channel = Literal["technology", "advisor", "investor"]
Need = Literal["any", "numeric", "trackable"]
SLOTS = ("company", "company1", "company2", "companies", "industry", "metrics", "date", "number")
PEERS = r"(?:peers|competitors|rivals|competition)\b"
ONLY_PEERS = re.compile(
    rf"\[company\](?:['’]s?)? (?:(?:main|closest|direct|biggest|key|listed) )?{PEERS}"
    rf"|\b{PEERS} (?:of|to) \[company\]",
    re.I,
)
SLOT = re.compile(r"\[([a-z0-9]+)\]")


class TemplateError(FingroundError):
    """A template that cannot be used: which, and what would be right."""


@dataclass(frozen=True, slots=True)
class Template:
    """A question with slots.

    `metric` is what a metric must be to fit: `trackable` (a number that is followed over time) where the
    question is about change, `numeric` where it is about size, else `any`. `least` and `most` count
    metrics; `peers` adds the company's peers to the request, `market` the whole market; `rank` orders by
    the metric, the best (or last) `n` where the text has no `[number]`.
    """

    id: str
    channel: Channel
    kind: QuestionKind
    text: str
    metric: Need = "any"
    least: int = 1
    most: int = 3
    peers: bool = False
    market: bool = False
    rank: Literal["top", "bottom"] | None = None
    n: int | None = None

    @property
    def slots(self) -> tuple[str, ...]:
        """Names of the slots, in the order of the text."""
        return _slots(self.text)

    @property
    def body(self) -> str:
        """What it was composed around; templates of one body ask the same in other words."""
        return self.id.rpartition("-")[0] if self.id.count("-") > 2 else self.id

    @property
    def only_peers(self) -> bool:
        """Whether the peers alone are asked about, as the paper has it: "[company]'s rivals", "peers of
        [company]"."""
        return self.peers and ONLY_PEERS.search(self.text) is not None

    @property
    def companies(self) -> int:
        """The least number of companies it takes to fill this template."""
        return sum({"companies": 2}.get(slot, 1) for slot in self.slots if slot.startswith("compan"))

    @property
    def parts(self) -> tuple[str, ...]:
        """The text cut at its slots: plain words and slots' names in turn."""
        return _parts(self.text)


@lru_cache(maxsize=8192)
def _slots(text: str) -> tuple[str, ...]:
    return tuple(SLOT.findall(text))


@lru_cache(maxsize=8192)
def _parts(text: str) -> tuple[str, ...]:
    return tuple(SLOT.split(text))


def templates() -> tuple[Template, ...]:
    """The shipped templates of all three channels, those held out for tests among them."""
    folder = files("finground.context") / "templates"
    return tuple(t for name in ("technology", "advisor", "investor") for t in _read(folder / f"{name}.jsonl"))


def check(template: Template) -> Template:
    """The template, if it can be filled and its request means something.

    Raises:
        TemplateError: saying what is wrong with it.
    """
    slots = template.slots
    wrong = {
        f"has an unknown slot; there are {', '.join(SLOTS)}": bool(set(slots) - set(SLOTS)),
        "repeats a slot": len(set(slots)) != len(slots),
        "asks for peers, but has no [company]": template.peers and "company" not in slots,
        "has [company1] without [company2], or the reverse": ("company1" in slots) != ("company2" in slots),
        "ranks by no metric, or by several": template.rank is not None
        and ("metrics" not in slots or template.most != 1),
        "ranks, but says neither [number] nor n": template.rank is not None
        and ("number" in slots) == (template.n is not None),
        "has a [number], but does not rank": "number" in slots and template.rank is None,
        "asks for fewer metrics than it takes": not 1 <= template.least <= template.most,
        "is about nobody": template.kind != "educational"
        and not (template.companies or template.market or "industry" in slots),
    }
    if found := [text for text, holds in wrong.items() if holds]:
        raise TemplateError(f"template {template.id} {' and '.join(found)}: {template.text!r}")
    return template


def _read(path: Traversable) -> Iterator[Template]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield check(msgspec.json.decode(line, type=Template))
