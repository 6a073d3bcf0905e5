"""Generation, greedy or by beams: prompts in, replies out, each with why it stopped.

Soft prompts go in as a key/value cache computed once; `PeftModel.generate` is silently wrong for them on
Bloom, Llama and GPT-2 (FACTS). A batch gives what one by one gives (`lm.lines`, case T8): the longest prompts
go first, and others come in where replies are done. LoRA is merged in memory, or stays beside a quantised
base.

A pass reads as many tokens as are settled: what the grammar leaves no choice in, and what a draft of the
reply guessed rightly (speculative decoding, Leviathan et al. 2023, with a draft that needs no model). Wrong
guesses stay in the cache and are masked, so the reply is the one without a draft.
"""

import copy
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, cast

from finground.core.errors import InputError
from finground.core.log import progress
from finground.lm import adapter as adapters
from finground.lm import base as bases
from finground.lm.beams import search
from finground.lm.constrain import Grammar, Grammars
from finground.lm.lines import Group, Line, Stop


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said, and why it stopped: it ended (`eos`), the tokens did (`length`), or the grammar.

    `stuck`: the grammar refuses whatever could follow. `truncated`: the prompt did not fit the context beside
    the new tokens and lost its beginning (case B3). `log_probability` is of what the model chose, its end
    included, among what the grammar allows; `passes` are those of the model.
    """

    text: str
    stop: Stop
    prompt_tokens: int
    new_tokens: int
    truncated: bool
    log_probability: float = field(default=0.0, compare=False)
    passes: int = field(default=0, compare=False)

    @property
    def probability(self) -> float:
        return math.exp(self.log_probability)


@dataclass(slots=True)
class Generator:
    """A model ready to reply. Make it with `Generator.open`."""

    model: Any
    tokenizer: Any
    context: int
    positions: bool
    four_bit_modules: int
    prefix: Any = None  # the soft prompt's cache, batch 1
    virtual: int = 0
    grammars: Grammars = field(init=False)

    def __post_init__(self) -> None:
        self.grammars = Grammars(self.tokenizer, self._head().shape[0])

    @classmethod
    def open(
        cls, base: Path, adapter: Path | None, *, quant: str = "none", dtype: str = "float32",
        belongs: Mapping[str, str] | None = None,
    ) -> "Generator":  # fmt: skip
        """The base with its adapter, if any.

        Args:
            belongs: what the adapter must have been trained on beside its base; see `adapter.check`.

        Raises:
            InputError: if base or adapter cannot be used, or do not belong together.
        """
        if adapter is not None:
            adapters.check(adapter, bases.digest(base), belongs)
        loaded = bases.load(base, quant=quant, dtype=dtype)
        kind = adapters.KINDS[loaded.model.config.model_type]
        ready = cls(
            loaded.model, loaded.tokenizer, bases.context(base), kind.positions, loaded.four_bit_modules
        )
        if adapter is not None:
            ready._adapt(adapters.read(loaded.model, adapter, loaded.digest), merge=quant == "none")
        return ready

    def reply(
        self, prompts: list[str], *, max_new_tokens: int, batch: int, grammar: Grammar | None = None,
        drafts: list[str | None] | None = None, beams: int = 1,
    ) -> list[Reply]:  # fmt: skip
        """A reply to each prompt, in their order, greedily.

        Args:
            batch: prompts computed together; changes the speed alone.
            grammar: what every reply must follow.
            drafts: a guess of each reply, which makes it come sooner and changes nothing; not with beams.
            beams: replies kept side by side; more than one finds likelier ones, prompt by prompt.

        Raises:
            InputError: if the grammar does not compile, or max_new_tokens leaves no room for a prompt.
        """
        import torch

        room = self.context - self.virtual - max_new_tokens
        if room < 1:
            raise InputError(
                f"max_new_tokens {max_new_tokens} leaves no room for a prompt in a context of {self.context}"
                + (f", of which {self.virtual} are the soft prompt's" if self.virtual else "")
            )
        whole = bases.encode(self.tokenizer, prompts)
        texts = [draft or "" for draft in drafts or [None] * len(prompts)]
        guesses = bases.encode(self.tokenizer, texts, start=False)
        lines = (
            Line(
                self.tokenizer.eos_token_id, max_new_tokens, whole[place][-room:], place,
                self.grammars.matcher(grammar) if grammar else None, guesses[place],
            )
            for place in sorted(range(len(whole)), key=lambda place: -len(whole[place]))
        )  # fmt: skip
        replies: dict[int, Reply] = {}
        with torch.inference_mode():
            done = self._searched(lines, beams) if beams > 1 else self._decoded(lines, batch)
            for line in progress(done, "replies", len(whole)):
                replies[line.place] = self._reply(line, len(whole[line.place]), room)
        return [replies[place] for place in range(len(whole))]

    def _reply(self, line: Line, prompt_tokens: int, room: int) -> Reply:
        text = self.tokenizer.decode(line.said, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return Reply(
            text, line.stop or "length", prompt_tokens, len(line.said), prompt_tokens > room, line.score,
            line.passes,
        )  # fmt: skip

    def _decoded(self, waiting: Iterator[Line], size: int) -> Iterator[Line]:
        """Each line when it is done; up to `size` go together, and where half are done others come in."""
        group = self._group([])
        while True:
            if 2 * len(group.lines) <= size:
                new = self._group(list(islice(waiting, size - len(group.lines))))
                if not new.lines and not group.lines:
                    return
                yield from self._step(new)
                group = group.joined(new)
            yield from self._step(group)

    def _group(self, lines: list[Line]) -> Group:
        """Lines of which nothing is read, after the soft prompt."""
        import torch

        mask = torch.ones(len(lines), self.virtual, dtype=torch.long, device=self._head().device)
        return Group(lines, self._start(len(lines)), mask)

    def _step(self, group: Group) -> list[Line]:
        """One pass over all lines of a group; those that are done leave it and are returned."""
        import torch

        if not group.lines:
            return []
        guesses = [line.guess(group.reach) for line in group.lines]
        ids, fresh = self._padded(
            [line.unread + guess for line, guess in zip(group.lines, guesses, strict=True)]
        )
        group.mask = torch.cat([group.mask, fresh], 1)
        hidden = self._hidden(ids, group.mask, group.cache)
        wanted = [hidden[row, -1 - len(guess) :] for row, guess in enumerate(guesses)]
        scores = (torch.cat(wanted) @ self._head().T).float()
        parts = scores.split([len(guess) + 1 for guess in guesses])
        for row, (line, guess, part) in enumerate(zip(group.lines, guesses, parts, strict=True)):
            wrong = len(guess) - line.read(guess, part)
            if wrong:
                group.mask[row, -wrong:] = 0
        return group.leave()

    def _searched(self, lines: Iterator[Line], width: int) -> Iterator[Line]:
        """Each line with the likeliest reply among those that `width` beams find."""
        import torch

        for line in lines:
            ids, mask = self._padded([line.unread])
            mask = torch.cat([mask.new_ones(1, self.virtual), mask], 1)

            def step(tokens: list[list[int]], cache: Any, ids: Any = ids, mask: Any = mask) -> Any:
                if not tokens:
                    return self._logits(ids, mask, cache)
                laid = torch.tensor(tokens, device=mask.device)
                spans = cache.get_seq_length() + 1
                return self._logits(laid, mask.new_ones(len(tokens), spans), cache)

            found = search(step, self._start(1), width, line.limit, line.eos, line.matcher)
            line.said, line.stop, line.score = list(found.tokens), cast(Stop, found.stop), found.score
            line.passes = len(found.tokens)
            yield line

    def _logits(self, ids: Any, mask: Any, cache: Any) -> Any:
        """float32 [batch, vocabulary] after the last of `ids` [batch, tokens]; `mask` spans the cache too."""
        return (self._hidden(ids, mask, cache)[:, -1] @ self._head().T).float()

    def _hidden(self, ids: Any, mask: Any, cache: Any) -> Any:
        """The last states [batch, tokens, width] of `ids`; `mask` [batch, virtual + all tokens so far]."""
        from finground.lm.loss import plain

        causal = plain(self.model)
        inner = getattr(causal, causal.base_model_prefix)
        more = {_cache_word(inner): cache, "use_cache": True}
        if self.positions:
            more["position_ids"] = (mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        return inner(input_ids=ids, attention_mask=mask, **more).last_hidden_state

    def _padded(self, rows: list[list[int]]) -> tuple[Any, Any]:
        """ids [batch, tokens] padded on the left, and their mask."""
        import torch

        width = max(len(row) for row in rows)
        fill = bases.pad(self.tokenizer)
        ids = torch.tensor([[fill] * (width - len(row)) + row for row in rows])
        mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
        return ids.to(self._head().device), mask.to(self._head().device)

    def _start(self, size: int) -> Any:
        """A cache that holds the soft prompt for every row, or nothing."""
        from transformers import DynamicCache

        if self.prefix is None or not size:
            return DynamicCache()
        cache = copy.deepcopy(self.prefix)
        cache.batch_repeat_interleave(size)
        return cache

    def _adapt(self, tuned: Any, *, merge: bool) -> None:
        import torch

        from finground.lm.loss import plain, virtual_prompt

        tuned.eval()
        with torch.inference_mode():
            soft = virtual_prompt(tuned, 1)
            if soft is None:
                self.model = tuned.merge_and_unload() if merge else tuned
                return
            causal = plain(tuned)
            inner = getattr(causal, causal.base_model_prefix)
            cache = self._start(1)
            inner(inputs_embeds=soft.to(causal.dtype), use_cache=True, **{_cache_word(inner): cache})
            self.prefix, self.virtual = cache, soft.shape[1]

    def _head(self) -> Any:
        from finground.lm.loss import head

        return head(self.model)


def _cache_word(inner: Any) -> str:
    """What this version of transformers calls the key/value cache."""
    import inspect

    return "cache" if "cache" in inspect.signature(inner.forward).parameters else "past_key_values"
