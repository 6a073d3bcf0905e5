"""Replies on their way: one `Line` a reply, and the `Group` of those that a pass of the model reads together.

A line that is done leaves its group, and another comes in with its prompt read (continuous batching, Yu et
al. 2022). What a cache holds that its line must not see (padding, wrong guesses) stays behind the mask, and
positions count what is seen, so a line says the same wherever it lies and whoever lies beside it (case T8).
"""

import math
from dataclasses import dataclass, field
from typing import Any, Literal

from finground.lm.constrain import Matcher

Stop = Literal["eos", "length", "grammar", "stuck"]
GUESS = 12  # tokens of a draft tried at once after it was wrong
READ = 32  # tokens that a pass over a group reads for about the price of one a line


@dataclass(slots=True)
class Line:
    """One reply on its way: what was said, what of it (at first: the prompt) the model has yet to read."""

    eos: int
    limit: int
    unread: list[int]
    place: int = 0  # of its prompt among all
    matcher: Matcher | None = None
    draft: list[int] = field(default_factory=list)
    said: list[int] = field(default_factory=list)
    stop: Stop | None = None
    score: float = 0.0
    passes: int = 0

    def guess(self, most: int) -> list[int]:
        """What the draft has where the reply stands: all of it at first, then so much after the last two."""
        said = self.said
        if said == self.draft[: len(said)]:
            return self.draft[len(said) : self.limit - 1]
        places = range(len(self.draft) - 2, -1, -1)
        at = next((place for place in places if self.draft[place : place + 2] == said[-2:]), None)
        return [] if at is None else self.draft[at + 2 :][: min(most, self.limit - len(said) - 1)]

    def read(self, guess: list[int], scores: Any) -> int:
        """Go on by the likeliest tokens while the guess holds, and by one more; returns how many held.

        Args:
            scores: [guess + 1, vocabulary], after what was unread and after each token of the guess.
        """
        self.passes += 1
        held = 0
        while not self._ended(scores[held]):
            said = [self.said[-1], *self._forced()]
            for place, token in enumerate(said):
                if held == len(guess) or guess[held] != token:
                    self.unread = said[place:]
                    return held
                held += 1
        return held

    def _ended(self, scores: Any) -> bool:
        """Say the likeliest token; True if nothing comes after."""
        only = self.matcher.mask(scores) if self.matcher else None
        token = int(scores.argmax()) if only is None else only
        top = float(scores[token])
        if top == -math.inf:
            self.stop = "stuck"
            return True
        if only is None:
            self.score += top - float(scores.logsumexp(0))
        if token == self.eos:
            self.stop = "eos" if only is None else "grammar"
            return True
        self._say(token)
        return self.stop is not None

    def _forced(self) -> list[int]:
        """Say what must follow."""
        tokens = self.matcher.stretch() if self.matcher else []
        tokens = tokens[: self.limit - len(self.said) - 1]
        for token in tokens:
            self._say(token)
        return tokens

    def _say(self, token: int) -> None:
        self.said.append(token)
        if self.matcher:
            self.matcher.take(token)
        if len(self.said) == self.limit:
            self.stop = "length"


@dataclass(slots=True)
class Group:
    """Lines side by side, the cache of what the model read of each, and what of it each may see."""

    lines: list[Line]
    cache: Any
    mask: Any  # [lines, tokens in the cache], 1 where seen

    @property
    def reach(self) -> int:
        """Tokens of a draft that one line may try beside the others."""
        return min(GUESS, max(1, READ // len(self.lines) - 1))

    def leave(self) -> list[Line]:
        """Lines that are done leave, and are returned."""
        import torch

        done = [line for line in self.lines if line.stop]
        going = [row for row, line in enumerate(self.lines) if not line.stop]
        if done and going:
            kept = torch.tensor(going, device=self.mask.device)
            self.cache.batch_select_indices(kept)
            self.mask = self.mask[kept]
        self.lines = [self.lines[row] for row in going]
        return done

    def joined(self, other: "Group") -> "Group":
        """Both as one; what no line sees any more is dropped."""
        import torch
        from transformers import DynamicCache

        if not self.lines or not other.lines:
            return self if self.lines else other
        width = max(int(one.mask.sum(1).max()) for one in (self, other))
        (mask, mine), (more, theirs) = self._seen(width), other._seen(width)
        cache = DynamicCache()
        for place, pair in enumerate(zip(mine, theirs, strict=True)):
            keys, values = (torch.cat(states) for states in zip(*pair, strict=True))
            cache.update(keys, values, place)
        return Group([*self.lines, *other.lines], cache, torch.cat([mask, more]))

    def _seen(self, width: int) -> tuple[Any, list[tuple[Any, Any]]]:
        """Mask, and keys and values of each layer, with what each line sees in the last of `width` places."""
        from torch.nn.functional import pad

        places = self.mask.argsort(dim=1, stable=True)[:, -width:]
        short = width - places.shape[1]
        found = []
        for layer in self.cache.layers:
            states = layer.keys, layer.values
            index = places[:, None, :, None]
            taken = [one.gather(2, index.expand(-1, one.shape[1], -1, one.shape[3])) for one in states]
            found.append((pad(taken[0], (0, 0, short, 0)), pad(taken[1], (0, 0, short, 0))))
        return pad(self.mask.gather(1, places), (short, 0)), found
