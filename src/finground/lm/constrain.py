"""Constrained decoding: a grammar (EBNF text) becomes masks over the next token, through xgrammar.

Whatever is generated under a grammar parses, or stopped for length. A grammar that does not compile is
refused, never dropped (case A2). Names that are not ASCII stand in the grammar as themselves (A3). What no
grammar can hold (an end before its start) a grammar may refuse as text, while it is written.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from finground.core.errors import InputError
from finground.lm import base as bases


@dataclass(frozen=True, slots=True)
class Grammar:
    """EBNF text whose start is `root`; `refuses` tells of a beginning that leads nowhere all the same."""

    text: str
    refuses: Callable[[str], bool] | None = None


KEPT = 16  # compiled grammars at a time: a shortlist drawn from a question is asked for once


@dataclass(slots=True)
class Grammars:
    """Compiles grammars for one tokenizer, and keeps the last of them."""

    tokenizer: Any
    vocabulary: int  # width of the logits, which may exceed the tokenizer's
    _compiler: Any = None
    _bits: Any = None
    _compiled: dict[str, Any] = field(default_factory=dict)

    def matcher(self, grammar: Grammar) -> "Matcher":
        """A fresh matcher of a grammar, for one reply.

        Raises:
            InputError: if the grammar does not compile, with the compiler's reason.
        """
        import xgrammar

        text = grammar.text
        if text not in self._compiled:
            compiled = self._compile(text)
            while len(self._compiled) >= KEPT:
                del self._compiled[next(iter(self._compiled))]
            self._compiled[text] = compiled
        if self._bits is None:
            self._bits = xgrammar.allocate_token_bitmask(1, self.vocabulary)
        return Matcher(
            xgrammar.GrammarMatcher(self._compiled[text]), self.tokenizer, self._bits, grammar.refuses
        )

    def _compile(self, text: str) -> Any:
        import xgrammar

        if self._compiler is None:
            info = xgrammar.TokenizerInfo.from_huggingface(
                self.tokenizer, vocab_size=self.vocabulary, stop_token_ids=[self.tokenizer.eos_token_id]
            )
            self._compiler = xgrammar.GrammarCompiler(info)
        try:
            return self._compiler.compile_grammar(xgrammar.Grammar.from_ebnf(text))
        except RuntimeError as error:
            reason = " ".join(str(error).split())
            raise InputError(
                f"the grammar does not compile ({reason[-200:]}); nothing was generated"
            ) from error


@dataclass(slots=True)
class Matcher:
    """Where one reply stands in its grammar."""

    matcher: Any
    tokenizer: Any
    bits: Any  # one token's mask, written anew each time
    refuses: Callable[[str], bool] | None = None
    said: list[int] = field(default_factory=list)

    def mask(self, scores: Any, best: int = 1) -> int | None:
        """Forbid in `scores` [vocabulary] what may not follow; returns the token, if it is the only one.

        Of what the text refuses, only the `best` likeliest are looked at; where nothing is left, all scores
        are -inf.
        """
        import xgrammar

        self.matcher.fill_next_token_bitmask(self.bits)
        xgrammar.apply_token_bitmask_inplace(scores[None], self.bits.to(scores.device))
        if self.refuses:
            self._forbid(scores, best)
        words = self.bits[0].numpy()
        place = int(words.nonzero()[0][0])
        word = int(words[place]) & 0xFFFFFFFF
        alone = word & (word - 1) == 0 and int((words != 0).sum()) == 1
        return 32 * place + word.bit_length() - 1 if alone else None

    def stretch(self) -> list[int]:
        """Tokens of the text that must follow, save the last, which may be part of a longer one."""
        text = self.matcher.find_jump_forward_string()
        return bases.encode(self.tokenizer, [text], start=False)[0][:-1] if text else []

    def fork(self) -> "Matcher":
        """Another one that stands at the same place."""
        return Matcher(self.matcher.fork(), self.tokenizer, self.bits, self.refuses, list(self.said))

    def take(self, token: int) -> None:
        """Go on by a token that the mask allowed."""
        if not self.matcher.accept_token(token):
            raise RuntimeError(f"token {token} was allowed by the mask and refused by the grammar")
        self.said.append(token)

    def _forbid(self, scores: Any, best: int) -> None:
        """Leave `best` tokens at the top that the text does not refuse."""
        import torch

        assert self.refuses is not None
        fine = 0
        while fine < best:
            token = int(scores.topk(fine + 1).indices[fine])
            if torch.isneginf(scores[token]):
                return
            text = self.tokenizer.decode([*self.said, token], skip_special_tokens=True)
            if self.refuses(text):
                scores[token] = float("-inf")
            else:
                fine += 1
