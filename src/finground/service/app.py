"""HTTP on loopback: /ask?question=…&as_of=… gives an Answer, /request its request, /health the store's rows.

In a conversation `after`, oldest first, holds the questions asked before, and nothing is kept between calls.
Bad input is 400 with one sentence; rules agent and template writer, so nothing heavy is loaded.
"""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finground.core.errors import InputError
from finground.settings import Settings

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from finground.answer import World

EARLIER = 20  # questions that one may follow


def serve(store: Path | str, settings: Settings, *, port: int, clock: Callable[[], datetime]) -> None:
    """Listen on 127.0.0.1 until stopped."""
    import uvicorn

    from finground.roles import open_world

    with open_world(store, settings) as world:
        uvicorn.run(app(world, clock=clock), host="127.0.0.1", port=port, log_level="warning")


def app(world: "World", *, clock: Callable[[], datetime]) -> "Starlette":
    """The application over one world; `clock` gives as_of where the caller names none."""
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse, Response
    from starlette.routing import Route

    from finground.agent.follow import FollowUp
    from finground.agent.rules import RulesAgent
    from finground.answer import answer
    from finground.core.coding import encode
    from finground.report.template import TemplateWriter
    from finground.service.page import page

    agent, writer = RulesAgent(world.catalog), TemplateWriter()

    def asked(request: "Request", *more: str) -> tuple[str, datetime]:
        from finground.catalog.dates import as_of_of

        question = request.query_params.get("question", "").strip()
        if not question:
            raise InputError("the parameter `question` is missing; ask /ask?question=…&as_of=2024-06-30")
        given = request.query_params.get("as_of")
        known = ("question", "as_of", *more)
        if unknown := set(request.query_params).difference(known):
            raise InputError(f"{sorted(unknown)[0]!r} is not a parameter; there are {', '.join(known)}")
        return question, clock() if given is None else as_of_of(given)

    def as_json(value: Any) -> "Response":
        return Response(encode(value), media_type="application/json")

    def ask(request: "Request") -> "Response":
        question, as_of = asked(request, "after")
        earlier = [text for given in request.query_params.getlist("after") if (text := given.strip())]
        if len(earlier) > EARLIER:
            raise InputError(f"after holds {len(earlier)} questions; leave the oldest out, {EARLIER} fit")
        first, *others = *earlier, question
        said = answer(first, as_of=as_of, world=world, agent=agent, writer=writer)
        for text in others:
            reader = FollowUp(world.catalog, said.request)
            said = answer(text, as_of=as_of, world=world, agent=reader, writer=writer, after=said)
        if "text/html" in request.headers.get("accept", ""):
            return HTMLResponse(page(said, earlier, more=len(earlier) < EARLIER))
        return as_json(said)

    def ask_request(request: "Request") -> "Response":
        return as_json(agent.read(*asked(request)))

    def health(_: "Request") -> "Response":
        return as_json(world.store.status())

    def refused(_: "Request", error: Exception) -> "Response":
        candidates = list(getattr(error, "candidates", ()))
        return Response(
            encode({"error": str(error), "candidates": candidates}),
            status_code=400,
            media_type="application/json",
        )

    routes = [Route("/ask", ask), Route("/request", ask_request), Route("/health", health)]
    return Starlette(routes=routes, exception_handlers={InputError: refused})
