"""Serving over Streamable HTTP."""

from dataclasses import dataclass
from typing import Any, Final

import uvicorn
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.auth.provider import TokenVerifier
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware.authentication import AuthenticationMiddleware

from server.health import health_routes
from server.http_gate import Gate
from server.service import Service

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")

SECONDS_TO_STOP: Final = 10
"""For what is in flight when the server is told to stop."""


@dataclass(frozen=True)
class HttpOptions:
    """How the server is reached.

    Attributes:
        host: address to listen on.
        port: its port.
        path: where MCP is served.
        sessions: keep sessions of the handshake era. Without them each request stands alone, so replicas need no
            shared state.
        tokens: who may come in; everyone when None.
        allowed_hosts: names that a request's Host header may give beside those of this machine, each with a port, or
            `:*` for any.
        allowed_origins: web pages, as origins, that may call besides those of this machine.
        most_body: bytes of a request's body.
        most_at_once: requests under way at the same time; more are sent away for a second.
        seconds: for a request to be answered.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    path: str = "/mcp"
    sessions: bool = False
    tokens: TokenVerifier | None = None
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    most_body: int = 1024 * 1024
    most_at_once: int = 128
    seconds: int = 30


def run_http(server: Server[Any], service: Service, options: HttpOptions) -> None:
    """Serve until the process is told to stop; what is in flight then is finished."""
    uvicorn.run(
        http_app(server, service, options),
        host=options.host,
        port=options.port,
        log_level="warning",
        timeout_graceful_shutdown=SECONDS_TO_STOP,
        server_header=False,
    )


def http_app(server: Server[Any], service: Service, options: HttpOptions) -> Starlette:
    """The server as an ASGI application: MCP at its path, /healthz and /readyz beside it."""
    app = server.streamable_http_app(
        streamable_http_path=options.path,
        stateless_http=not options.sessions,
        json_response=not options.sessions,
        max_request_body_size=options.most_body,
        transport_security=_security(options),
        token_verifier=options.tokens,
        custom_starlette_routes=health_routes(service),
    )
    # The last one added is the first to run.
    if options.tokens:
        # The SDK puts these in by itself for OAuth alone.
        app.add_middleware(AuthContextMiddleware)
        app.add_middleware(AuthenticationMiddleware, backend=BearerAuthBackend(options.tokens))
    app.add_middleware(Gate, path=options.path, most_at_once=options.most_at_once, seconds=options.seconds)
    return app


def _security(options: HttpOptions) -> TransportSecuritySettings:
    """Against DNS rebinding: a page that names itself otherwise is refused, whatever address it was resolved to."""
    hosts = [f"{host}:*" for host in LOOPBACK]
    origins = [f"http://{host}:*" for host in LOOPBACK]
    return TransportSecuritySettings(
        allowed_hosts=[*hosts, *options.allowed_hosts], allowed_origins=[*origins, *options.allowed_origins]
    )
