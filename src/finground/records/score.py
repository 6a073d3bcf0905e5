"""One score, with everything it must travel with (law 9)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """`n` counts every item, those unread (`n_unread`) included; `stderr` is None where it is not defined.

    `part` names the split the score was taken on, `labels` who made the labels (such as `expert` or
    `template-writer`).
    """

    system: str
    task: str
    task_version: int
    part: str
    metric: str
    value: float
    stderr: float | None
    n: int
    n_unread: int
    n_truncated: int
    seed: int
    commit: str
    labels: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on the same `n` items: the first minus the second, its 95% interval, two-sided p.

    `changed`: the share of items on which the first said something else, where that was counted.
    """

    first: str
    second: str
    part: str
    metric: str
    difference: float
    low: float
    high: float
    p: float
    n: int
    changed: float | None = None


@dataclass(frozen=True, slots=True)
class KeptReply:
    """What a system was asked and said in a benchmark, read or not (law 5); `why` it could not be read.

    Where there is one right reply: that, how near the other came (mean F1 of the fields), how sure it was.
    """

    system: str
    part: str
    prompt: str
    text: str
    stop: str
    why: str = ""
    right: str = ""
    near: float | None = None
    sure: float | None = None
