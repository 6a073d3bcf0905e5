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
from finground.records.request import Pair, Reading, Request
from finground.records.score import ScoreRow

TASK, TASK_VERSION = "request", 3
FORM = "sdr"
SLICES = ("kind", "noise", "channel")


class Reply(Protocol):
    """What a model made of one question (`agent.tuned.AgentReply`); `truncated` is of its prompt."""

    @property
    def request(self) -> Request | None: ...
    @property
    def text(self) -> str: ...
    @property
    def truncated(self) -> bool: ...
    @property
    def sure(self) -> float: ...
    @property
    def passes(self) -> int: ...
    @property
    def tokens(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Output:
    """An agent's output as it is scored: a request, or the text that was none."""

    request: Request | None
    text: str = ""
    truncated: bool = False
    sure: float = 0.0
    passes: int = 0
    tokens: int = 0


AgentOutput = Reply | Reading | Request | InputError


@dataclass(frozen=True, slots=True)
class Judged:
    """Outputs beside their pairs, and the values of each metric, one an output; BLEU is of the whole."""

    outputs: tuple[Output, ...]
    pairs: tuple[Pair, ...]
    items: dict[str, list[float]]
    bleu: float

    def mean_f1(self, place: int) -> float:
        """How near the output at this place came, over all fields."""
        values = [found[place] for name, found in self.items.items() if name.startswith("f1_")]
        return sum(values) / len(values)


def judge(agent_outputs: Sequence[AgentOutput], pairs: Sequence[Pair], catalog: Catalog) -> Judged:
    """Every output by every metric.

    Args:
        agent_outputs: one a pair: a model's reply, a reading, a request, or the error with which an agent
        refused the question.

    Raises:
        ValueError: if there are no pairs, or not one output for each.
    """
    from finground.bench.metrics import Bleu, RequestScores, Rouge, fields

    if not pairs or len(agent_outputs) != len(pairs):
        raise ValueError(f"{len(agent_outputs)} outputs for {len(pairs)} pairs; one each is scored")
    outputs = tuple(map(_output, agent_outputs))
    said = [_text(output.request, output.text, catalog) for output in outputs]
    gold = [_text(pair.request, "", catalog) for pair in pairs]
    scored = RequestScores().compute(
        predictions=[fields(output.request, catalog) for output in outputs],
        references=[fields(pair.request, catalog) for pair in pairs],
    )
    items = scored["items"] | Rouge().compute(predictions=said, references=gold)["items"]
    if any(output.passes for output in outputs):
        items["tokens"] = [float(output.tokens) for output in outputs]
        items["passes"] = [float(output.passes) for output in outputs]
    bleu = Bleu().compute(predictions=said, references=gold)["bleu"]
    return Judged(outputs, tuple(pairs), items, bleu)


def score_rows(system: str, judged: Judged, *, part: str, seed: int, commit: str) -> list[ScoreRow]:
    """Rows of every metric; of exact match also by kind, noise and channel, as parts `PART/kind=…`."""
    from finground.bench.statistics import area_under_roc, mean_and_error

    def row(metric: str, value: float, stderr: float | None, places: Sequence[int], of: str) -> ScoreRow:
        outputs = [judged.outputs[place] for place in places]
        unread = sum(output.request is None for output in outputs)
        truncated = sum(output.truncated for output in outputs)
        return ScoreRow(
            system, TASK, TASK_VERSION, of, metric, value, stderr, len(places), unread, truncated, seed,
            commit, "by hand" if part == NATURAL else "templates",
        )  # fmt: skip

    every = range(len(judged.pairs))
    rows = [row(name, *mean_and_error(values), every, part) for name, values in judged.items.items()]
    rows.append(row("bleu", judged.bleu, None, every, part))
    exact = judged.items["exact_match"]
    if 0 < sum(exact) < len(exact):
        area = area_under_roc([output.sure for output in judged.outputs], exact)
        rows.append(row("auroc", area, None, every, part))
    for what in SLICES:
        values = [str(getattr(pair, what)) for pair in judged.pairs]
        for value in sorted(set(values)):
            places = [place for place in every if values[place] == value]
            mean, error = mean_and_error([exact[place] for place in places])
            rows.append(row("exact_match", mean, error, places, f"{part}/{what}={value}"))
    return rows


def _text(request: Request | None, otherwise: str, catalog: Catalog) -> str:
    return dialect.write(request, FORM, catalog) if request else otherwise


def _output(said: AgentOutput) -> Output:
    if isinstance(said, Request):
        return Output(said, sure=1.0)
    if isinstance(said, Reading):
        return Output(said.request, sure=said.sure)
    if isinstance(said, InputError):
        return Output(None, str(said))
    return Output(said.request, said.text, said.truncated, said.sure, said.passes, said.tokens)
