"""Servers in this process, and what is told of the requests to them."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.types import ASGIApp, Message

from server.cli import serve_http
from server.cli.main import parser
from server.cli.serve_http_options import Observers
from server.http.requests import HEADER, HttpObservation, HttpRequests
from server.matching import origins
from server.matching.service import Service, open_service
from server.protocol.server import build_server
from server.telemetry.middleware import Observation, RequestMiddleware
from server.toolset.start import Start
from tests.server.faults.messages import headers_of, message

SITE = "http://127.0.0.1:8000"


@dataclass
class Told:
    """The events that observers were told, in order."""

    requests: list[Observation] = field(default_factory=list)
    responses: list[HttpObservation] = field(default_factory=list)

    @property
    def calls(self) -> list[tuple[str | None, str, str | None]]:
        """Tool, outcome and decision of each call of a tool."""
        return [(seen.tool, seen.outcome, seen.decision) for seen in self.requests if seen.method == "tools/call"]


def observed_server(service: Service, told: Told, start: Start | None = None) -> Server[Any]:
    """Return a server for clients in memory."""
    server = build_server(service, start=start)
    tools = serve_http._tool_names()
    server.middleware.append(
        RequestMiddleware([told.requests.append], lambda method: serve_http._is_method(server, method), tools)
    )
    return server


def application(data: Path, *options: str) -> Starlette:
    """Return the application that `serve --transport http` serves, its matcher loaded."""

    def opened(folder: Path, *arguments: Any) -> Service:
        service = open_service(folder, *arguments)
        service.matchers.load()
        return service

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(origins, "open_service", opened)
        return serve_http.application(
            parser().parse_args(["serve", "--transport", "http", "--data", str(data), *options])
        )


def observed_application(data: Path, told: Told, *options: str) -> Starlette:
    """Return the same, with a list in the place of log and metrics."""
    observers = Observers((told.requests.append,), (told.responses.append,))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serve_http, "observers", lambda _: observers)
        return application(data, *options)


class Held(ServerMiddleware[Any]):
    """Holds requests of one method for ever."""

    def __init__(self, method: str) -> None:
        self._method = method
        self.begun = anyio.Event()

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method == self._method:
            self.begun.set()
            await anyio.sleep_forever()
        return await call_next(ctx)


def token_file(folder: Path, **tokens: str) -> str:
    """Return the path of a new token file."""
    path = folder / "tokens.json"
    path.write_text(json.dumps(tokens), encoding="utf-8")
    return str(path)


@asynccontextmanager
async def http_client(app: Starlette) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield a client of an application that runs.

    What the application raises comes back as the 500 that a server makes.
    """
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url=SITE, timeout=60) as client,
    ):
        yield client


async def post(
    told: Told, data: Path, era: str, method: str, params: dict[str, Any], *options: str, **headers: str
) -> httpx2.Response:
    """Send an MCP request to an observed application."""
    async with http_client(observed_application(data, told, *options)) as client:
        sent = headers_of(era, method, params.get("name")) | headers
        return await client.post("/mcp", json=message(era, method, **params), headers=sent)


async def sent_by(app: ASGIApp, told: Told, *given: bytes) -> list[Message]:
    """Return an application's messages for a request with these ids in its head, whatever bytes they are."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    headers = [(HEADER.lower().encode(), one) for one in given]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
    await HttpRequests(app, observers=[told.responses.append])(scope, receive, send)
    return sent
