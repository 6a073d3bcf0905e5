"""What a question asks the Data Module for (FinBloom's structured data request); a training pair of both."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

EntityKind = Literal["company", "peers", "industry", "market"]
QuestionKind = Literal[
    "yes-no", "comparative", "open-ended", "ranking", "peers", "industry", "educational", "analysis"
]


@dataclass(frozen=True, slots=True)
class Entity:
    """Whom the request is about; `id` is a company's (for its peers too), an industry's name or `market`."""

    kind: EntityKind
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class RequestedMetric:
    """A metric's slug; primary if it was asked for, else related to one that was."""

    slug: str
    primary: bool


@dataclass(frozen=True, slots=True)
class Interval:
    """Both days included."""

    start: date
    end: date


@dataclass(frozen=True, slots=True)
class Rank:
    """The top (or bottom) `n` by metric `by`."""

    by: str
    n: int
    descending: bool = True


@dataclass(frozen=True, slots=True)
class Request:
    """A data request over known ids; `interval` None is the latest, `phrase` the dates as asked.

    `unresolved` are names of companies the catalogue does not know, as asked (case D5).
    """

    kind: QuestionKind
    entities: tuple[Entity, ...]
    metrics: tuple[RequestedMetric, ...]
    interval: Interval | None = None
    phrase: str = ""
    rank: Rank | None = None
    unresolved: tuple[str, ...] = ()


DOUBTFUL = 0.5


@dataclass(frozen=True, slots=True)
class Reading:
    """A question as an agent understood it, how sure of it the agent is (0 to 1), and what it doubts."""

    request: Request
    sure: float = 1.0
    doubts: tuple[str, ...] = ()

    @property
    def doubtful(self) -> bool:
        return self.sure < DOUBTFUL

    @property
    def why(self) -> str:
        """What is doubtful about it; a model has no words for that."""
        return "; ".join(self.doubts) or "the model was not sure of its words"


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and the request it means, with how it was made."""

    query: str
    as_of: datetime
    request: Request
    template: str
    channel: Literal["technology", "advisor", "investor"]
    kind: QuestionKind
    noise: str
    part: str
