"""What a training run leaves to be read: its curves, its speed and cost, and books that balance (law 6)."""

from collections import Counter
from dataclasses import dataclass, field

from finground.lm.collate import Kept, Rejected

PAPER_EPOCH = 8.5e9  # tokens of one epoch of FinBloom's pretraining (section 3; PAPERS P15)


@dataclass(frozen=True, slots=True)
class Trained:
    """One training run.

    `ledger` counts passes (a row read in two epochs goes in twice; one not reached by max_steps is dropped):
    documents_in = documents_trained + documents_dropped, and
    tokens_in = tokens_trained + tokens_truncated + tokens_dropped + tokens_padded, where what was laid in as
    padding counts as in. `documents_dropped.REASON` and `tokens_dropped.REASON` add up to the dropped.
    """

    steps: int
    ledger: dict[str, int]
    curve: list[tuple[int, float]]  # step, mean loss of a labelled token
    seconds: float  # resumed runs: of all their parts
    tokens_per_second: float  # of the text, padding left out
    rejected: tuple[Rejected, ...]
    validation: list[tuple[int, float]] = field(default_factory=list)  # steps done, loss on rows held aside
    processes: int = 1
    hardware: str = ""
    four_bit_modules: int = 0
    base_digest: str = ""
    extra: dict[str, float] = field(default_factory=dict)

    def cost(self) -> dict[str, float]:
        """Seconds, speed, and what they imply; they differ from run to run, so no artifact holds them."""
        speed = max(self.tokens_per_second, 1e-9)
        return {
            "train": self.seconds,
            "tokens_per_second": self.tokens_per_second,
            "device_hours": self.seconds * self.processes / 3600,
            "device_hours_per_billion_tokens": 1e9 / speed * self.processes / 3600,
            "device_hours_for_the_papers_epoch": PAPER_EPOCH / speed * self.processes / 3600,
        }


def ledger(kept: Kept, seen: Counter[str], *, epochs: int, aside: list[int]) -> dict[str, int]:
    """The books of a run; see `Trained` for what must balance.

    Args:
        seen: documents, tokens, padded and labelled, of all processes.
        aside: tokens of each example held aside for early stopping.
    """
    lengths = kept.examples.lengths
    dropped: Counter[str] = Counter()
    for reason, tokens in [(row.reason, row.tokens) for row in kept.rejected] + [
        ("held-aside", tokens) for tokens in aside
    ]:
        dropped[f"documents_dropped.{reason}"] += epochs
        dropped[f"tokens_dropped.{reason}"] += epochs * tokens
    if missed := epochs * (len(lengths) - len(aside)) - seen["documents"]:
        dropped["documents_dropped.not-reached"] = missed
        dropped["tokens_dropped.not-reached"] = epochs * (sum(lengths) - sum(aside)) - seen["tokens"]
    documents, tokens = (
        sum(count for name, count in dropped.items() if name.startswith(f"{unit}_"))
        for unit in ("documents", "tokens")
    )
    rejected_tokens = sum(row.tokens for row in kept.rejected)
    return {
        "documents_in": epochs * (len(lengths) + len(kept.rejected)),
        "documents_trained": seen["documents"],
        "documents_dropped": documents,
        "tokens_in": epochs * (sum(lengths) + rejected_tokens) + seen["padded"],
        "tokens_trained": seen["tokens"],
        "tokens_truncated": 0,
        "tokens_dropped": tokens,
        "tokens_padded": seen["padded"],
        "tokens_labelled": seen["labelled"],
        **dropped,
    }
