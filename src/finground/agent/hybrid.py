"""Rules and model together: the rules draw up whom and what the question may mean, the model chooses in that.

The grammar is made of the rules' shortlist instead of the whole catalogue, so the model chooses among
candidates and cannot leave them; where the rules see nothing, the whole catalogue stands.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from finground.agent.rules import RulesAgent
from finground.agent.tuned import Generates, TunedAgent
from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies
from finground.catalog.metrics import Metrics
from finground.core.errors import InputError
from finground.records.request import Request


@dataclass(frozen=True, slots=True)
class HybridAgent:
    """A tuned agent under a grammar of the rules' candidates; `grammar` makes one out of a catalogue."""

    generator: Generates
    catalog: Catalog
    form: str
    grammar: Callable[[Catalog], str]

    def request(self, query: str, as_of: datetime) -> Request:
        """The model's choice among the rules' candidates.

        Raises:
            UnreadReply: if the reply is not a whole request.
        """
        grammar = self.grammar(self.shortlist(query, as_of))
        return TunedAgent(self.generator, self.catalog, self.form, grammar).request(query, as_of)

    def shortlist(self, query: str, as_of: datetime) -> Catalog:
        """The catalogue of what the rules saw in the question; all of it where they saw nothing."""
        try:
            seen = RulesAgent(self.catalog).request(query, as_of)
        except InputError:
            return self.catalog
        companies = [
            self.catalog.companies.by_id(e.id) for e in seen.entities if e.kind in ("company", "peers")
        ]
        metrics = [self.catalog.metrics.by_slug(metric.slug) for metric in seen.metrics]
        return Catalog(
            Companies(companies) if companies else self.catalog.companies,
            Metrics(metrics) if metrics else self.catalog.metrics,
        )
