"""Which company at which session's close belongs to which part, and the check that parts stay apart (law 8).

Parts: training companies on training dates; `new-time`, the same companies on later dates; `new-company`,
companies that training never sees, on later dates. A held-out company on an early date belongs nowhere.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from finground.context.split import LeakError
from finground.core.errors import InputError
from finground.records.report import WriterPair
from finground.store.reader import Store

PARTS = ("train", "new-time", "new-company")
FEWEST_BARS = 80  # MACD and a 60-day average want that many sessions
TEST_TIME = 0.2  # the last fifth of the dates is for testing


@dataclass(frozen=True, slots=True)
class Moment:
    """A company at a session's close."""

    company: str
    as_of: datetime
    part: str

    @property
    def id(self) -> str:
        return f"{self.company}@{self.as_of:%Y-%m-%d}"


@dataclass(frozen=True, slots=True)
class Split:
    """Companies held out, the first moment of the test dates, and all moments in a seeded order."""

    held_out: frozenset[str]
    cut: datetime
    moments: tuple[Moment, ...]

    def of(self, part: str) -> list[Moment]:
        """The moments of one part, in their order."""
        return [moment for moment in self.moments if moment.part == part]

    def part(self, company: str, as_of: datetime) -> str:
        """The part of a moment, empty where it has none."""
        late = as_of >= self.cut
        if company in self.held_out:
            return "new-company" if late else ""
        return "new-time" if late else "train"


def split(store: Store, *, as_of: datetime, test_companies: float, seed: int) -> Split:
    """Companies and dates of a store, shuffled with the seed.

    Raises:
        InputError: if no company has prices enough.
    """
    sessions = {
        id: days[FEWEST_BARS - 1 :]
        for id in sorted(store.covered(as_of))
        if len(days := store.sessions(id, as_of)) >= FEWEST_BARS
    }
    if not sessions:
        raise InputError(
            f"no company has {FEWEST_BARS} sessions of prices by {as_of:%Y-%m-%d}; ingest price files first"
        )
    rng = random.Random(seed)
    companies = sorted(sessions)
    rng.shuffle(companies)
    held = math.ceil(test_companies * len(companies)) if len(companies) > 1 else 0
    every = sorted(day for days in sessions.values() for day in days)
    empty = Split(frozenset(companies[:held]), every[int(len(every) * (1 - TEST_TIME))], ())
    moments = [
        Moment(id, day, part) for id in companies for day in sessions[id] if (part := empty.part(id, day))
    ]
    rng.shuffle(moments)
    return Split(empty.held_out, empty.cut, tuple(moments))


def check(parts: Mapping[str, Sequence[WriterPair]], held: Split) -> None:
    """Refuse parts in which training sees what is held out, or a part holds what is another's.

    Raises:
        LeakError: naming the pair and what leaked.
    """
    for part, pairs in parts.items():
        for pair in pairs:
            if (right := held.part(pair.company, pair.as_of)) != part:
                raise LeakError(
                    f"pair {pair.id} is in part {part} and belongs in {right or 'none'}: "
                    f"{'the company is held out' if pair.company in held.held_out else 'its date is not'}; "
                    "nothing was written"
                )
    seen = {pair.prompt for pair in parts.get("train", ())}
    for part in PARTS[1:]:
        if both := [pair.id for pair in parts.get(part, ()) if pair.prompt in seen]:
            raise LeakError(f"the prompt of {both[0]} of part {part} is in train too; nothing was written")
