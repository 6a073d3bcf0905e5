"""Templates are data that can be filled and mean something."""

import re
from collections import Counter
from typing import get_args

import pytest

from finground.context.templates import SLOT, Template, TemplateError, check, templates
from finground.records.request import QuestionKind

CHANGE = re.compile(
    r"\b(go up|going up|increase|rising|improve\w*|gr[oe]w\w*|outgrow|trend|fall\w*|drop|changed|climb|shrank"
    r"|evolved|developed|deteriorated|got worse|getting better|moved|turned the corner|up or down)\b"
)


def test_four_of_five_templates_are_of_technology_channels_and_every_kind_is_there():
    shipped = templates()
    assert Counter(t.channel for t in shipped) == {"technology": 4_000, "advisor": 500, "investor": 500}
    assert {t.kind for t in shipped} == set(get_args(QuestionKind))


def test_no_two_templates_are_equal_once_their_slots_are_blank():
    texts = [SLOT.sub("_", t.text).casefold() for t in templates()]
    assert len(set(texts)) == len(texts)
    ids = [t.id for t in templates()]
    assert len(set(ids)) == len(ids)


def test_questions_about_change_ask_for_metrics_that_change():
    about = [t for t in templates() if "metrics" in t.slots and CHANGE.search(t.text)]
    assert len(about) > 20
    assert {t.metric for t in about} == {"trackable"}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"text": "What about [firm]?"}, "unknown slot"),
        ({"text": "[metrics] of [company1]?"}, "without"),
        ({"text": "Top companies by [metrics]", "rank": "top", "market": True, "most": 1}, "neither"),
        ({"text": "Top [number] by [metrics]", "rank": "top", "market": True}, "several"),
        ({"text": "What is [metrics]?"}, "nobody"),
        ({"text": "[metrics] in [industry]", "peers": True}, "peers"),
    ],
)
def test_a_template_that_cannot_be_filled_is_named(changes, why):
    with pytest.raises(TemplateError, match=f"template x-1.*{why}"):
        check(Template(**{"id": "x-1", "channel": "investor", "kind": "open-ended", **changes}))
