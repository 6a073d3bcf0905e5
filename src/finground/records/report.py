"""The plan of an answer, the report, its score, and the whole Answer that keeps every step."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from finground.records.bundle import Bundle, Finding
from finground.records.request import Reading, Request

Status = Literal["complete", "partial", "failed"]


@dataclass(frozen=True, slots=True)
class Subtask:
    """One step of the decomposed question, what serves it and why.

    `tool` is one of the six, `lookup` (the store), or `none` where there is nothing to be read.
    """

    text: str
    tool: str
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """`data` answers give the table and a sentence per comparison, `analysis` ones the analyst's report.

    `education` explains a metric, `talk` needs nothing from the store. `by`: rules, or a model by name.
    """

    kind: Literal["data", "analysis", "education", "talk"]
    subtasks: tuple[Subtask, ...]
    by: str = "rules"

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools to call, in order; reading the store and telling what stands there are none."""
        used = dict.fromkeys(task.tool for task in self.subtasks)
        return tuple(tool for tool in used if tool not in ("lookup", "none"))


@dataclass(frozen=True, slots=True)
class Section:
    """A named part of a report; `rests_on` are ids of facts, findings, series and passages."""

    name: str
    text: str
    rests_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ungrounded:
    """Something a report says that no fact, finding or series bears out."""

    text: str
    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Report:
    """What the reader sees. `partial` where a dimension had no data or a number is not grounded.

    `stops` are the stop reasons of a model that wrote it (`eos`, `length`).
    """

    kind: Literal["data", "analysis", "education", "talk"]
    sections: tuple[Section, ...]
    writer: str
    status: Status
    ungrounded: tuple[Ungrounded, ...] = ()
    stops: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All sections, an empty line between."""
        return "\n\n".join(section.text for section in self.sections)

    @property
    def rests_on(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(id for section in self.sections for id in section.rests_on))


@dataclass(frozen=True, slots=True)
class Criterion:
    """One mandatory criterion of AnalyScore's eligibility check, with the evidence found."""

    name: str
    passed: bool
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """Points for one part of AnalyScore's rubric, what they were given for, and by whom.

    `by` is `rules`, or the model that judged.
    """

    part: str
    points: int
    evidence: tuple[str, ...]
    by: str = "rules"


@dataclass(frozen=True, slots=True)
class Score:
    """AnalyScore: eligible only if all six criteria pass; `points` by rubric line (FinSphere, Table 5).

    `marks` are the six parts that the four lines of points are made of.
    """

    eligible: bool
    criteria: tuple[Criterion, ...]
    points: dict[str, int] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()

    @property
    def total(self) -> int | None:
        """0 to 100, or None where the rubric was not applied."""
        return sum(self.points.values()) if self.points else None


@dataclass(frozen=True, slots=True)
class Answer:
    """Every step of one answer, kept; `sure` (0 to 1) and `doubts` are the agent's, of the request.

    `after` is the question that this one follows in a conversation.
    """

    query: str
    as_of: datetime
    plan: Plan
    request: Request
    bundle: Bundle
    findings: tuple[Finding, ...]
    report: Report
    score: Score | None
    versions: dict[str, str]
    timings: dict[str, float]
    profile: dict[str, str] | None = None  # the reader's own, where one was handed in
    sure: float = 1.0
    doubts: tuple[str, ...] = ()
    after: str | None = None

    @property
    def reading(self) -> Reading:
        """The question as the agent understood it."""
        return Reading(self.request, self.sure, self.doubts)


@dataclass(frozen=True, slots=True)
class WriterPair:
    """A Stocksis pair: the prompt with what the tools found, and the report to learn.

    `labels` says who wrote the report: `expert`, or `template-writer`, whose imitation is all that can be
    learned.
    """

    id: str
    query: str
    as_of: datetime
    company: str
    prompt: str
    target: str
    labels: str
    part: str
