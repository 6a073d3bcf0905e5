"""The tuned agent reads what the model says, whole, or says that it could not."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime

import pytest

from finground.agent.tune import prompt, rows
from finground.agent.tuned import Question, TunedAgent, UnreadReply
from finground.catalog import dialect
from finground.catalog.catalog import Catalog, company_entity
from finground.catalog.companies import Companies, Company
from finground.lm.constrain import Grammar
from finground.records.request import Interval, Pair, Request

AS_OF = datetime(2019, 1, 31, 23, 59, 59, tzinfo=UTC)
QUESTION = "What was the net income of Acme Robotics in September 2018?"


@dataclass(frozen=True)
class Said:
    text: str
    stop: str = "eos"
    truncated: bool = False
    probability: float = 0.75
    passes: int = 3
    new_tokens: int = 9


@dataclass
class Parrot:
    """A generator that says what it was told to, and remembers how it was asked."""

    says: list[Said]
    asked: list[object] = field(default_factory=list)

    def reply(self, prompts, *, max_new_tokens, batch, grammar=None, drafts=None):
        self.asked.append((list(prompts), max_new_tokens, batch, grammar, drafts))
        return self.says[: len(prompts)]


@pytest.fixture(scope="module")
def catalog():
    return Catalog(Companies([Company("us:ACME", "Acme Robotics Inc.", "ACME", "Industrials", "Machinery")]))


@pytest.fixture(scope="module")
def gold(catalog):
    acme = company_entity(catalog.companies.by_id("us:ACME"))
    september = Interval(date(2018, 9, 1), date(2018, 9, 30))
    return Request("open-ended", (acme,), catalog.expand(["net-income"]), september, "September 2018")


@pytest.mark.parametrize("form", dialect.FORMS)
def test_a_target_of_training_is_read_back_as_the_request_it_was_made_from(form, gold, catalog):
    pair = Pair(QUESTION, AS_OF, gold, "t-1", "technology", "open-ended", "none", "train")
    (row,) = rows([pair], form, catalog)
    parrot = Parrot([Said(row["target"])])
    reading = TunedAgent(parrot, catalog, form).read(QUESTION, AS_OF)
    read = reading.request
    assert (read.entities, read.metrics, read.interval) == (gold.entities, gold.metrics, gold.interval)
    ((prompts, _, _, grammar, drafts),) = parrot.asked
    assert prompts == [row["prompt"]]
    assert drafts == [row["target"]], "what the rules read is the draft"
    assert reading.sure == 0.75 and not reading.doubtful
    assert grammar is None


def test_the_prompt_is_short_and_says_the_day():
    assert prompt("What  is\nEPS?", AS_OF) == "Question: What is EPS?\nAs of: 2019-01-31\nRequest:\n"


@pytest.mark.parametrize(
    "text", ["", "(Acme Robotics Inc.) (Net Inco", "Net income was 5 million.", "(Foo) (Net Income) ()"]
)
def test_what_is_no_whole_request_is_unread_and_nothing_is_put_in_its_place(text, catalog):
    with pytest.raises(UnreadReply) as caught:
        TunedAgent(Parrot([Said(text)]), catalog, "compact").read(QUESTION, AS_OF)
    assert (caught.value.prompt, caught.value.reply, caught.value.stop) == (
        prompt(QUESTION, AS_OF),
        text,
        "eos",
    )


def test_a_reply_that_was_cut_off_is_unread_even_if_what_stands_can_be_read(gold, catalog):
    whole = dialect.write(gold, "compact", catalog)
    with pytest.raises(UnreadReply, match="cut off"):
        TunedAgent(Parrot([Said(whole, "length")]), catalog, "compact").read(QUESTION, AS_OF)


def test_replies_come_one_a_question_in_order_with_the_unread_among_them(gold, catalog):
    whole = dialect.write(gold, "compact", catalog)
    parrot = Parrot([Said(whole), Said("no idea", "eos", True), Said(whole)])
    agent = TunedAgent(parrot, catalog, "compact", grammar=Grammar('root ::= "x"'), new_tokens=99)
    replies = agent.replies([Question(f"q{n}", AS_OF) for n in range(3)], batch=2)
    assert [reply.request is not None for reply in replies] == [True, False, True]
    assert (replies[1].truncated, replies[1].why != "") == (True, True)
    assert [reply.prompt for reply in replies] == [prompt(f"q{n}", AS_OF) for n in range(3)]
    assert parrot.asked[0][1:4] == (99, 2, Grammar('root ::= "x"'))
    assert parrot.asked[0][4] == [None] * 3, "where the rules refuse there is no draft"
