"""What a cell of the benchmark is called, and what comes out of it (floor 4).

Agents are scored in `agents`, writers in `reports`.
"""

from dataclasses import dataclass

from finground.records.score import Comparison, KeptReply, ScoreRow


@dataclass(frozen=True, slots=True)
class Trial:
    """Whose scores, on what task, with which seed and code."""

    system: str
    task: str
    seed: int
    commit: str


@dataclass(frozen=True, slots=True)
class Scored:
    """Score rows, what the models said, and how systems compare."""

    rows: tuple[ScoreRow, ...] = ()
    replies: tuple[KeptReply, ...] = ()
    compared: tuple[Comparison, ...] = ()

    def __add__(self, other: "Scored") -> "Scored":
        return Scored(self.rows + other.rows, self.replies + other.replies, self.compared + other.compared)
