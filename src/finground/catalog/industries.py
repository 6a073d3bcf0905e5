"""Sectors and industries by name, as people say them."""

from collections.abc import Iterable
from functools import cached_property

from finground.catalog.names import normal
from finground.core.errors import CatalogError

SAID = {
    "tech": ("technology", "information technology"),
    "it": ("information technology", "technology"),
    "technology": ("information technology",),
    "information technology": ("technology",),
    "healthcare": ("health care",),
    "health care": ("healthcare",),
    "health": ("health care", "healthcare"),
    "pharma": ("pharmaceuticals",),
    "pharmaceutical": ("pharmaceuticals",),
    "bank": ("banks", "diversified banks", "banking"),
    "banking": ("banks", "diversified banks"),
    "banks": ("banking", "diversified banks"),
    "financial": ("financials", "financial services"),
    "finance": ("financials", "financial services"),
    "financials": ("financial services", "financial"),
    "industrial": ("industrials", "industrial goods"),
    "utility": ("utilities",),
    "retail": ("retailers", "retailing"),
    "airline": ("airlines", "passenger airlines"),
    "telecom": ("telecommunications", "telecommunication services", "communication services"),
    "telecommunications": ("telecommunication services", "communication services"),
    "semiconductor": ("semiconductors",),
    "chip": ("semiconductors",),
    "automotive": ("automobiles", "automobile manufacturers"),
    "auto": ("automobiles", "automobile manufacturers"),
    "basic materials": ("materials",),
    "materials": ("basic materials",),
    "oil": ("oil and gas", "integrated oil and gas", "energy"),
    "consumer goods": ("consumer staples",),
    "insurance": ("insurers",),
    "media": ("communication services",),
}


class Industries:
    """The names of the sectors and industries that companies of the catalogue have."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.names: tuple[str, ...] = tuple(sorted({name for pair in pairs for name in pair if name}))

    @cached_property
    def keys(self) -> dict[str, str]:
        """Every way to say an industry, to its name."""
        own = {normal(name): name for name in self.names}
        said = {word: next((own[key] for key in meant if key in own), None) for word, meant in SAID.items()}
        return {word: name for word, name in said.items() if name} | own

    def resolve(self, text: str) -> str:
        """The name that the text means.

        Raises:
            CatalogError: if there is none, with names that are near.
        """
        found = self.keys.get(normal(text))
        if found is not None:
            return found
        from rapidfuzz import fuzz, process

        close = process.extract(text, self.names, scorer=fuzz.WRatio, limit=5, score_cutoff=60)
        near = tuple(name for name, _, _ in close)
        hint = f"near it: {', '.join(near)}" if near else f"known are {', '.join(self.names[:12])}"
        raise CatalogError(f"no industry is called {text!r}; {hint}", near)
