"""Generation, greedy or by beams: prompts in, replies out, each with why it stopped.

Soft prompts go in as a key/value cache computed once; `PeftModel.generate` is silently wrong for them on
Bloom, Llama and GPT-2 (FACTS). Prompts of a batch are padded on the left, after the soft prompt and masked,
so a batch gives what one by one gives (case T8). LoRA is merged in memory, or stays beside a quantised base.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from finground.core.errors import InputError
from finground.core.log import progress
from finground.lm import adapter as adapters
from finground.lm import base as bases
from finground.lm.beams import search
from finground.lm.constrain import Grammars, Matcher

Stop = Literal["eos", "length", "grammar"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model said, and why it stopped: it ended (`eos`), the tokens did (`length`), or the grammar.

    `truncated`: the prompt did not fit the context beside the new tokens and lost its beginning (case B3).
    """

    text: str
    stop: Stop
    prompt_tokens: int
    new_tokens: int
    truncated: bool


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
        self, prompts: list[str], *, max_new_tokens: int, batch: int, grammar: str | None = None,
        beams: int = 1,
    ) -> list[Reply]:  # fmt: skip
        """A reply to each prompt, in their order, greedily.

        Args:
            batch: prompts computed together; changes the speed alone.
            grammar: EBNF text (rule `root`) that every reply must follow.
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
        order = sorted(range(len(whole)), key=lambda index: len(whole[index]))
        replies: dict[int, Reply] = {}
        with torch.inference_mode():
            for start in progress(range(0, len(order), batch), "replies"):
                indices = order[start : start + batch]
                matchers = self.grammars.matchers(grammar, len(indices)) if grammar is not None else None
                cut = [whole[index][-room:] for index in indices]
                if beams > 1:
                    said = [
                        self._search(ids, beams, max_new_tokens, matchers[at] if matchers else None)
                        for at, ids in enumerate(cut)
                    ]
                else:
                    said = self._batch(cut, max_new_tokens, matchers)
                for index, (tokens, stop) in zip(indices, said, strict=True):
                    replies[index] = self._reply(tokens, stop, len(whole[index]), room)
        return [replies[index] for index in range(len(whole))]

    def _reply(self, tokens: list[int], stop: Stop, prompt_tokens: int, room: int) -> Reply:
        text = self.tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return Reply(text, stop, prompt_tokens, len(tokens), prompt_tokens > room)

    def _batch(
        self, prompts: list[list[int]], limit: int, matchers: list[Matcher] | None
    ) -> list[tuple[list[int], Stop]]:
        """New ids (without EOS) and stop of each prompt; rows that are done leave the batch."""
        import torch

        ids, mask = self._padded(prompts)
        cache = self._start(len(prompts))
        said: list[list[int]] = [[] for _ in prompts]
        stops: list[Stop] = ["length"] * len(prompts)
        alive = list(range(len(prompts)))
        for step in range(limit):
            logits = self._logits(ids, mask, cache)
            ended = (
                [matchers[row].mask(logits, at) for at, row in enumerate(alive)]
                if matchers
                else [False] * len(alive)
            )
            chosen = logits.argmax(1).tolist()
            going = []
            for at, row in enumerate(alive):
                if ended[at] or chosen[at] == self.tokenizer.eos_token_id:
                    stops[row] = "grammar" if ended[at] else "eos"
                    continue
                said[row].append(chosen[at])
                if matchers:
                    matchers[row].take(chosen[at])
                going.append(at)
            if not going or step + 1 == limit:
                break
            if len(going) < len(alive):
                kept = torch.tensor(going, device=mask.device)
                cache.batch_select_indices(kept)
                mask, alive = mask[kept], [alive[at] for at in going]
            ids = torch.tensor([[said[row][-1]] for row in alive], device=mask.device)
            mask = torch.cat([mask, mask.new_ones(len(alive), 1)], 1)
        return list(zip(said, stops, strict=True))

    def _search(
        self, prompt: list[int], width: int, limit: int, matcher: Matcher | None
    ) -> tuple[list[int], Stop]:
        """The likeliest reply to one prompt among those that `width` beams find."""
        import torch

        ids, mask = self._padded([prompt])

        def step(tokens: list[list[int]], cache: Any) -> Any:
            if not tokens:
                return self._logits(ids, mask, cache)
            laid = torch.tensor(tokens, device=mask.device)
            spans = cache.get_seq_length() + 1
            return self._logits(laid, mask.new_ones(len(tokens), spans), cache)

        found = search(step, self._start(1), width, limit, self.tokenizer.eos_token_id, matcher)
        return list(found.tokens), cast(Stop, found.stop)

    def _logits(self, ids: Any, mask: Any, cache: Any) -> Any:
        """float32 [batch, vocabulary] after the last of `ids` [batch, tokens]; `mask` spans the cache too."""
        from finground.lm.loss import plain

        causal = plain(self.model)
        inner = getattr(causal, causal.base_model_prefix)
        more = {_cache_word(inner): cache, "use_cache": True}
        if self.positions:
            more["position_ids"] = (mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        hidden = inner(input_ids=ids, attention_mask=mask, **more).last_hidden_state[:, -1]
        return (hidden @ self._head().T).float()

    def _padded(self, prompts: list[list[int]]) -> tuple[Any, Any]:
        """ids [batch, tokens] padded on the left; mask [batch, virtual + tokens]."""
        import torch

        width = max(len(prompt) for prompt in prompts)
        fill = bases.pad(self.tokenizer)
        ids = torch.tensor([[fill] * (width - len(prompt)) + prompt for prompt in prompts])
        mask = torch.tensor(
            [[1] * self.virtual + [0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts]
        )
        return ids.to(self._head().device), mask.to(self._head().device)

    def _start(self, size: int) -> Any:
        """A cache that holds the soft prompt for every row, or nothing."""
        from transformers import DynamicCache

        if self.prefix is None:
            return DynamicCache(config=self.model.config)
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
