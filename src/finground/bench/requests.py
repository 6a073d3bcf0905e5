"""Score an agent's requests against their pairs: one row a metric, with all a score travels with (law 9).

BLEU and ROUGE are taken on the paper's written form, whatever form the agent writes; a reply that could not
be read stands as it was said. They hardly move when the company is wrong (P11): exact match and F1 are what
counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from finground.catalog import dialect
from finground.catalog.catalog import Catalog
from finground.context.split import NATURAL
from finground.core.errors import InputError
from finground.records.request import Pair, Request
from finground.records.score import ScoreRow

TASK, TASK_VERSION = "request", 2
FORM = "sdr"


class Reply(Protocol):
    """What a model made of one question (`agent.tuned.AgentReply`); `truncated` is of its prompt."""

    @property
    def request(self) -> Request | None: ...
    @property
    def text(self) -> str: ...
    @property
    def truncated(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Output:
    """An agent's output as it is scored: a request, or the text that was none."""

    request: Request | None
    text: str = ""
    truncated: bool = False


AgentOutput = Reply | Request | InputError


def score_requests(
    system: str,
    agent_outputs: Sequence[AgentOutput],
    pairs: Sequence[Pair],
    catalog: Catalog,
    *,
    part: str,
    seed: int,
    commit: str,
) -> list[ScoreRow]:
    """Rows of exact match, validity, F1 by field, BLEU and ROUGE.

    Args:
        agent_outputs: one a pair: a model's reply, a request, or the error with which an agent refused the
        question.

    Raises:
        ValueError: if there are no pairs, or not one output for each.
    """
    if not pairs or len(agent_outputs) != len(pairs):
        raise ValueError(
            f"{len(agent_outputs)} outputs for {len(pairs)} pairs of part {part}; one each is scored"
        )
    outputs = [_output(said) for said in agent_outputs]
    unread = sum(output.request is None for output in outputs)
    truncated = sum(output.truncated for output in outputs)
    return [
        ScoreRow(
            system, TASK, TASK_VERSION, part, metric, value, stderr, len(pairs), unread, truncated, seed,
            commit, "by hand" if part == NATURAL else "templates",
        )
        for metric, value, stderr in _scores(outputs, pairs, catalog)
    ]  # fmt: skip


def _scores(
    outputs: Sequence[Output], pairs: Sequence[Pair], catalog: Catalog
) -> list[tuple[str, float, float | None]]:
    """Metric, mean and standard error; BLEU is of the whole and has none."""
    from finground.bench.metrics import Bleu, RequestScores, Rouge, fields
    from finground.bench.statistics import mean_and_error

    said = [_text(output.request, output.text, catalog) for output in outputs]
    gold = [_text(pair.request, "", catalog) for pair in pairs]
    scored = RequestScores().compute(
        predictions=[fields(output.request, catalog) for output in outputs],
        references=[fields(pair.request, catalog) for pair in pairs],
    )
    items = scored["items"] | Rouge().compute(predictions=said, references=gold)["items"]
    rows: list[tuple[str, float, float | None]] = [
        (name, *mean_and_error(values)) for name, values in items.items()
    ]
    return [*rows, ("bleu", Bleu().compute(predictions=said, references=gold)["bleu"], None)]


def _text(request: Request | None, otherwise: str, catalog: Catalog) -> str:
    return dialect.write(request, FORM, catalog) if request else otherwise


def _output(said: AgentOutput) -> Output:
    if isinstance(said, Request):
        return Output(said)
    if isinstance(said, InputError):
        return Output(None, str(said))
    return Output(said.request, said.text, said.truncated)
