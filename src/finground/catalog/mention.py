"""A name as it stands in a question: where, and what the catalogue makes of it."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Mention(Generic[T]):
    """`question[start:end] == text`.

    `found` is None where the catalogue cannot say: with `candidates` if names are near, `ambiguous` if the
    text is the name, or the beginning of the name, of others.
    """

    start: int
    end: int
    text: str
    found: T | None
    candidates: tuple[str, ...] = ()
    ambiguous: bool = False
