"""The same answers over HTTP: 200 with an Answer, 400 with one sentence."""

import html
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from small_root import DAY
from starlette.testclient import TestClient

from finground.core.coding import decode
from finground.core.paths import Root
from finground.records.report import Answer
from finground.roles import open_world
from finground.service.app import app
from finground.settings import load

CLOCK = datetime(2025, 6, 30, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def client(walked: Root) -> Iterator[TestClient]:
    with open_world(walked.live, load(walked.params)) as world:
        yield TestClient(app(world, clock=lambda: CLOCK))


@pytest.fixture(scope="module")
def first(walked: Root) -> str:
    return json.loads((walked.sample / "sec" / "company_tickers.json").read_text())["0"]["title"]


def test_a_question_is_answered_with_the_whole_answer(client: TestClient, first: str):
    told = client.get(
        "/ask", params={"question": f"What was the net income of {first} in Q1 2025?", "as_of": DAY}
    )
    assert told.status_code == 200
    answer = decode(told.text, Answer)
    assert answer.bundle.facts[0].metric == "net-income"
    assert answer.bundle.synthetic


def test_where_no_moment_is_named_the_clock_is_asked(client: TestClient, first: str):
    told = client.get("/ask", params={"question": f"What was the net income of {first} in Q1 2025?"})
    assert decode(told.text, Answer).as_of == CLOCK


def test_a_browser_gets_a_page(client: TestClient, first: str):
    told = client.get("/ask", params={"question": f"Please analyze {first}"}, headers={"accept": "text/html"})
    assert told.headers["content-type"].startswith("text/html")
    assert "none of this is real" in told.text


def test_a_question_follows_those_before_it(client: TestClient, first: str, walked: Root):
    second = json.loads((walked.sample / "sec" / "company_tickers.json").read_text())["1"]["title"]
    before = [f"What was the net income of {first} in Q1 2025?", f"and {second}?"]
    asked = {"question": "and its total revenue?", "as_of": DAY}
    answer = decode(client.get("/ask", params={**asked, "after": before}).text, Answer)
    assert [entity.name for entity in answer.request.entities] == [second] and answer.after == before[1]
    assert [metric.slug for metric in answer.request.metrics if metric.primary] == ["total-revenue"]
    told = client.get("/ask", params={**asked, "after": before}, headers={"accept": "text/html"}).text
    fields = re.findall(r'name="(after|as_of)" value="([^"]+)"', told)
    assert [html.unescape(value) for name, value in fields if name == "after"] == [*before, asked["question"]]
    kept = next(value for name, value in fields if name == "as_of")
    again = client.get("/ask", params={"question": "and in 2024?", "after": before, "as_of": kept})
    assert decode(again.text, Answer).as_of == answer.as_of


def test_a_conversation_is_not_endless(client: TestClient):
    told = client.get("/ask", params={"question": "and in 2024?", "after": ["hello"] * 21})
    assert told.status_code == 400 and "21 questions" in told.json()["error"]
    for count, form in ((19, True), (20, False)):
        asked = {"question": "thanks", "after": ["hello"] * count}
        told = client.get("/ask", params=asked, headers={"accept": "text/html"})
        assert told.status_code == 200 and ("<form" in told.text) is form


def test_the_request_alone_and_the_rows_of_the_store(client: TestClient, first: str):
    told = client.get("/request", params={"question": f"What was the net income of {first} in Q1 2025?"})
    assert told.json()["request"]["metrics"][0] == {"slug": "net-income", "primary": True}
    assert client.get("/health").json()["rows"]["companies"] == 24


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, "the parameter `question` is missing"),
        ({"question": "tell me a joke"}, "names no company, industry or metric"),
        ({"question": "Please analyze Foo Bar Inc"}, "no company is known as 'Foo Bar Inc'"),
        ({"question": "Net income of Tesla", "as_of": "yesterday-ish"}, "is not a time"),
    ],
)
def test_bad_input_is_400_with_one_sentence(client: TestClient, asked: dict[str, str], words: str):
    told = client.get("/ask", params=asked)
    assert told.status_code == 400
    assert words in told.json()["error"]


def test_a_name_nearly_right_comes_with_candidates(client: TestClient, first: str):
    told = client.get("/ask", params={"question": f"Please analyze {first.split()[0][:-1]}x"})
    assert told.status_code == 400
    assert first in " ".join([told.json()["error"], *told.json()["candidates"]])
