"""Law 5: a reply is read whole or counted as unread, inside the denominator; what was said is kept."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from finground.answer import World
from finground.bench.cell import Trial
from finground.bench.reports import held_out, score_writer
from finground.bench.requests import Output, judge, score_rows
from finground.context.pairs import read_pairs
from finground.core.artifact import read_rows
from finground.core.errors import RequestError
from finground.core.paths import Root
from finground.records.report import Report
from finground.records.score import KeptReply, ScoreRow
from finground.report.brief import Brief
from finground.report.tuned import TunedWriter
from finground.roles import open_world
from finground.settings import load


@pytest.fixture(scope="module")
def world(walked: Root) -> Iterator[World]:
    with open_world(walked.frozen, load(walked.params)) as opened:
        yield opened


@dataclass(frozen=True)
class Said:
    text: str
    stop: str = "eos"
    truncated: bool = False


@dataclass(frozen=True)
class Silent:
    """A model that says nothing."""

    def reply(self, prompts: list[str], *, max_new_tokens: int, batch: int) -> list[Said]:
        return [Said("") for _ in prompts]


def test_unread_replies_are_in_the_denominator(walked: Root, world: World):
    pairs = list(read_pairs(walked.context, "test-seen", 4))
    said = [pairs[0].request, Output(None, "(Acme"), RequestError("no company"), pairs[3].request]
    rows = score_rows("a", judge(said, pairs, world.catalog), part="test-seen", seed=1, commit="c")
    rows = [row for row in rows if "/" not in row.part]
    by_metric = {row.metric: row for row in rows}
    assert {(row.n, row.n_unread) for row in rows} == {(4, 2)}
    for metric in ("exact_match", "validity", "f1_entities", "f1_primary", "f1_dates"):
        assert by_metric[metric].value == 0.5, metric


def test_a_writer_that_says_nothing_scores_nothing_and_is_counted(walked: Root, world: World):
    asked = held_out(walked, 1)
    scored = score_writer(Trial("silent", "report", 1, "c"), TunedWriter(Silent()), asked, world)
    assert {(row.n, row.n_unread) for row in scored.rows} == {(1, 1)}
    good = [row for row in scored.rows if row.metric not in ("words", "ungrounded")]
    assert {row.value for row in good} == {0.0}
    assert [reply.stop for reply in scored.replies] == ["eos", "eos"]


def test_a_report_with_a_cut_prompt_has_failed_and_keeps_its_text(world: World, walked: Root):
    from finground.stocksis.pair import brief_of
    from finground.stocksis.split import Moment

    (pair, *_) = held_out(walked, 1)["new-time"]
    brief: Brief = brief_of(world, Moment(pair.company, pair.as_of, "new-time"), pair.query)

    class Cut:
        def reply(self, prompts: list[str], *, max_new_tokens: int, batch: int) -> list[Said]:
            return [Said("All is well.", "length", True) for _ in prompts]

    report: Report = TunedWriter(Cut()).write(brief)
    assert (report.status, report.text, report.stops) == ("failed", "All is well.", ("length",))


def test_a_benchmark_keeps_prompt_reply_and_stop_reason_of_every_model(walked: Root):
    rows = list(read_rows(walked.scores, ScoreRow))
    kept = list(read_rows(walked.replies("bench"), KeptReply))
    assert {reply.stop for reply in kept if reply.system.startswith("agent")} <= {
        *("eos", "grammar", "length", "stuck")
    }
    assert [reply for reply in kept if not reply.prompt] == []
    for system in ("rules", "agent-plain", "agent-domain", "hybrid-domain", "base", "writer"):
        for part in {row.part for row in rows if row.system == system and "/" not in row.part}:
            n = next(row.n for row in rows if (row.system, row.part) == (system, part))
            assert len([r for r in kept if (r.system, r.part) == (system, part)]) == n


def test_every_unread_reply_says_why(walked: Root):
    kept = [
        reply for reply in read_rows(walked.replies("bench"), KeptReply) if reply.system.startswith("agent")
    ]
    rows = [
        row
        for row in read_rows(walked.scores, ScoreRow)
        if row.metric == "exact_match" and "/" not in row.part
    ]
    unread = sum(row.n_unread for row in rows if row.system.startswith("agent"))
    assert len([reply for reply in kept if reply.why]) == unread
