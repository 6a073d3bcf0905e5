"""The tuned writer: prompt in, the model's report out, kept as it was said.

An empty reply, or one whose prompt was cut, is a failed report: its text and stop reason are kept, nothing
is mended and no other report is put in its place (law 5). What it says is checked by `grounding.check`.
"""

from collections.abc import Sequence
from typing import Protocol

from finground.records.report import Report, Section
from finground.report.brief import Brief
from finground.report.prompt import prompt
from finground.report.standard import DIMENSIONS

NEW_TOKENS = 512
BATCH = 8


class Said(Protocol):
    """What a generator returns for a prompt (`lm.generate.Reply`)."""

    @property
    def text(self) -> str: ...
    @property
    def stop(self) -> str: ...
    @property
    def truncated(self) -> bool: ...


class Generates(Protocol):
    """Who continues prompts (`lm.generate.Generator`)."""

    def reply(self, prompts: list[str], *, max_new_tokens: int, batch: int) -> Sequence[Said]: ...


class TunedWriter:
    """Writes with a model."""

    def __init__(
        self, generator: Generates, max_new_tokens: int = NEW_TOKENS, batch: int = BATCH, name: str = "tuned"
    ) -> None:
        self.generator = generator
        self.max_new_tokens = max_new_tokens
        self.batch = batch
        self.name = name

    def write(self, brief: Brief) -> Report:
        """One report."""
        return self.write_all([brief])[0]

    def write_all(self, briefs: Sequence[Brief]) -> list[Report]:
        """Several reports, generated in batches."""
        prompts = [prompt(brief) for brief in briefs]
        replies = self.generator.reply(prompts, max_new_tokens=self.max_new_tokens, batch=self.batch)
        return [self._report(brief, said) for brief, said in zip(briefs, replies, strict=True)]

    def _report(self, brief: Brief, said: Said) -> Report:
        sections = cut(said.text)
        kind, stops = brief.plan.kind, (said.stop,)
        if said.truncated:
            why = ("the prompt did not fit the model's context and was cut",)
            return Report(kind, sections, self.name, "failed", stops=stops, missing=why)
        if not sections:
            return Report(kind, (), self.name, "failed", stops=stops, missing=("the model's reply is empty",))
        if said.stop == "length":
            why = (f"the end: the reply was cut at {self.max_new_tokens} tokens",)
            return Report(kind, sections, self.name, "partial", stops=stops, missing=why)
        return Report(kind, sections, self.name, "complete", stops=stops)


def cut(text: str) -> tuple[Section, ...]:
    """A model's text as sections, one a paragraph, named by the dimension it opens with."""
    paragraphs = [part.strip() for part in text.split("\n\n") if part.strip()]
    return tuple(Section(_name(part, at, len(paragraphs)), part) for at, part in enumerate(paragraphs))


def _name(paragraph: str, at: int, count: int) -> str:
    opening = paragraph[:40].lower()
    for tool, label in DIMENSIONS.items():
        if opening.startswith(label.lower()):
            return tool
    if at == 0:
        return "summary"
    return "conclusion" if at == count - 1 else f"paragraph-{at + 1}"
