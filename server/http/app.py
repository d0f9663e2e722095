"""Serving over Streamable HTTP."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import INTERNAL_ERROR
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.http.addresses import OWN_PATHS
from server.http.gate import Gate
from server.http.health import health_routes
from server.http.refusals import refusal
from server.http.requests import HEADER, HttpObserver, HttpRequests, request_id
from server.live_service import LiveService
from server.reload import Reloader
from server.reload_triggers import reloading

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class HttpOptions:
    """How the server is reached.

    Attributes:
        path: where MCP is served.
        sessions: keep sessions of the handshake era. Without them each request stands alone, so replicas need no
            shared state.
        tokens: who may come in; everyone when None.
        authorization: what a caller without a token of an authorization server is told; None where there is none.
        allowed_hosts: names that a request's Host header may give beside those of this machine; one without a port, or
            with `:*`, may have any or none.
        allowed_origins: web pages, as origins, that may call besides those of this machine.
        most_body: bytes of a request's body.
        most_at_once: requests under way at the same time; more are sent away for a second.
        seconds: for a request to be answered.
        observers: are told of every HTTP response.
        routes: addresses beside MCP's and the two of health.
        watch: seconds between two looks at the catalog's files; None: they are read again on a signal alone.
    """

    path: str = "/mcp"
    sessions: bool = False
    tokens: TokenVerifier | None = None
    authorization: AuthSettings | None = None
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    most_body: int = 1024 * 1024
    most_at_once: int = 128
    seconds: float = 30
    observers: tuple[HttpObserver, ...] = ()
    routes: tuple[Route, ...] = ()
    watch: float | None = None


def http_app(
    server: Server[Any],
    live: LiveService,
    reloader: Reloader,
    options: HttpOptions,
    at_end: Sequence[Callable[[], None]] = (),
) -> Starlette:
    """The server as an ASGI application: MCP at its path, /healthz and /readyz beside it; `at_end` is called last."""
    app = server.streamable_http_app(
        streamable_http_path=options.path,
        stateless_http=not options.sessions,
        json_response=not options.sessions,
        max_request_body_size=options.most_body,
        transport_security=_security(options),
        auth=options.authorization,
        token_verifier=options.tokens,
        custom_starlette_routes=[*health_routes(live), *options.routes],
    )
    # The last one added is the first to run.
    if options.tokens and not options.authorization:
        # The SDK puts these in by itself for OAuth alone.
        app.add_middleware(AuthContextMiddleware)
        app.add_middleware(AuthenticationMiddleware, backend=BearerAuthBackend(options.tokens))
    app.add_middleware(Gate, path=options.path, most_at_once=options.most_at_once, seconds=options.seconds)
    app.add_middleware(HttpRequests, observers=options.observers, untold=OWN_PATHS)
    app.add_exception_handler(Exception, _fault)
    _while_it_runs(app, reloader, options.watch, at_end)
    return app


def _while_it_runs(
    app: Starlette, reloader: Reloader, watch: float | None, at_end: Sequence[Callable[[], None]]
) -> None:
    own = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(running: Starlette) -> AsyncIterator[Any]:
        async with own(running) as state, reloading(reloader, watch):
            yield state
        for last in at_end:
            await run_in_threadpool(last)

    app.router.lifespan_context = lifespan


def _security(options: HttpOptions) -> TransportSecuritySettings:
    """Against DNS rebinding: a page that names itself otherwise is refused, whatever address it was resolved to."""
    hosts = [f"{host}:*" for host in LOOPBACK]
    hosts += [form for host in options.allowed_hosts for form in _forms(host)]
    origins = [f"http://{host}:*" for host in LOOPBACK]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[*origins, *options.allowed_origins])


def _forms(host: str) -> tuple[str, ...]:
    """A name as the SDK takes it: one that stands on a scheme's own port comes without any."""
    name = host.removesuffix(":*")
    has_port = ":" in name.rpartition("]")[2]
    return (name,) if has_port else (name, f"{name}:*")


async def _fault(request: Request, _: Exception) -> Response:
    """A JSON-RPC error for a fault of the server, which logs it."""
    headers = {HEADER: request_id(request.scope) or ""}
    return refusal(500, "the server failed; its log says why", headers, INTERNAL_ERROR)
