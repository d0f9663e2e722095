"""Serving over Streamable HTTP."""

from typing import Any

import uvicorn
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.auth.provider import TokenVerifier
from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.middleware.authentication import AuthenticationMiddleware


def run_http(
    server: Server[Any], host: str, port: int, *, sessions: bool = False, tokens: TokenVerifier | None = None
) -> None:
    """Serve at /mcp until the process is stopped."""
    uvicorn.run(http_app(server, host, sessions=sessions, tokens=tokens), host=host, port=port, log_level="warning")


def http_app(
    server: Server[Any], host: str = "127.0.0.1", *, sessions: bool = False, tokens: TokenVerifier | None = None
) -> Starlette:
    """The server as an ASGI application.

    Args:
        server: answers.
        host: address it is served at; on loopback, requests for other hosts are refused.
        sessions: keep sessions of the handshake era. Without them each request stands alone, so replicas need no
            shared state.
        tokens: who may come in; everyone when None.
    """
    app = server.streamable_http_app(
        stateless_http=not sessions, json_response=not sessions, host=host, token_verifier=tokens
    )
    if tokens:
        # The SDK puts these in by itself for OAuth alone. The last one added is the first to run.
        app.add_middleware(AuthContextMiddleware)
        app.add_middleware(AuthenticationMiddleware, backend=BearerAuthBackend(tokens))
    return app
