"""Real models under the grammars, trained or not: a whole request or a typed failure, in its bound (A1)."""

from datetime import UTC, datetime

import pytest
from made_models import other, tiny

from finground.agent.grammar import grammar
from finground.agent.hybrid import BY_RULES, HybridAgent
from finground.agent.tuned import Question, TunedAgent
from finground.catalog import dialect
from finground.core.errors import InputError
from finground.lm.generate import Generator
from finground.records.request import DOUBTFUL

AS_OF = datetime(2025, 6, 30, tzinfo=UTC)
QUESTIONS = [
    Question("What was the net income of Acme Robotics in 2023?", AS_OF),
    Question("How sturdy does Acme Robotics look these days, moneywise?", AS_OF),
    Question("tell me a joke", AS_OF),
    Question("Is Søgne & Æren growing?", AS_OF),
]


@pytest.fixture(scope="module", params=["llama", "bloom", "mistral"])
def untrained(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("untrained")
    llama = tiny(folder / "llama")
    place = llama if request.param == "llama" else other(request.param, folder / request.param, llama)
    return Generator.open(place, None)


@pytest.mark.parametrize("form", dialect.FORMS)
def test_an_untrained_model_writes_a_whole_request_or_fails_within_its_bound(untrained, form, catalog):
    agent = TunedAgent(untrained, catalog, form, grammar(form, catalog), new_tokens=400)
    alone = agent.replies(QUESTIONS, batch=1)
    for reply in alone:
        assert reply.tokens <= 400
        if reply.stop in ("eos", "grammar"):
            assert reply.request is not None, (reply.text, reply.why)
            assert 0 < reply.sure <= 1
        else:
            assert reply.request is None and reply.why
    assert [reply.text for reply in agent.replies(QUESTIONS, batch=4)] == [reply.text for reply in alone]


def test_a_model_that_prefers_a_space_still_ends(untrained, catalog, monkeypatch):
    space = untrained.tokenizer.encode(" ", add_special_tokens=False)[-1]
    hidden = Generator._hidden

    def stubborn(self, ids, mask, cache):
        states = hidden(self, ids, mask, cache)
        return states + 1e3 * self._head()[space] / self._head()[space].norm()

    monkeypatch.setattr(Generator, "_hidden", stubborn)
    agent = TunedAgent(untrained, catalog, "compact", grammar("compact", catalog), new_tokens=200)
    for reply in agent.replies(QUESTIONS):
        assert (reply.request is None) == bool(reply.why)
        assert reply.stop in ("eos", "grammar") or reply.why


def test_the_hybrid_keeps_what_the_rules_are_sure_of_and_asks_the_model_where_they_doubt(untrained, catalog):
    agent = HybridAgent(untrained, catalog, "compact")
    sure, doubted, refused, _ = agent.replies(QUESTIONS)
    assert (sure.stop, sure.passes) == (BY_RULES, 0) and sure.sure >= DOUBTFUL
    rules = agent._rules
    assert rules.read(QUESTIONS[1].query, AS_OF).sure < DOUBTFUL
    assert doubted.stop == BY_RULES or doubted.sure > rules.read(QUESTIONS[1].query, AS_OF).sure
    with pytest.raises(InputError):
        rules.read(QUESTIONS[2].query, AS_OF)
    assert refused.passes > 0
