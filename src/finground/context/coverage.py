"""What a data set covers, counted and drawn: kinds, metrics, industries, lengths, forms of dates, noise.

In come the parts; out go `coverage.json` with all counts, `coverage.md` to read, `coverage.png` to look at.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from finground.catalog.catalog import Catalog
from finground.core.artifact import whole_file, write_json
from finground.records.request import Pair

MOST = 20  # rows of a table or picture
LENGTHS = (5, 10, 15, 20, 30, 50)  # words
DATE_FORMS = (
    ("none: the latest", r""),
    ("since", r"since .*|.* onwards?|after .*|starting .*"),
    ("to date", r"ytd|qtd|mtd|.* to date|ttm|ltm|trailing .*"),
    ("back from today", r"(?:last|past|previous|prior|preceding|recent) (?:\d+|[a-z]+) .*|.* ago"),
    ("last or this", r"(?:last|past|previous|this|current|the current) \w+|today|yesterday"),
    ("range", r".* (?:to|and|through|until) .*|.* - .*|between .*|\d{4}-\d{4}"),
    ("quarter", r".*q[1-4].*|.*quarter.*|[1-4]q.*"),
    ("half year", r".*h[12].*|.*half.*"),
    ("fiscal year", r"(?:fy|fiscal).*"),
    ("year", r"\d{4}"),
    ("day", r"\d{4}-\d\d-\d\d|\d+/\d+/\d+|.*\d{1,2},? .*\d{4}|\d{1,2} \w+"),
    ("month", r"[a-z]+\.?(?: \d{4})?"),
)


@dataclass(slots=True)
class Coverage:
    """Counts of what pairs are about."""

    industries: Mapping[str, str]  # by a company's id
    counts: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    crossed: Counter[tuple[str, str]] = field(default_factory=Counter)  # metric and kind
    placed: Counter[tuple[str, str]] = field(default_factory=Counter)  # industry and kind

    def add(self, pair: Pair) -> None:
        """Count one pair."""
        about = [entity for entity in pair.request.entities if entity.kind != "market"]
        industries = {self.industries.get(entity.id, entity.id) for entity in about}
        primary = [metric.slug for metric in pair.request.metrics if metric.primary]
        for what, values in (
            ("part", (pair.part,)), ("kind", (pair.kind,)), ("channel", (pair.channel,)),
            ("noise", (pair.noise,)), ("metric", primary), ("industry", industries),
            ("words", (length(pair.query),)), ("date form", (date_form(pair.request.phrase),)),
            ("entity", {entity.kind for entity in pair.request.entities} or ("none",)),
        ):  # fmt: skip
            counter = self.counts[what]
            for value in values:
                counter[value] += 1
        for slug in primary:
            self.crossed[slug, pair.kind] += 1
        for industry in industries:
            self.placed[industry, pair.kind] += 1


def report(folder: Path, parts: Mapping[str, Sequence[Pair]], catalog: Catalog) -> None:
    """Write the three files."""
    coverage = Coverage({one.id: one.industry or "no industry known" for one in catalog.companies.all})
    for pairs in parts.values():
        for pair in pairs:
            coverage.add(pair)
    counted = {what: dict(sorted(found.items())) for what, found in coverage.counts.items()}
    write_json(folder / "coverage.json", counted)
    with whole_file(folder / "coverage.md") as temporary:
        temporary.write_text(_markdown(coverage))
    with whole_file(folder / "coverage.png") as temporary:
        _draw(coverage, temporary)


@lru_cache(maxsize=4096)
def date_form(phrase: str) -> str:
    """Which of DATE_FORMS a phrase is of, the first that fits."""
    plain = re.sub(r"^(?:in|on|for|over|during|from|the|of) (?:the )?", "", phrase.lower())
    return next((name for name, form in DATE_FORMS if re.fullmatch(form, plain)), "other")


def length(query: str) -> str:
    """The class of a question's length in words: "6-10"."""
    words, low = len(query.split()), 1
    for high in LENGTHS:
        if words <= high:
            return f"{low:02}-{high:02}"
        low = high + 1
    return f"over {LENGTHS[-1]}"


def _markdown(coverage: Coverage) -> str:
    lines = ["# Coverage", ""]
    for what, found in coverage.counts.items():
        total = found.total()
        lines += [f"## By {what}: {len(found)}", "", f"| {what} | pairs | share |", "|---|---|---|"]
        rows: Iterable[tuple[str, int]] = found.most_common(MOST)
        lines += [f"| {name} | {count:,} | {count / total:.1%} |" for name, count in rows]
        lines += [f"| {len(found) - MOST} others | {total - sum(c for _, c in rows):,} | |"] * (
            len(found) > MOST
        )
        lines.append("")
    return "\n".join(lines)


def _draw(coverage: Coverage, path: Path) -> None:
    """Metrics and industries by kind as heat maps; lengths, date forms and noise as bars."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 12), layout="constrained")
    FigureCanvasAgg(figure)
    halves: Any = figure.subfigures(2, 1, height_ratios=(2, 1))
    maps, bars = halves
    left, right = maps.subplots(1, 2)
    kinds = [kind for kind, _ in coverage.counts["kind"].most_common()]
    for axes, what, crossed in ((left, "metric", coverage.crossed), (right, "industry", coverage.placed)):
        names = [name for name, _ in coverage.counts.get(what, Counter()).most_common(MOST)]
        if names:
            axes.imshow(
                [[crossed[name, kind] for kind in kinds] for name in names], cmap="Blues", aspect="auto"
            )
        axes.set_yticks(range(len(names)), names)
        axes.set_xticks(range(len(kinds)), kinds, rotation=45, ha="right")
        axes.set_title(f"Pairs by {what} (the {MOST} commonest) and kind")
    for axes, what in zip(bars.subplots(1, 3), ("words", "date form", "noise"), strict=True):
        found: Any = sorted(coverage.counts[what].items())
        axes.barh([name for name, _ in found], [count for _, count in found], color="#3b6ea5")
        axes.set_title(f"Pairs by {what}")
    figure.savefig(path, format="png", dpi=80, metadata={"Software": None})
