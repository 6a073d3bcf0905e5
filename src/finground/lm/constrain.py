"""Constrained decoding: a grammar (EBNF text) becomes masks over the next token, through xgrammar.

Whatever is generated under a grammar parses, or stopped for length. A grammar that does not compile is
refused, never dropped (case A2). Names that are not ASCII stand in the grammar as themselves (A3).
"""

from dataclasses import dataclass, field
from typing import Any

from finground.core.errors import InputError


@dataclass(slots=True)
class Grammars:
    """Compiles grammars for one tokenizer, each text once."""

    tokenizer: Any
    vocabulary: int  # width of the logits, which may exceed the tokenizer's
    _compiler: Any = None
    _compiled: dict[str, Any] = field(default_factory=dict)

    def matchers(self, text: str, count: int) -> list["Matcher"]:
        """Fresh matchers of a grammar, one a reply.

        Raises:
            InputError: if the grammar does not compile, with the compiler's reason.
        """
        import xgrammar

        if text not in self._compiled:
            self._compiled[text] = self._compile(text)
        compiled = self._compiled[text]
        return [Matcher(xgrammar.GrammarMatcher(compiled), self.tokenizer.eos_token_id) for _ in range(count)]

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


@dataclass(frozen=True, slots=True)
class Matcher:
    """Where one reply stands in its grammar."""

    matcher: Any
    eos: int

    def mask(self, logits: Any, row: int) -> bool:
        """Forbid in `logits[row]` what the grammar does; returns whether it allows nothing but to stop."""
        import xgrammar

        bits = xgrammar.allocate_token_bitmask(1, logits.shape[1])
        self.matcher.fill_next_token_bitmask(bits)
        xgrammar.apply_token_bitmask_inplace(logits[row : row + 1], bits.to(logits.device))
        return self.matcher.is_completed() and int((logits[row] != float("-inf")).sum()) == 1

    def fork(self) -> "Matcher":
        """Another one that stands at the same place."""
        return Matcher(self.matcher.fork(), self.eos)

    def take(self, token: int) -> None:
        """Go on by a token that the mask allowed."""
        if not self.matcher.accept_token(token):
            raise RuntimeError(f"token {token} was allowed by the mask and refused by the grammar")
