"""Questions to a small store: sourced numbers, gaps shown, and one sentence for what cannot be asked."""

import gzip
import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from small_root import DAY, Said

from finground.answer import answer
from finground.core.coding import decode, encode
from finground.core.paths import Root
from finground.records.report import Answer
from finground.roles import open_world
from finground.settings import load

Finground = Callable[..., Said]
START, END = "2025-01-01", "2025-03-31"


@pytest.fixture(scope="module")
def listed(walked: Root) -> list[dict[str, Any]]:
    """The companies as the raw file lists them."""
    return list(json.loads((walked.sample / "sec" / "company_tickers.json").read_text()).values())


@pytest.fixture(scope="module")
def filed(walked: Root, listed: list[dict[str, Any]]) -> dict[str, Any]:
    """The first company's net income of the first quarter of 2025, as its raw file has it."""
    path = walked.sample / "sec" / "companyfacts" / f"CIK{listed[0]['cik_str']:010d}.json.gz"
    facts = json.loads(gzip.decompress(path.read_bytes()))["facts"]["us-gaap"]["NetIncomeLoss"]
    (row,) = [r for r in facts["units"]["USD"] if r.get("start") == START and r["end"] == END]
    return row


@pytest.fixture
def ask(walked: Root, finground: Finground) -> Finground:
    return lambda *words: finground("ask", *words, "--root", walked.folder)


@pytest.fixture
def first(listed: list[dict[str, Any]]) -> str:
    return str(listed[0]["title"])


def kept(ask: Finground, place: Path, *words: str) -> Answer:
    """An answer as --json gives it, also written to a file."""
    said = ask(*words, "--json")
    assert said.code == 0, said.err
    place.write_text(said.out)
    return decode(said.out, Answer)


def test_a_comparison_is_a_table_with_sources_and_one_sentence(ask: Finground, listed, filed):
    names = [row["title"] for row in listed[:2]]
    said = ask(
        f"How did the net income of {names[0]} compare to {names[1]} in the last quarter?", "--as-of", DAY
    )
    assert said.code == 0
    assert f"{filed['val'] / 1e6:,.1f} million USD" in said.out
    assert f"{filed['filed']}  synthetic EDGAR 10-Q" in said.out
    compared = [line for line in said.out.splitlines() if line.startswith(f"Net Income of {names[0]}")]
    assert len(compared) == 1
    assert f"that of {names[1]}" in compared[0]
    assert "All data here are synthetic" in said.out


def test_the_figure_is_the_one_filed(ask: Finground, first: str, filed, tmp_path: Path):
    found = kept(ask, tmp_path / "a.json", f"What was the net income of {first} in Q1 2025?", "--as-of", DAY)
    fact = next(fact for fact in found.bundle.facts if fact.metric == "net-income")
    assert (fact.value, fact.unit, fact.currency) == (filed["val"], "currency", "USD")
    assert (str(fact.period_start), str(fact.period_end)) == (START, END)
    assert (str(fact.filed_at.date()), filed["accn"] in fact.source) == (filed["filed"], True)


def test_a_figure_is_unknown_the_day_before_it_is_filed_and_known_on_the_day(walked: Root, first: str, filed):
    from finground.agent.rules import RulesAgent
    from finground.catalog.dates import as_of_of
    from finground.report.template import TemplateWriter

    question = f"What was the net income of {first} in Q1 2025?"
    day = date.fromisoformat(filed["filed"])
    with open_world(walked.live, load(walked.params)) as world:
        before, after = (
            answer(question, as_of=as_of_of(str(moment)), world=world, agent=RulesAgent(world.catalog),
                   writer=TemplateWriter())
            for moment in (day - timedelta(days=1), day)
        )  # fmt: skip
    assert not [fact for fact in before.bundle.facts if str(fact.period_end) == END]
    gap = next(gap for gap in before.bundle.gaps if gap.what.startswith("Net Income"))
    assert gap.nearest is not None
    assert gap.nearest.period_end < date.fromisoformat(START)
    assert filed["val"] in [fact.value for fact in after.bundle.facts if fact.metric == "net-income"]


def test_a_gap_shows_what_is_nearest_and_does_not_put_it_in_place(ask: Finground, first: str, filed):
    said = ask(f"What was the net income of {first} in Q1 2025?", "--as-of", "2025-04-01")
    assert said.code == 0
    assert f"no Net Income of {START} to {END}; not filed by 2025-04-01" in said.out
    assert "Nearest on file: Net Income of" in said.out
    assert f"{filed['val'] / 1e6:,.1f}" not in said.out


def test_an_analysis_holds_every_dimension_and_the_score_of_it(
    ask: Finground, finground: Finground, walked: Root, first: str, tmp_path: Path
):
    found = kept(ask, tmp_path / "a.json", f"Please analyze {first}", "--as-of", DAY)
    assert len(found.plan.tools) == 6
    assert found.report.ungrounded == ()
    said = finground("score", tmp_path / "a.json", "--root", walked.folder)
    assert (said.code, said.out.splitlines()[0]) == (0, "eligible")
    lines = [line.partition(": ") for line in said.out.splitlines() if line.startswith("  ")]
    assert found.score is not None
    assert [head.split("  ")[-1].strip() for head, _, _ in lines] == [
        *(row.name for row in found.score.criteria),
        *(f"{mark.part} (by rules)" for mark in found.score.marks),
    ]
    assert len(lines) == 12 and all(evidence for _, _, evidence in lines)
    as_json = finground("score", tmp_path / "a.json", "--json", "--root", walked.folder)
    assert json.loads(as_json.out)["eligible"] is True


def test_a_kept_answer_to_a_reader_is_scored_for_that_reader(
    ask: Finground, finground: Finground, walked: Root, first: str, tmp_path: Path
):
    (tmp_path / "me.json").write_text('{"risk": "low", "horizon": "long"}')
    words = (f"Please analyze {first}", "--as-of", DAY, "--profile", str(tmp_path / "me.json"))
    found = kept(ask, tmp_path / "a.json", *words)
    assert found.score is not None and found.score.points["conclusion"] == 20
    said = finground("score", tmp_path / "a.json", "--root", walked.folder)
    assert f"{found.score.total} of 100 points" in said.out and "fitted to the reader" in said.out


def test_json_is_the_whole_answer_and_reads_back(ask: Finground, first: str, tmp_path: Path):
    found = kept(ask, tmp_path / "a.json", f"Please analyze {first}", "--as-of", DAY)
    assert decode(encode(found), Answer).report == found.report
    assert encode(decode(encode(found), Answer)) == encode(found)
    assert set(found.timings) == {"agent", "plan", "store", "tools", "writer", "analyscore"}


def test_only_analyses_are_scored(ask: Finground, finground, walked: Root, first: str, tmp_path: Path):
    kept(ask, tmp_path / "a.json", f"What was the net income of {first} in Q1 2025?", "--as-of", DAY)
    said = finground("score", tmp_path / "a.json", "--root", walked.folder)
    assert said.code == 2
    assert "holds a data answer; AnalyScore grades analyses only" in said.sentence


def test_what_is_no_answer_is_not_scored(finground: Finground, walked: Root, tmp_path: Path):
    (tmp_path / "a.json").write_text('{"query": 1}')
    said = finground("score", tmp_path / "a.json", "--root", walked.folder)
    assert said.code == 2
    assert "is not a kept answer" in said.sentence


def test_a_follow_up_changes_who_and_keeps_the_rest(ask: Finground, listed, tmp_path: Path):
    first, second = (row["title"] for row in listed[:2])
    before = kept(ask, tmp_path / "a.json", f"What was the net income of {first} in Q1 2025?", "--as-of", DAY)
    after = kept(
        ask, tmp_path / "b.json", f"and {second}?", "--as-of", DAY, "--after", str(tmp_path / "a.json")
    )
    assert [entity.name for entity in after.request.entities] == [second]
    assert (after.request.metrics, after.request.interval) == (
        before.request.metrics,
        before.request.interval,
    )
    assert after.after == before.query
    assert after.plan.subtasks[0].text == f"Read it after {before.query!r}"


def test_a_greeting_is_answered_without_data(ask: Finground, tmp_path: Path):
    answered = kept(ask, tmp_path / "a.json", "What can you do?", "--as-of", DAY, "--agent", "tuned")
    assert (answered.plan.kind, answered.plan.tools, answered.report.status) == ("talk", (), "complete")
    assert not answered.bundle.facts and not answered.report.ungrounded


def test_a_model_plans_or_fails_whole(ask: Finground, first: str):
    """The tiny base knows nothing of tools; what it must not do is answer without a plan of its own."""
    said = ask(f"Please analyze {first}", "--as-of", DAY, "--planner", "model", "--json")
    assert said.code in (0, 1)
    if said.code == 0:
        plan = json.loads(said.out)["plan"]
        assert plan["by"] == "model:tiny" and plan["subtasks"]
    else:
        assert "not a whole plan" in said.sentence


def test_a_page_shows_the_plan_and_what_is_doubtful(ask: Finground, first: str, tmp_path: Path):
    page = tmp_path / "page.html"
    ask(f"How is {first} faring, gizmowise and otherwise?", "--as-of", DAY, "--html", str(page))
    text = page.read_text()
    assert "What was done (planned by rules)" in text
    assert "may have been misunderstood" in text


def test_a_page_escapes_what_was_asked(ask: Finground, first: str, tmp_path: Path):
    page = tmp_path / "page.html"
    said = ask(
        f"Net income of {first} in Q1 2025 <script>alert(1)</script>", "--as-of", DAY, "--html", str(page)
    )
    assert said.code == 0
    text = page.read_text()
    assert "<script>" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "synthetic EDGAR" in text


@pytest.mark.parametrize(
    ("question", "as_of", "words"),
    [
        ("Please analyze Foo Bar Inc", DAY, "no company is known as 'Foo Bar Inc'"),
        ("What is the net income of Tesla in 2024?", "2025-13-30", "'2025-13-30' is not a time"),
        ("tell me a joke", DAY, "names no company, industry or metric; ask e.g."),
        ("Net income of '; DROP TABLE companies; -- in 2024", DAY, "no company is known as 'DROP'"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence_and_exit_2(ask: Finground, question, as_of, words):
    said = ask(question, "--as-of", as_of)
    assert (said.code, said.out) == (2, "")
    assert words in said.sentence
    assert "Traceback" not in said.err


def test_an_interval_that_ends_before_it_starts_is_refused(ask: Finground, first: str):
    said = ask(f"Net income of {first} between December 2024 and January 2023", "--as-of", DAY)
    assert said.code == 2
    assert "ends (2023-01-31) before it starts (2024-12-01)" in said.sentence


def test_a_name_nearly_right_is_answered_with_candidates(ask: Finground, first: str):
    misspelt = first.split()[0][:-1] + "x"
    said = ask(f"What was the net income of {misspelt} in Q1 2025?", "--as-of", DAY)
    assert said.code == 2
    assert first in said.err


def test_a_request_and_its_lookup_are_the_same_as_asking(
    walked: Root, finground: Finground, first: str, filed
):
    where = ("--as-of", DAY, "--root", walked.folder)
    asked = finground("request", f"What was the net income of {first} in Q1 2025?", *where)
    assert asked.out.startswith(f"({first}) (Net Income; ")
    found = finground("lookup", asked.out.strip(), *where)
    assert found.code == 0
    assert f"{filed['val'] / 1e6:,.1f} million USD" in found.out


def test_an_investor_profile_of_another_shape_is_refused(ask: Finground, first: str, tmp_path: Path):
    (tmp_path / "me.json").write_text('{"mood": "good"}')
    said = ask(f"Please analyze {first}", "--as-of", DAY, "--profile", str(tmp_path / "me.json"))
    assert said.code == 2
    assert "is not an investor's profile" in said.sentence


def test_the_tuned_agent_answers_or_says_that_its_reply_was_not_read(ask: Finground, first: str):
    """After two steps it knows nothing; what it must not do is answer something else."""
    said = ask(f"What was the net income of {first} in Q1 2025?", "--as-of", DAY, "--agent", "tuned")
    assert said.code in (0, 1, 2)
    assert bool(said.out) == (said.code == 0)
    assert bool(said.sentence) == (said.code != 0)


def test_an_endpoint_that_is_not_configured_is_named(ask: Finground, first: str):
    said = ask(f"Please analyze {first}", "--as-of", DAY, "--writer", "openai")
    assert said.code == 2
    assert "has no `endpoint` section" in said.sentence


def test_store_status_tells_rows_and_lag(walked: Root, finground: Finground):
    status = json.loads(finground("store", "status", "--root", walked.folder).out)
    assert status["rows"]["companies"] == 24
    assert status["rows"]["news"] == 60
