"""Rules and model together: where the rules are in doubt, the model chooses among candidates drawn from the
question, and the surer of the two is taken.

The model writes under a grammar of the shortlist, so it chooses among candidates and cannot leave them; where
the rules see nobody, the whole catalogue stands.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from finground.agent.grammar import grammar
from finground.agent.rules import RulesAgent
from finground.agent.tuned import AgentReply, Asked, Generates, Question, TunedAgent, UnreadReply
from finground.catalog import dialect
from finground.catalog.catalog import Catalog
from finground.catalog.companies import Companies
from finground.catalog.metrics import Metrics
from finground.core.errors import InputError
from finground.records.request import Reading, Request

NEAR = 12  # metrics near to the question's words that the model may choose beside those the rules saw
BY_RULES = "rules"  # the stop of a reply that no model wrote


@dataclass(frozen=True)
class HybridAgent:
    """A tuned agent asked where the rules doubt; `form` is the one it was trained on."""

    generator: Generates
    catalog: Catalog
    form: str

    def read(self, query: str, as_of: datetime) -> Reading:
        """The rules' reading, or the model's where that is doubtful and the model is surer.

        Raises:
            UnreadReply: if the rules cannot read the question and the model's reply is not a whole request.
        """
        (reply,) = self.replies([Question(query, as_of)])
        if reply.request is None:
            raise UnreadReply(reply)
        return Reading(reply.request, reply.sure)

    def replies(self, questions: Sequence[Asked]) -> list[AgentReply]:
        """One reply a question, in order; `stop` tells who gave it."""
        return [self._reply(asked) for asked in questions]

    def _reply(self, asked: Asked) -> AgentReply:
        seen = self._by_rules(asked)
        if seen is not None and not seen.doubtful:
            return self._as_reply(seen)
        allowed = grammar(self.form, self._shortlist(asked, seen), self.catalog)
        (said,) = TunedAgent(self.generator, self.catalog, self.form, allowed).replies([asked])
        if seen is not None and (said.request is None or said.sure <= seen.sure):
            return self._as_reply(seen)
        return said

    def _by_rules(self, asked: Asked) -> Reading | None:
        try:
            return self._rules.read(asked.query, asked.as_of)
        except InputError:
            return None

    def _as_reply(self, seen: Reading) -> AgentReply:
        text = dialect.write(seen.request, self.form, self.catalog)
        return AgentReply("", text, BY_RULES, False, seen.request, sure=seen.sure)

    def _shortlist(self, asked: Asked, seen: Reading | None) -> Catalog:
        """The catalogue of what the question may mean; all of it where no company is in sight."""
        companies = self._companies(asked, seen.request if seen else None)
        if not companies:
            return self.catalog
        metrics = [metric.slug for metric in seen.request.metrics if metric.primary] if seen else []
        named = (self.catalog.metrics.by_slug(slug) for slug in dict.fromkeys([*metrics, *self._near(asked)]))
        return Catalog(
            Companies(self.catalog.companies.by_id(id) for id in dict.fromkeys(companies)), Metrics(named)
        )

    def _companies(self, asked: Asked, seen: Request | None) -> list[str]:
        """Ids of companies that the rules saw, and of those whose names are near to one they did not know."""
        known = self.catalog.companies
        found = [entity.id for entity in seen.entities if entity.kind in ("company", "peers")] if seen else []
        for mention in known.mentions(asked.query, asked.as_of):
            names = [mention.found.name] if mention.found else mention.candidates
            found += [company.id for name in names for company in known.lookup(name)]
        return found

    def _near(self, asked: Asked) -> list[str]:
        """Slugs of the metrics whose names are nearest to the question's words."""
        from rapidfuzz import fuzz, process

        near = process.extract(asked.query, self._names, scorer=fuzz.token_set_ratio, limit=NEAR)
        return [self.catalog.metrics.all[place].slug for _, _, place in near]

    @cached_property
    def _names(self) -> list[str]:
        return [metric.name for metric in self.catalog.metrics.all]

    @cached_property
    def _rules(self) -> RulesAgent:
        return RulesAgent(self.catalog)
