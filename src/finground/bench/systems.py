"""The writers that are compared: the template, the base as it is and with a few-shot prompt, the tuned one,
and an endpoint where params name one (FinSphere, section 5; floor 4).

A plain model gets the response standard and whole examples before its prompt (appendix D), the tuned one the
prompt it was tuned on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from finground.answer import Writer
from finground.core.paths import Root
from finground.records.report import WriterPair
from finground.report.standard import (
    BANNED_PHRASES,
    BEARISH,
    BULLISH,
    CAUSE_WORDS,
    DIMENSIONS,
    TRADING_WORDS,
    TRANSITION_WORDS,
)
from finground.report.template import TemplateWriter
from finground.report.tuned import Generates, Said, TunedWriter
from finground.roles import judge as endpoint_of
from finground.roles import tuned_writer
from finground.settings import Settings
from finground.stocksis.build import pairs
from finground.stocksis.pair import TEMPLATE

SHOTS = 1  # a small model's context holds no more
RULES = "analyscore-rules"  # no labels: only the scorer's rules judge


@dataclass(frozen=True, slots=True)
class System:
    """A writer by name; `prefix` stands before each of its prompts, `labels` says whom it imitates."""

    name: str
    writer: Writer
    labels: str
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class FewShot:
    """A generator whose prompts all begin with the same standard and examples."""

    generator: Generates
    prefix: str

    def reply(self, prompts: list[str], *, max_new_tokens: int, batch: int) -> Sequence[Said]:
        """Replies to the longer prompts."""
        longer = [self.prefix + prompt for prompt in prompts]
        return self.generator.reply(longer, max_new_tokens=max_new_tokens, batch=batch)


def systems(root: Root, settings: Settings) -> Iterator[System]:
    """One after another, so that one model at a time is in memory."""
    train = pairs(root.stocksis, "train")
    prefix, labels = few_shot(train), labels_of(train)
    size = (settings.bench.new_tokens, settings.bench.batch)
    yield System("template", TemplateWriter(compact=True), TEMPLATE)
    base = tuned_writer(None, root, settings)
    yield System("base", base, RULES)
    yield System("base-few-shot", TunedWriter(FewShot(base.generator, prefix), *size), labels, prefix)
    del base
    yield System("writer", tuned_writer(root.writer, root, settings), labels)
    if settings.endpoint is not None:
        generator, name = endpoint_of("openai", root, settings)
        yield System(f"rules+{name}", TunedWriter(generator, *size), RULES)
        shown = TunedWriter(FewShot(generator, prefix), *size)
        yield System(f"rules+{name}-few-shot", shown, labels, prefix)


def labels_of(given: Sequence[WriterPair]) -> str:
    """Whose labels they are: one template label among them makes a score of what learned them imitation."""
    made = {pair.labels for pair in given}
    return TEMPLATE if TEMPLATE in made or not made else "expert"


def few_shot(train: Sequence[WriterPair]) -> str:
    """The response standard (FinSphere, appendix D), then whole examples, experts' first."""
    shown = sorted(train, key=lambda pair: pair.labels == TEMPLATE)[:SHOTS]
    examples = [f"Example {at}\n{pair.prompt}{pair.target}\n" for at, pair in enumerate(shown, 1)]
    return "\n".join([standard(), *examples, "Now yours\n"])


def standard() -> str:
    """The standard's steps and word lists as an instruction."""
    lines = (
        f"1. Movement: is there an unusual one, and its main cause in under {CAUSE_WORDS} words.",
        "2. Conclusions: short term from technical signals, medium to long term from fundamentals; "
        "attention for bullish signals, caution for bearish, observation for mixed ones; no reasons here.",
        f"3. Details, a paragraph each: {', '.join(DIMENSIONS.values())}. Figures stay as given.",
        "4. Summary: both conclusions again, with reasons.",
        f"Never write: {', '.join((*BANNED_PHRASES, *TRADING_WORDS))}.",
        f"Rarely write: {', '.join(TRANSITION_WORDS)}.",
        f"Bullish words: {', '.join(BULLISH)}. Bearish words: {', '.join(BEARISH)}.",
    )
    return "\n".join(("A report has these parts:", *lines, ""))
