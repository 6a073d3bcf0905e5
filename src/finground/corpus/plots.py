"""Three pictures of a corpus: how long its documents are, of which years, and why others were left out."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from finground.corpus.ledger import EDGES, length


def draw(folder: Path, ledger: Mapping[str, Any]) -> None:
    """Write lengths.png, years.png and reasons.png; the same ledger gives the same bytes."""
    import matplotlib

    matplotlib.use("Agg")
    bins = [length(edge - 1) for edge in EDGES] + [length(EDGES[-1])]
    lengths, years = _stacked(ledger, "lengths"), _stacked(ledger, "years")
    _bars(folder / "lengths.png", bins, lengths, "words", "Documents by length")
    _bars(folder / "years.png", _sorted(years), years, "year of publication", "Documents by year")
    dropped = dict(sorted(ledger["documents"]["dropped"].items(), key=lambda each: (each[1], each[0])))
    _lying(folder / "reasons.png", dropped, f"Left out of {ledger['documents']['in']:,} documents")


def _stacked(ledger: Mapping[str, Any], what: str) -> dict[str, Mapping[str, int]]:
    return {source: said[what] for source, said in ledger["sources"].items()}


def _sorted(counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    return sorted({key for each in counts.values() for key in each})


def _bars(
    path: Path, keys: list[str], sources: Mapping[str, Mapping[str, int]], what: str, title: str
) -> None:
    """One bar a key, a colour a source."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    below: Counter[str] = Counter()
    for source, counts in sources.items():
        axes.bar(
            keys, [counts.get(key, 0) for key in keys], bottom=[below[key] for key in keys], label=source
        )
        below.update(counts)
    axes.set(xlabel=what, ylabel="documents", title=title)
    axes.tick_params(axis="x", rotation=60)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})
    pyplot.close(figure)


def _lying(path: Path, counts: Mapping[str, int], title: str) -> None:
    """Bars that lie, for keys that are sentences."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 0.4 * len(counts) + 1.5))
    axes.bar_label(axes.barh(list(counts), list(counts.values())), fmt="{:,.0f}", padding=3)
    axes.set(xlabel="documents", title=title)
    axes.margins(x=0.15)
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})
    pyplot.close(figure)
