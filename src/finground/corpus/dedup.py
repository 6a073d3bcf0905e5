"""Duplicates, exact and near, and what training must not share with evaluation.

Two documents are the same if their bodies are (in lower case, punctuation and agency suffixes apart), or
their addresses (tracking parameters apart), or if the Jaccard similarity of their word 5-grams reaches a
threshold. Without a body, only the title can tell. Of a group the earliest published stays, then the smallest
id, whatever the order of the input (cases C1, C3). Candidates come from MinHash bands (rensa) and are checked
exactly.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import parse_qsl, urlencode, urlsplit

from finground.records.document import Document, Dropped

GRAM = 5
PERMUTATIONS = 112
SHAPES = ((112, 1), (56, 2), (28, 4), (16, 7), (14, 8), (8, 14), (7, 16), (4, 28), (2, 56))  # bands, rows
WORD = re.compile(r"\w+")
SUFFIX = re.compile(
    r"\s*[-–—|]+\s*(?:reuters|wsj|bloomberg|cnbc|marketwatch|the wall street journal|ap|dpa|afp)\s*\Z",
    re.IGNORECASE,
)
LONGEST_SUFFIX = 40
TRACKING = re.compile(
    r"^(?:utm_\w+|gclid|fbclid|mc_cid|mc_eid|cmpid|ncid|ref|ref_src|igshid|feedtype|feedname)$"
)


def address(url: str) -> str:
    """The URL without its fragment and tracking parameters, so that one page has one address."""
    parts = urlsplit(url)
    query = [(key, value) for key, value in parse_qsl(parts.query, True) if not TRACKING.match(key.lower())]
    asked = f"?{urlencode(query)}" if query else ""
    return f"{parts.netloc.lower()}{parts.path.rstrip('/')}{asked}"


def deduplicate(documents: Iterable[Document], near: float) -> tuple[list[Document], list[Dropped]]:
    """The documents to keep, in order of (published, id), and the others with what they repeat."""
    ordered = sorted(documents, key=lambda document: (document.published_at, document.id, document.text))
    kept, dropped = _without(ordered, _same(ordered), "exact duplicate")
    kept, nearly = _without(kept, _similar([shingles(document) for document in kept], near), "near duplicate")
    return kept, dropped + nearly


def decontaminate(
    training: Iterable[Document], held: Sequence[Document], near: float
) -> tuple[list[Document], list[Dropped]]:
    """Training without whatever equals or nearly equals a held-out document; exact, without MinHash."""
    keys = {key for document in held for key in _keys(document)}
    sizes = [len(shingles(document)) for document in held]
    where: dict[str, list[int]] = defaultdict(list)
    for at, document in enumerate(held):
        for gram in shingles(document):
            where[gram].append(at)
    kept, dropped = [], []
    for document in training:
        if keys.intersection(_keys(document)) or _touches(shingles(document), where, sizes, near):
            dropped.append(Dropped(document.id, document.source, "duplicate of a held-out document"))
        else:
            kept.append(document)
    return kept, dropped


def shingles(document: Document) -> frozenset[str]:
    """Word 5-grams of the body; a shorter body is one gram, an empty one none."""
    words = _words(document.text)
    return frozenset(
        " ".join(words[at : at + GRAM]) for at in range(max(len(words) - GRAM + 1, min(len(words), 1)))
    )


def _words(text: str) -> list[str]:
    return WORD.findall((text[:-LONGEST_SUFFIX] + SUFFIX.sub("", text[-LONGEST_SUFFIX:])).lower())


def _keys(document: Document) -> Iterator[str]:
    """What an exact duplicate shares: the body (or, where there is none, the title) and the address."""
    body = " ".join(_words(document.text))
    said = f"body {body}" if body else f"title {' '.join(_words(document.title))}"
    yield hashlib.sha256(said.encode()).hexdigest()
    if document.url:
        yield f"at {address(document.url)}"


def _same(documents: Sequence[Document]) -> Iterator[tuple[int, int]]:
    first: dict[str, int] = {}
    for at, document in enumerate(documents):
        for key in _keys(document):
            yield first.setdefault(key, at), at


def _similar(grams: Sequence[frozenset[str]], near: float) -> Iterator[tuple[int, int]]:
    """Pairs of positions whose Jaccard similarity is at least `near`."""
    from rensa import RMinHash

    bands, rows = _shape(near)
    buckets: dict[tuple[int, tuple[int, ...]], list[int]] = defaultdict(list)
    for start in range(0, len(grams), 1024):
        part = [sorted(each) for each in grams[start : start + 1024]]
        for at, row in enumerate(
            RMinHash.digest_matrix_from_token_sets(part, PERMUTATIONS, 1).to_rows(), start
        ):
            for band in range(bands if grams[at] else 0):
                buckets[band, tuple(row[band * rows : (band + 1) * rows])].append(at)
    pairs = {(bucket[0], at) for bucket in buckets.values() for at in bucket[1:]}
    pairs |= {pair for bucket in buckets.values() if 2 < len(bucket) <= 50 for pair in _pairs(bucket)}
    return (pair for pair in sorted(pairs) if _jaccard(grams[pair[0]], grams[pair[1]]) >= near)


def _pairs(bucket: Sequence[int]) -> Iterator[tuple[int, int]]:
    return ((one, other) for at, one in enumerate(bucket) for other in bucket[at + 1 :])


def _shape(near: float) -> tuple[int, int]:
    """Bands and rows whose threshold lies a little under `near`, so that few pairs are missed."""
    fitting = [shape for shape in SHAPES if (1 / shape[0]) ** (1 / shape[1]) <= near - 0.05]
    return fitting[-1] if fitting else SHAPES[0]


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def _touches(grams: frozenset[str], where: dict[str, list[int]], sizes: Sequence[int], near: float) -> bool:
    shared: dict[int, int] = defaultdict(int)
    for gram in grams:
        for at in where.get(gram, ()):
            shared[at] += 1
    return any(count / (len(grams) + sizes[at] - count) >= near for at, count in shared.items())


def _without(
    documents: Sequence[Document], pairs: Iterable[tuple[int, int]], reason: str
) -> tuple[list[Document], list[Dropped]]:
    """The first of every group of linked documents, and the rest."""
    root = list(range(len(documents)))

    def first(at: int) -> int:
        while root[at] != at:
            root[at] = at = root[root[at]]
        return at

    for one, other in pairs:
        low, high = sorted((first(one), first(other)))
        root[high] = low
    kept = [document for at, document in enumerate(documents) if first(at) == at]
    rest = [Dropped(d.id, d.source, reason) for at, d in enumerate(documents) if first(at) != at]
    return kept, rest
