"""Serving over Streamable HTTP."""

import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from anyio import to_thread
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
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from server.http.addresses import HEALTH, OWN_PATHS, READY
from server.http.limits import LimitedPaths, RequestLimits, UnambiguousHeaders
from server.http.requests import (
    HEADER,
    HttpObserver,
    HttpRequests,
    error_response,
    request_id,
)
from server.matching.label_service import LiveService, Matchers
from server.reloads import Reloads

Around = Callable[[], AbstractAsyncContextManager[None]]
"""Opens what runs beside the requests, such as reloading."""

MAX_SESSIONS: Final = 2_000
"""Sessions of one worker. Each takes 40 kB, and all of them end within 3 seconds when the server is stopped."""

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class HttpOptions:
    """Options of the HTTP application.

    Attributes:
        path: path of the MCP endpoint.
        sessions: keep sessions of the legacy protocol. Without them each request is independent, so replicas need no
            shared state.
        streams: answer on streams, which carry progress and log messages, also without sessions.
        tokens: verifies callers' tokens; None admits everyone.
        authorization: OAuth settings, which callers without a token are told; None without OAuth.
        allowed_hosts: names that a request's Host header may have besides this machine's; a name without a port, or
            with `:*`, is accepted with any port or none.
        allowed_origins: origins of web pages that may call, besides this machine's.
        max_body: maximum bytes of a request's body.
        max_concurrency: maximum concurrent requests; more get 503 and are told to try again after a second.
        request_timeout: maximum seconds to answer a request.
        observers: called after every HTTP request.
        routes: endpoints besides MCP's and the two health checks.
        limited: paths besides MCP's that the limits hold for, too.
    """

    path: str = "/mcp"
    sessions: bool = False
    streams: bool = False
    tokens: TokenVerifier | None = None
    authorization: AuthSettings | None = None
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    max_body: int = 1024 * 1024
    max_concurrency: int = 128
    request_timeout: float = 30
    observers: tuple[HttpObserver, ...] = ()
    routes: tuple[Route, ...] = ()
    limited: LimitedPaths | None = None


def http_app(
    server: Server[Any],
    health: Sequence[Route],
    options: HttpOptions,
    around: Around,
    at_end: Sequence[Callable[[], None]] = (),
) -> Starlette:
    """Build the ASGI application: MCP at its path, plus its health checks.

    Args:
        server: the MCP server.
        health: routes of the health checks.
        options: of the application.
        around: is open while requests are served.
        at_end: called at shutdown.
    """
    app = server.streamable_http_app(
        streamable_http_path=options.path,
        stateless_http=not options.sessions,
        json_response=not (options.sessions or options.streams),
        max_request_body_size=options.max_body,
        max_sessions=MAX_SESSIONS,
        transport_security=security_settings(options),
        auth=options.authorization,
        token_verifier=options.tokens,  # The SDK answers 401 to a request without a token that it verifies.
        custom_starlette_routes=[*health, *options.routes],
    )
    # Answer 404 to a path with an extra slash: a redirect would repeat the Host header before it is checked.
    app.router.redirect_slashes = False
    # The middleware that is added last runs first.
    if options.tokens and not options.authorization:
        # The SDK adds these itself only for OAuth.
        app.add_middleware(AuthContextMiddleware)
        app.add_middleware(AuthenticationMiddleware, backend=BearerAuthBackend(options.tokens))
    app.add_middleware(
        RequestLimits,
        path=options.path,
        max_concurrency=options.max_concurrency,
        max_body=options.max_body,
        request_timeout=options.request_timeout,
        sessions=options.sessions,
        streams=options.sessions or options.streams,
        also=options.limited,
    )
    app.add_middleware(UnambiguousHeaders)
    app.add_middleware(HttpRequests, observers=options.observers, ignored=OWN_PATHS)
    app.add_exception_handler(Exception, _fault)
    _extend_lifespan(app, around, at_end)
    return app


def _extend_lifespan(app: Starlette, around: Around, at_end: Sequence[Callable[[], None]]) -> None:
    own = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(running: Starlette) -> AsyncIterator[Any]:
        async with own(running) as state, around():
            yield state
            # Each session that is still open ends with an exception. Collecting garbage meanwhile would look through
            # all the others again and again: 2,700 took twice as long.
            gc.freeze()
        gc.unfreeze()
        for action in at_end:
            await run_in_threadpool(action)

    app.router.lifespan_context = lifespan


def security_settings(options: HttpOptions) -> TransportSecuritySettings:
    """Protection against DNS rebinding: a request with any other Host or Origin is refused."""
    hosts = [form for host in (*LOOPBACK, *options.allowed_hosts) for form in _forms(host)]
    origins = [f"http://{form}" for host in LOOPBACK for form in _forms(host)]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[*origins, *options.allowed_origins])


def _forms(host: str) -> tuple[str, ...]:
    """Return a host in the forms that the SDK compares.

    For a scheme's default port, clients send a host without a port.
    """
    name = host.removesuffix(":*")
    has_port = ":" in name.rpartition("]")[2]
    return (name,) if has_port else (name, f"{name}:*")


async def _fault(request: Request, _: Exception) -> Response:
    """Answer a fault of the server, which is logged elsewhere, with a JSON-RPC error."""
    headers = {HEADER: request_id(request.scope) or ""}
    return error_response(500, "the server failed; its log says why", headers, INTERNAL_ERROR)


def health_checks(readyz: Callable[[Request], Awaitable[JSONResponse]]) -> list[Route]:
    """`GET /healthz`: the process is alive. `GET /readyz`: what `readyz` answers."""

    async def healthz(_: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    return [Route(HEALTH, healthz, methods=["GET"]), Route(READY, readyz, methods=["GET"])]


def health_routes(live: LiveService[Any], reloads: Reloads) -> list[Route]:
    """Return the health checks of a catalog; ready once catalog, model and vectors are loaded, until then 503.

    What `reloads` knows to be out of date is told, but what was read before answers, so that the server is ready.
    """

    async def readyz(_: Request) -> JSONResponse:
        service = live.current
        service.matchers.start()
        # In a thread, because a store may be asked whether it is there.
        trouble: dict[str, Any] = await to_thread.run_sync(_store_trouble, service.matchers)
        stale = {"notReloaded": reloads.failed} if reloads.failed else {}
        if not service.matchers.ready:
            return JSONResponse({"status": "starting", **trouble}, status_code=503, headers={"Retry-After": "1"})
        if trouble or service.matchers.get().is_degraded:
            return JSONResponse({"status": "degraded", **trouble, **stale}, status_code=503)
        return JSONResponse({"status": "ok", **service.size, **stale})

    return health_checks(readyz)


def _store_trouble(matchers: Matchers) -> dict[str, str]:
    trouble = matchers.trouble
    return {"store": trouble} if trouble else {}
