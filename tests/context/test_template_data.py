"""The 5,000 shipped templates: how many, how different, and that each asks for what it says."""

import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest

from finground.catalog import dates
from finground.context.templates import SLOT, Need, Template, check, templates
from finground.records.request import QuestionKind

ROOT = Path(__file__).parents[2]
SHARES = {
    "yes-no": 18, "comparative": 18, "open-ended": 28, "ranking": 10, "peers": 8, "industry": 7,
    "educational": 6, "analysis": 5,
}  # fmt: skip
CHANGE = re.compile(
    r"\b(r[io]s(e|es|ing)|risen|increas\w+|f[ae]ll(ing|s|en)?|drop\w*|gr[eo]w(s|n|th|ing)?|improv\w+|declin\w+|climb\w*"
    r"|shr[aiu]nk\w*|trend\w*|develop(ed|s)?|evolv\w+|deteriorat\w+|recover\w*|rebound\w*|go(ing)? (up|down)"
    r"|went (up|down)|(got|getting|get) (better|worse)|turned the corner|history of|timeline)\b"
)
SIZE = re.compile(
    r"\b(highe(r|st)|lowe(r|st)|best(?! wishes| regards| to| way)|strongest|weakest|largest|smallest"
    r"|biggest(?! position)|how (much(?! weight)|high|low|large)"
    r"|figures (of|for)|numbers (of|for)|calculate|average|gap|top|bottom|compare[sd]?|comparison)\b"
)
PEERS = re.compile(r"\b(peers?|rivals?|competitors?)\b")
FIRST = re.compile(
    r"\b(highest|high|top|best|largest|biggest|strongest|strong|most impressive|leaders|leads?|leading|led"
    r"|front runners|number one|first|ahead)\b"
)
LAST = re.compile(
    r"\b(lowest|bottom|smallest|weakest|poorest|laggards|stragglers|last|poor|weak|low|least)\b"
)
NUMERALS = {1: r"compan(y|ies)|who|which one|is first|comes first", 3: "three", 5: "five", 10: "ten"}


@pytest.fixture(scope="module")
def shipped() -> tuple[Template, ...]:
    return templates()


def blank(text: str) -> list[str]:
    """Words in small letters, without punctuation, slots blank."""
    return re.findall(r"\w+", SLOT.sub("_", text.casefold()))


def shingles(text: str) -> frozenset[str]:
    words = blank(text)
    return frozenset(" ".join(words[at : at + 3]) for at in range(max(len(words) - 2, 1)))


def test_four_of_five_templates_come_from_technology_channels(shipped):
    assert Counter(t.channel for t in shipped) == {"technology": 4000, "advisor": 500, "investor": 500}


def test_every_kind_is_asked_in_every_channel_in_proportion(shipped):
    assert set(SHARES) == set(get_args(QuestionKind))
    for channel, size in Counter(t.channel for t in shipped).items():
        kinds = Counter(t.kind for t in shipped if t.channel == channel)
        assert kinds == {kind: share * size // 100 for kind, share in SHARES.items()}


def test_every_template_can_be_filled_and_means_something(shipped):
    assert [check(t) for t in shipped] == list(shipped)


def test_ids_are_unique_and_name_the_channel_and_the_body(shipped):
    assert len({t.id for t in shipped}) == len(shipped)
    assert all(re.fullmatch(rf"{t.channel}-[a-z-]+-\d{{3}}-\d+", t.id) for t in shipped)
    assert len({t.id.removeprefix(t.channel).rsplit("-", 1)[0] for t in shipped}) > 600


def test_no_two_templates_are_equal_once_slots_are_blank(shipped):
    texts = Counter(" ".join(blank(t.text)) for t in shipped)
    assert [text for text, count in texts.items() if count > 1] == []


def test_templates_begin_in_many_ways_and_none_in_more_than_one_of_a_hundred(shipped):
    starts = Counter(
        " ".join(re.findall(r"\[\w+\]|[\w'&/]+", t.text.casefold().replace("]'s", "]"))[:4]) for t in shipped
    )
    assert len(starts) >= 1200
    assert max(starts.values()) <= len(shipped) / 100


def test_fewer_than_one_in_twenty_has_a_near_duplicate(shipped):
    all_shingles = [shingles(t.text) for t in shipped]
    holding = defaultdict(list)
    for index, mine in enumerate(all_shingles):
        for shingle in mine:
            holding[shingle].append(index)
    near = 0
    for index, mine in enumerate(all_shingles):
        shared = Counter(other for shingle in mine for other in holding[shingle] if other != index)
        near += any(n / (len(mine) + len(all_shingles[other]) - n) >= 0.8 for other, n in shared.items())
    assert near / len(shipped) < 0.05


def test_about_a_third_asks_for_no_date(shipped):
    undated = sum("date" not in t.slots for t in shipped)
    assert 0.28 < undated / len(shipped) < 0.38


def test_a_date_brings_its_own_preposition(shipped):
    before = re.compile(
        r"\b(in|for|over|during|of|from|since|on|at|between|by|to|than|with|until|the|its|their) \[date\]"
    )
    assert [t.text for t in shipped if before.search(t.text)] == []
    first = [t.text for t in shipped if t.text.startswith("[date]")]
    assert len(first) > 20
    assert all(text.startswith("[date], ") for text in first)


def test_no_template_names_a_date_of_its_own(shipped):
    as_of = datetime(2025, 6, 30, tzinfo=UTC)
    assert [t.text for t in shipped if dates.find(SLOT.sub("_", t.text), as_of)] == []


def test_needs_go_with_kinds(shipped):
    needs = defaultdict(set)
    for t in shipped:
        needs[t.kind].add(t.metric)
    everything = set(get_args(Need))
    assert needs == {
        kind: {"numeric"} if kind == "ranking" else {"any"} if kind == "analysis" else everything
        for kind in SHARES
    }
    assert all("metrics" in t.slots or t.kind == "analysis" for t in shipped)


def test_a_question_about_change_asks_for_a_metric_that_changes(shipped):
    about = [t for t in shipped if "metrics" in t.slots and CHANGE.search(t.text.casefold())]
    assert len(about) > 600
    assert [t.text for t in about if t.metric != "trackable"] == []


def test_a_question_about_size_asks_for_a_number(shipped):
    about = [t for t in shipped if "metrics" in t.slots and SIZE.search(t.text.casefold())]
    assert len(about) > 800
    assert [t.text for t in about if t.metric == "any"] == []


def test_peers_are_asked_for_where_the_text_names_them(shipped):
    assert [t.text for t in shipped if bool(PEERS.search(t.text.casefold())) != t.peers] == []


def test_the_market_is_asked_for_where_nobody_is_named(shipped):
    named = {t for t in shipped if t.companies or "industry" in t.slots or t.kind == "educational"}
    assert all(t.market == (t not in named) for t in shipped)


def test_a_ranking_says_which_end_and_how_many(shipped):
    ranked = [t for t in shipped if t.rank]
    assert {t.id for t in ranked} == {t.id for t in shipped if t.kind == "ranking"}
    assert {t.rank for t in ranked} == {"top", "bottom"}
    for t in ranked:
        words = t.text.casefold()
        assert (FIRST if t.rank == "top" else LAST).search(words), t.text
        assert t.n is None or re.search(NUMERALS[t.n], words), t.text


def test_texts_are_whole_and_tidy(shipped):
    odd = re.compile(r"[{}<>~|*\n]|  |^\s|\s$| [,.?]|[,.?!;:][,.;:]|\bi\b(?=.*\bI\b)|\]\[")
    assert [t.text for t in shipped if odd.search(t.text)] == []
    assert max(len(t.text) for t in shipped) < 250


def test_the_script_writes_the_shipped_bytes_whatever_the_hash_seed(tmp_path):
    script = ROOT / "scripts" / "make_templates.py"
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True, env=environment)
    for channel in ("technology", "advisor", "investor"):
        made = (tmp_path / f"{channel}.jsonl").read_bytes()
        assert made == (files("finground.context") / "templates" / f"{channel}.jsonl").read_bytes()
