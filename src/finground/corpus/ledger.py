"""What went where: counts that add up over shards, the ledger that balances (law 6), FinBloom's Table 4."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from finground.core.errors import FingroundError
from finground.records.document import Document

WAYS = ("in", "trained", "held_out", "dropped", "truncated", "padded")  # in the order that a reader wants
EDGES = (32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)  # words: bounds of the histogram of lengths


@dataclass(slots=True)
class Count:
    """Of one source: documents, words and tokens (the end token included); documents by year and length."""

    documents: int = 0
    words: int = 0
    tokens: int = 0
    years: Counter[str] = field(default_factory=Counter)
    lengths: Counter[str] = field(default_factory=Counter)

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "documents": self.documents, "words": self.words, "tokens": self.tokens,
            "years": dict(sorted(self.years.items())), "lengths": dict(self.lengths),
        }  # fmt: skip


@dataclass(slots=True)
class Counts:
    """Counts by source."""

    sources: dict[str, Count] = field(default_factory=dict)

    def add(self, document: Document, tokens: int) -> None:
        """Count one document."""
        count = self.sources.setdefault(document.source, Count())
        words = len(document.title.split()) + len(document.text.split())
        count.documents += 1
        count.words += words
        count.tokens += tokens
        count.years[str(document.published_at.year)] += 1
        count.lengths[length(words)] += 1

    def merge(self, other: Mapping[str, Any]) -> None:
        """Add what `plain` gave elsewhere."""
        for source, said in other.items():
            count = self.sources.setdefault(source, Count())
            for name in ("documents", "words", "tokens"):
                setattr(count, name, getattr(count, name) + said[name])
            count.years.update(said["years"])
            count.lengths.update(said["lengths"])

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {source: count.plain() for source, count in sorted(self.sources.items())}

    def table(self) -> list[dict[str, Any]]:
        """FinBloom's Table 4: documents, mean words and tokens, period, by source."""
        return [
            {
                "source": source,
                "documents": count.documents,
                "mean_words": round(count.words / count.documents, 1),
                "mean_tokens": round(count.tokens / count.documents, 1),
                "period": f"{min(count.years)}-{max(count.years)}",
            }
            for source, count in sorted(self.sources.items())
        ]


def length(words: int) -> str:
    """The stretch of lengths that a document of so many words falls into."""
    above = next((edge for edge in EDGES if words < edge), None)
    return f"< {above}" if above else f"≥ {EDGES[-1]}"


def balance(column: Mapping[str, Any]) -> None:
    """Law 6, exactly.

    Raises:
        FingroundError: if something came in and did not go anywhere.
    """
    out = sum(
        sum(value.values()) if isinstance(value, Mapping) else value
        for key, value in column.items()
        if key != "in"
    )
    if out != column["in"]:
        raise FingroundError(
            f"the ledger does not balance: {column['in']} came in, {out} went out ({column})"
        )


def text(ledger: Mapping[str, Any]) -> str:
    """Ledger and Table 4 for a reader."""
    lines = ["ledger                                          documents          tokens"]
    documents, tokens = _flat(ledger["documents"]), _flat(ledger["tokens"])
    lines += [
        f"{key:44}{documents.get(key, 0):>13,}{tokens.get(key, 0):>16,}" for key in {**documents, **tokens}
    ]
    lines += ["", "source            documents   mean words  mean tokens  period"]
    lines += [
        f"{row['source']:14}{row['documents']:>13,}{row['mean_words']:>13,}{row['mean_tokens']:>13,}"
        f"  {row['period']}"
        for row in ledger["table"]
    ]
    return "\n".join(lines)


def reasons(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Counts by reason, added up."""
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(sorted(total.items()))


def _flat(column: Mapping[str, Any]) -> dict[str, int]:
    flat: dict[str, int] = {}
    for key in WAYS:
        value = column.get(key, 0)
        inner = value.items() if isinstance(value, Mapping) else [("", value)]
        flat |= {f"{key.replace('_', ' ')}: {name}" if name else key: count for name, count in inner}
    return flat
