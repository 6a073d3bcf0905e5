"""Beam search for one prompt: the likeliest reply among several kept side by side.

Replies are compared by the log-probability of all their tokens, their end included. The greedy one is always
among them, so what is found is never less likely than that (case T8). Under a grammar, probabilities are of
what it allows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from finground.lm.constrain import Matcher

Step = Callable[[list[list[int]], Any], Any]


@dataclass(frozen=True, slots=True)
class Beam:
    """A reply on its way, or done: its tokens without EOS, their log-probability, why it stopped."""

    tokens: tuple[int, ...]
    score: float
    stop: str = ""
    greedy: bool = False
    matcher: Matcher | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One more token for the beam in `row`."""

    row: int
    token: int
    score: float


def search(step: Step, cache: Any, width: int, limit: int, eos: int, matcher: Matcher | None) -> Beam:
    """The likeliest of the replies found.

    Args:
        step: the next tokens [rows][1] of the beams alive and the cache to log-scores float32 [rows, words];
            at first it is given no tokens, and reads the prompt.
        width: replies kept side by side.
    """
    alive, done = [Beam((), 0.0, greedy=True, matcher=matcher)], list[Beam]()
    tokens: list[list[int]] = []
    for count in range(limit):
        logits = step(tokens, cache)
        ended = [
            beam.matcher is not None and beam.matcher.mask(logits[row], 2 * width) == eos
            for row, beam in enumerate(alive)
        ]
        logs = logits.log_softmax(1)
        logs[logits.isneginf().all(1)] = float("-inf")  # the grammar's text refuses all that could follow
        going, finished = _chosen(logs, alive, width, eos)
        for one in finished:
            parent = alive[one.row]
            done.append(Beam(parent.tokens, one.score, "grammar" if ended[one.row] else "eos"))
        if not going and not done:
            return max((Beam(b.tokens, b.score, "stuck") for b in alive), key=lambda beam: beam.score)
        if not going or max(one.score for one in going) <= max((b.score for b in done), default=-1e30):
            return max(done, key=lambda beam: beam.score)
        alive = _continued(going, alive)
        if count + 1 < limit:
            _reordered(cache, [one.row for one in going], logits.device)
            tokens = [[one.token] for one in going]
    last = [Beam(beam.tokens, beam.score, "length") for beam in alive]
    return max([*done, *last], key=lambda beam: beam.score)


def _chosen(logs: Any, alive: list[Beam], width: int, eos: int) -> tuple[list[Candidate], list[Candidate]]:
    """The best `width` continuations, greedy's first among them while it goes on; and those that end."""
    import torch

    totals = logs + torch.tensor([[beam.score] for beam in alive], device=logs.device)
    best, places = totals.flatten().topk(min(2 * width, totals.numel()))
    words = totals.shape[1]
    ranked = [
        Candidate(place // words, place % words, score)
        for place, score in zip(places.tolist(), best.tolist(), strict=True)
        if score > float("-inf")
    ]
    for row, beam in enumerate(alive):
        token = int(logs[row].argmax())
        if beam.greedy and logs[row, token] > float("-inf"):
            ranked.insert(0, Candidate(row, token, float(totals[row, token])))
    ranked = list(dict.fromkeys(ranked))
    going = [one for one in ranked if one.token != eos]
    return going[:width], [one for one in ranked if one.token == eos]


def _continued(going: list[Candidate], alive: list[Beam]) -> list[Beam]:
    found = []
    for place, one in enumerate(going):
        parent = alive[one.row]
        matcher = parent.matcher.fork() if parent.matcher else None
        if matcher:
            matcher.take(one.token)
        greedy = parent.greedy and place == 0
        found.append(Beam((*parent.tokens, one.token), one.score, greedy=greedy, matcher=matcher))
    return found


def _reordered(cache: Any, rows: list[int], device: Any) -> None:
    import torch

    cache.batch_select_indices(torch.tensor(rows, device=device))
