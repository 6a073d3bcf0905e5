"""A text as it enters the corpus, and one that was left out."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Document:
    """One article or filing. `published_at` is aware; `tickers` are as the source gives them."""

    id: str
    source: str
    published_at: datetime
    title: str
    text: str
    url: str = ""
    tickers: tuple[str, ...] = ()
    licence: str = ""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A document that was left out, and the named reason; `tokens` is 0 where it was never tokenised."""

    id: str
    source: str
    reason: str
    tokens: int = 0
