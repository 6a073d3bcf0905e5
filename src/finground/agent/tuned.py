"""The tuned agent: a question in, the model's written request read back into a Request.

The reply is read whole or not at all: what `dialect.read` refuses, or what stopped for length, is an unread
reply with its prompt, its text and why (law 5). Nothing is mended, and no other request is put in its
place. How sure it is: the probability of the whole reply among all that the grammar allows. What the rules
read is a draft, checked instead of decoded token by token; it changes nothing in the reply.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Protocol

from finground.agent.rules import RulesAgent
from finground.agent.tune import prompt
from finground.catalog import dialect
from finground.catalog.catalog import Catalog
from finground.core.errors import FingroundError, InputError
from finground.lm.constrain import Grammar
from finground.records.request import Reading, Request

NEW_TOKENS = 128  # a request of three companies and three metrics in the compact form takes about 60


class Said(Protocol):
    """What a generator returns for a prompt (`lm.generate.Reply`); `truncated` is of the prompt."""

    @property
    def text(self) -> str: ...
    @property
    def stop(self) -> str: ...
    @property
    def truncated(self) -> bool: ...
    @property
    def probability(self) -> float: ...
    @property
    def passes(self) -> int: ...
    @property
    def new_tokens(self) -> int: ...


class Generates(Protocol):
    """Who continues prompts (`lm.generate.Generator`)."""

    def reply(
        self, prompts: list[str], *, max_new_tokens: int, batch: int, grammar: Grammar | None = None,
        drafts: list[str | None] | None = None,
    ) -> Sequence[Said]: ...  # fmt: skip


class Asked(Protocol):
    """A question and the day it is asked on (a Pair is one)."""

    @property
    def query(self) -> str: ...
    @property
    def as_of(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the day it is asked on."""

    query: str
    as_of: datetime


@dataclass(frozen=True, slots=True)
class AgentReply:
    """A question's reply: the request it was read as, or None and why it could not be read."""

    prompt: str
    text: str
    stop: str
    truncated: bool
    request: Request | None
    why: str = ""
    sure: float = 0.0
    passes: int = 0
    tokens: int = 0


class UnreadReply(FingroundError):
    """The model's reply is not a whole request; `prompt`, `reply` and `stop` are kept."""

    def __init__(self, reply: AgentReply) -> None:
        super().__init__(
            f"the agent's reply is not a whole request ({reply.why}): {reply.text!r}; "
            "ask again with --agent rules, or train the agent longer"
        )
        self.prompt = reply.prompt
        self.reply = reply.text
        self.stop = reply.stop


@dataclass(frozen=True)
class TunedAgent:
    """An agent that is a language model, trained on the context pairs.

    `form` is the written form it was trained on; `grammar`, where given, keeps every reply within that form.
    """

    generator: Generates
    catalog: Catalog
    form: str
    grammar: Grammar | None = None
    new_tokens: int = NEW_TOKENS

    def read(self, query: str, as_of: datetime) -> Reading:
        """The request that the model writes for a question.

        Raises:
            UnreadReply: if the reply is not a whole request.
        """
        (reply,) = self.replies([Question(query, as_of)])
        if reply.request is None:
            raise UnreadReply(reply)
        return Reading(reply.request, reply.sure)

    def replies(self, questions: Sequence[Asked], *, batch: int = 8) -> list[AgentReply]:
        """One reply a question, in order, those that could not be read among them."""
        prompts = [prompt(asked.query, asked.as_of) for asked in questions]
        said = self.generator.reply(
            prompts, max_new_tokens=self.new_tokens, batch=batch, grammar=self.grammar,
            drafts=[self._draft(asked) for asked in questions],
        )  # fmt: skip
        return [
            self._read(text, reply, asked.as_of)
            for text, reply, asked in zip(prompts, said, questions, strict=True)
        ]

    def _draft(self, asked: Asked) -> str | None:
        """What the rules would say, in the form that the model writes; nothing where they refuse."""
        try:
            return dialect.write(self._rules.request(asked.query, asked.as_of), self.form, self.catalog)
        except InputError:
            return None

    @cached_property
    def _rules(self) -> RulesAgent:
        return RulesAgent(self.catalog)

    def _read(self, text: str, said: Said, as_of: datetime) -> AgentReply:
        request, why = None, f"it was cut off after {self.new_tokens} tokens"
        if said.stop == "stuck":
            why = "the grammar left nothing to go on with"
        elif said.stop != "length":
            try:
                request, why = dialect.read(said.text, self.form, self.catalog, as_of), ""
            except InputError as error:
                why = str(error)
        return AgentReply(
            text, said.text, said.stop, said.truncated, request, why, said.probability, said.passes,
            said.new_tokens,
        )  # fmt: skip
