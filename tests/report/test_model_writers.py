"""Writers that talk through a model: prompts stay short, replies are kept as said, failures are failures."""

import json
import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from made_brief import FINDINGS, analysis_brief, data_brief, fact

from finground.core.errors import FingroundError, SettingsError
from finground.report.enrich import enrich
from finground.report.grounding import check
from finground.report.llm import EndpointWriter
from finground.report.prompt import background, prompt
from finground.report.selection import compact
from finground.report.template import TemplateWriter
from finground.report.tuned import TunedWriter
from finground.settings import Endpoint


@dataclass
class Said:
    text: str
    stop: str = "eos"
    truncated: bool = False


class Parrot:
    """A generator that says what it is told to."""

    def __init__(self, *said):
        self.said = said

    def reply(self, prompts, *, max_new_tokens, batch):
        self.prompts = prompts
        return list(self.said)


def test_a_tuned_report_is_cut_at_empty_lines_and_checked_like_any_other():
    brief = analysis_brief()
    parrot = Parrot(Said("Aaa Corp is calm.\n\nNews of Aaa Corp: none.\n\nThe last price is 25.29 USD."))
    report = check(TunedWriter(parrot).write(brief), brief)
    assert [part.name for part in report.sections] == ["summary", "catalysts", "conclusion"]
    assert report.status == "partial" and [flaw.text for flaw in report.ungrounded] == ["25.29 USD"]
    assert parrot.prompts == [prompt(brief)]


def test_empty_cut_and_truncated_replies_keep_what_was_said_and_say_so():
    brief = analysis_brief()
    said = Parrot(Said("  "), Said("All is", "length"), Said("All is well.", truncated=True))
    empty, cut, truncated = TunedWriter(said, 8).write_all([brief] * 3)
    assert (empty.status, empty.sections) == ("failed", ())
    assert (cut.status, cut.text, cut.stops) == ("partial", "All is", ("length",))
    assert (truncated.status, truncated.text) == ("failed", "All is well.")


def test_a_prompt_stays_short_and_cuts_whole_findings_only():
    many = [row for row in FINDINGS for _ in range(30)]
    text = prompt(analysis_brief(many))
    assert len(text) < 1450
    texts = {row.text for row in FINDINGS}
    told = background(analysis_brief(many), compact(analysis_brief(many))).split("\n")
    assert len(told) == 7 and all(any(line.endswith(found) for found in texts) for line in told[:6])
    assert told[6] == "Signals: short term bullish, medium to long term bearish."


def test_a_compact_report_rests_on_its_prompt_alone():
    many = [row for row in FINDINGS for _ in range(30)]
    brief = analysis_brief(many)
    report = TemplateWriter(compact=True).write(brief)
    told = {row.id for rows in compact(brief).values() for row in rows}
    assert set(report.rests_on) <= told | {"catalysts/movement"}
    assert len(report.text.split()) < len(TemplateWriter().write(brief).text.split())
    assert "(AAA)" not in report.text and "bullish combination" not in report.text
    assert all(figure in prompt(brief) for figure in re.findall(r"\d[\d,.]*\d", report.text))


def test_the_enriched_query_is_data_then_question():
    text = enrich(data_brief([fact("us:AAA", 19_881e6)]))
    assert (
        "Aaa Corp | Net Income | 19,881 million USD | 2024-01-01 to 2024-03-31 | 2024-05-02 | test filing"
        in text
    )
    assert text.endswith("Financial query: How do Aaa Corp and Bbb Inc compare by net income?")


@contextmanager
def endpoint(status, body):
    class Stub(BaseHTTPRequestHandler):
        def do_POST(self):
            Stub.asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            Stub.key = self.headers["Authorization"]
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Stub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield (
            Endpoint(url=f"http://127.0.0.1:{server.server_port}/v1", model="m", key_variable="TEST_KEY"),
            Stub,
        )
    finally:
        server.shutdown()
        server.server_close()


def reply(text, why="stop"):
    choice = {"index": 0, "finish_reason": why, "message": {"role": "assistant", "content": text}}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def test_an_endpoint_is_asked_with_the_key_from_the_environment(monkeypatch):
    monkeypatch.setenv("TEST_KEY", "secret")
    with endpoint(200, reply("All is well.\n\nThe end.")) as (settings, stub):
        report = EndpointWriter(settings).write(data_brief([fact("us:AAA", 1e6)]))
    assert (report.status, report.writer, len(report.sections)) == ("complete", "endpoint:m", 2)
    assert stub.key == "Bearer secret" and "Financial query:" in stub.asked["messages"][0]["content"]


def test_what_an_endpoint_writes_is_checked_like_any_other_and_asked_with_the_findings(monkeypatch):
    monkeypatch.setenv("TEST_KEY", "secret")
    said = "In the short term, the signals are mostly bullish.\n\nRSI is 80.54 and the P/E ratio is 26.90."
    brief = analysis_brief()
    with endpoint(200, reply(said)) as (settings, stub):
        report = check(EndpointWriter(settings).write(brief), brief)
    assert report.status == "partial" and [flaw.text for flaw in report.ungrounded] == ["26.90"]
    asked = stub.asked["messages"][0]["content"]
    assert "RSI(14) is 80.54" in asked and asked.rstrip().endswith("Report:") and "secret" not in asked


def test_an_endpoint_whose_reply_was_cut_or_is_empty_says_so(monkeypatch):
    monkeypatch.setenv("TEST_KEY", "secret")
    for said, why, status in (("All is", "length", "partial"), ("", "stop", "failed")):
        with endpoint(200, reply(said, why)) as (settings, _):
            report = EndpointWriter(settings).write(data_brief([fact("us:AAA", 1e6)]))
        assert report.status == status and report.missing


def test_an_endpoint_that_refuses_or_is_not_there_is_one_sentence(monkeypatch):
    monkeypatch.setenv("TEST_KEY", "secret")
    with endpoint(404, {"error": {"message": "no"}}) as (settings, _):
        with pytest.raises(FingroundError, match="answered 404") as refused:
            EndpointWriter(settings).write(data_brief())
        assert "secret" not in str(refused.value)
    with pytest.raises(FingroundError, match="cannot be used"):
        EndpointWriter(settings).write(data_brief())


def test_a_missing_key_names_its_variable(monkeypatch):
    monkeypatch.delenv("TEST_KEY", raising=False)
    with pytest.raises(SettingsError, match="TEST_KEY is not set"):
        EndpointWriter(Endpoint(url="http://127.0.0.1:1/v1", model="m", key_variable="TEST_KEY"))
