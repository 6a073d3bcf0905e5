"""What the store knew at `as_of`: facts, series, passages, the gaps between them; what tools found in it."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

Signal = Literal["bullish", "bearish", "neutral"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One reported or computed number, in base units (5 million USD is 5e6, 12% is 0.12).

    `filed_at` is when it became known, `recorded_at` when we stored it; `rule` says how the period was
    aligned with what was asked ("latest filed quarter", "year minus nine months", …).
    """

    id: str
    entity: str
    metric: str
    value: float
    unit: str
    currency: str | None
    period_start: date | None
    period_end: date
    filed_at: datetime
    recorded_at: datetime
    source: str
    rule: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Daily or finer numbers of one entity.

    `times` is datetime64[s] UTC, the close of each session, when its row became known; `columns[i]` is the
    float64 array of `names[i]`, NaN where the source has no value.
    """

    id: str
    entity: str
    names: tuple[str, ...]
    times: npt.NDArray[np.datetime64]
    columns: tuple[npt.NDArray[np.float64], ...]
    currency: str | None
    source: str

    def column(self, name: str) -> npt.NDArray[np.float64] | None:
        """The array of that name, or None if the source has no such column."""
        return self.columns[self.names.index(name)] if name in self.names else None


@dataclass(frozen=True, slots=True)
class Passage:
    """A news item, with its cosine to the question."""

    id: str
    published_at: datetime
    source: str
    headline: str
    body: str
    url: str
    tickers: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Gap:
    """A number we looked for and do not have, never a zero; `nearest` is shown, never put in its place.

    `tool` is the tool that wanted it, empty where the request did.
    """

    entity: str
    what: str
    why: str
    nearest: Fact | None = None
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a tool wants to read for one entity; the empty one is nothing.

    `metrics` with the last `quarters` periods of each; `bars` trading days of prices and volumes (and of
    `flows`: large orders, margin, holdings); `peers` and `index` for comparison; `news_days` days of news
    before `as_of`.
    """

    metrics: tuple[str, ...] = ()
    quarters: int = 0
    bars: int = 0
    flows: bool = False
    peers: bool = False
    index: bool = False
    news_days: int = 0


@dataclass(frozen=True, slots=True)
class Bundle:
    """All that was read for one answer; `synthetic` if any of it was invented."""

    as_of: datetime
    facts: tuple[Fact, ...] = ()
    series: tuple[Series, ...] = ()
    passages: tuple[Passage, ...] = ()
    gaps: tuple[Gap, ...] = ()
    synthetic: bool = False

    def frame(self) -> "pd.DataFrame":
        """The facts as a table, one row a fact, with how many days before `as_of` its period ended."""
        import dataclasses

        import pandas as pd

        columns = [field.name for field in dataclasses.fields(Fact)]
        table = pd.DataFrame([dataclasses.astuple(fact) for fact in self.facts], columns=columns)
        table["age_days"] = [(self.as_of.date() - fact.period_end).days for fact in self.facts]
        return table


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a quantitative tool.

    `value` is a number in `unit`, or a word (a pattern's name, a level); `text` is the tool's own sentence;
    `inputs` are ids of the facts, series and passages it rests on.
    """

    id: str
    tool: str
    entity: str
    name: str
    value: float | str
    unit: str
    period_start: date | None
    period_end: date
    inputs: tuple[str, ...]
    signal: Signal
    text: str
