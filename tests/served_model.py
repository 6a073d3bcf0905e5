"""A local server in the place of a model behind an OpenAI-compatible endpoint."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from finground.settings import Endpoint


@contextmanager
def served(
    monkeypatch: pytest.MonkeyPatch, answers: Callable[[str], str]
) -> Iterator[tuple[Endpoint, list[str]]]:
    """Its settings and what it was asked; `answers(prompt)` is what it says."""
    asked: list[str] = []

    class Server(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = body["messages"][0]["content"]
            asked.append(prompt)
            message = {"role": "assistant", "content": answers(prompt)}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            done = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(done).encode())

        def log_message(self, *_: Any) -> None:
            pass

    monkeypatch.setenv("TEST_KEY", "secret")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield Endpoint(url=url, model="m", key_variable="TEST_KEY"), asked
    finally:
        server.shutdown()
        server.server_close()
