"""Which documents a share or a limit takes: decided by a hash of the id, so neither order nor company
matters.
"""

import hashlib
import heapq
from dataclasses import dataclass, field

from finground.records.document import Document


def place(id: str, seed: int | None = None) -> float:
    """Where an id falls between 0 and 1. Without a seed it is the same everywhere, so shares are nested."""
    text = id if seed is None else f"{seed}/{id}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64


def in_share(document: Document, shares: dict[str, float]) -> bool:
    """Whether the document belongs to its source's share; a source without one is taken whole."""
    return place(document.id) < shares.get(document.source, 1.0)


@dataclass(slots=True)
class Limit:
    """At most `most` documents, those whose seeded hash is smallest; holds no more than that at any time."""

    most: int | None
    seed: int
    held: list[tuple[float, str, str, int, Document]] = field(default_factory=list)
    seen: int = 0

    def add(self, document: Document) -> Document | None:
        """Take the document; returns the one that has to go for it, if any."""
        self.seen += 1  # settles ties, which only equal records have
        entry = (-place(document.id, self.seed), document.id, document.text, self.seen, document)
        if self.most is None or len(self.held) < self.most:
            heapq.heappush(self.held, entry)
            return None
        return heapq.heappushpop(self.held, entry)[-1]

    @property
    def documents(self) -> list[Document]:
        return [entry[-1] for entry in self.held]
