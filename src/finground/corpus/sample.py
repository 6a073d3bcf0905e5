"""Which documents a share or a limit takes: decided by a hash of the id, so neither order nor company
matters.
"""

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from finground.records.document import Document

WHOLE = 1 << 64


def place(id: str, seed: int | None = None) -> int:
    """Where an id falls below 2^64. Without a seed it is the same everywhere, so shares are nested."""
    text = id if seed is None else f"{seed}/{id}"
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "big")


def in_share(document: Document, shares: dict[str, float]) -> bool:
    """Whether the document belongs to its source's share; a source without one is taken whole."""
    share = shares.get(document.source)
    return share is None or place(document.id) < share * WHOLE


def threshold(places: Iterable[NDArray[np.uint64]], most: int | None) -> int:
    """The place up to which `most` ids fall: a limit takes the smallest. Never holds more than these."""
    if most is None:
        return WHOLE - 1
    smallest = np.zeros(0, np.uint64)
    for part in places:
        smallest = np.unique(np.concatenate([smallest, part]))[:most]
    return int(smallest[-1]) if len(smallest) == most else WHOLE - 1
