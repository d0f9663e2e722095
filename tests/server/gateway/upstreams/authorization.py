"""A small authorization server, a server that wants its tokens, and a browser that agrees to everything."""

import base64
import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlencode

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.server.gateway.upstreams.web_server import App, MadeServer, Receive, Scope, Send, served


@dataclass
class Authorization:
    """An authorization server.

    Attributes:
        valid: access tokens that are accepted.
        refreshes: refresh tokens that are accepted.
        registered: clients.
        asked: grants that were asked for.
        refuses: whether the user refuses.
        lifetime: of access tokens, in seconds.
    """

    address: str = ""
    valid: set[str] = field(default_factory=set)
    refreshes: set[str] = field(default_factory=set)
    registered: list[Any] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    refuses: bool = False
    lifetime: int = 3600
    _challenges: dict[str, str] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=count)

    def app(self) -> App:
        return Starlette(
            routes=[
                Route("/.well-known/oauth-authorization-server", self._metadata),
                Route("/signup", self._register, methods=["POST"]),
                Route("/agree", self._authorize),
                Route("/issue", self._token, methods=["POST"]),
            ]
        )

    async def _metadata(self, request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.address,
                "authorization_endpoint": f"{self.address}/agree",
                "token_endpoint": f"{self.address}/issue",
                "registration_endpoint": f"{self.address}/signup",
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
            }
        )

    async def _register(self, request: Request) -> Response:
        client = await request.json() | {"client_id": f"client-{next(self._numbers)}"}
        self.registered.append(client)
        return JSONResponse(client, 201)

    async def _authorize(self, request: Request) -> Response:
        query = request.query_params
        code = f"code-{next(self._numbers)}"
        self._challenges[code] = query["code_challenge"]
        given = {"error": "access_denied"} if self.refuses else {"code": code}
        return RedirectResponse(f"{query['redirect_uri']}?{urlencode(given | {'state': query['state']})}")

    async def _token(self, request: Request) -> Response:
        form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        self.asked.append(form["grant_type"])
        if form["grant_type"] == "authorization_code":
            digest = hashlib.sha256(form["code_verifier"].encode()).digest()
            proved = base64.urlsafe_b64encode(digest).decode().rstrip("=") == self._challenges.pop(form["code"])
        else:
            proved = form["refresh_token"] in self.refreshes
        if not proved:
            return JSONResponse({"error": "invalid_grant"}, 400)
        access, refresh = f"access-{next(self._numbers)}", f"refresh-{next(self._numbers)}"
        self.valid.add(access)
        self.refreshes.add(refresh)
        lasting = {"expires_in": self.lifetime, "token_type": "Bearer"}
        return JSONResponse(lasting | {"access_token": access, "refresh_token": refresh})


@dataclass
class Protected:
    """A server that wants a token."""

    url: str
    authorization: Authorization
    made: MadeServer
    sign: Callable[[str], object]


@contextmanager
def protected() -> Iterator[Protected]:
    """Yield a protected server and its authorization server, at two addresses."""
    authorization, made = Authorization(), MadeServer()
    with served(authorization.app()) as address, served(_guarded(made.streamable_http_app(), authorization)) as site:
        authorization.address = address
        yield Protected(f"{site}/mcp", authorization, made, browser)


def _guarded(app: App, authorization: Authorization) -> App:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope.get("headers", ()))
        site = f"http://{headers.get(b'host', b'').decode()}"
        if scope["type"] != "http" or headers.get(b"authorization", b"")[7:].decode() in authorization.valid:
            await app(scope, receive, send)
        elif scope["path"] == "/.well-known/oauth-protected-resource/mcp":
            about = {"resource": f"{site}/mcp", "authorization_servers": [authorization.address]}
            await JSONResponse(about)(scope, receive, send)
        else:
            await Response(json.dumps({"error": "who are you?"}), 401)(scope, receive, send)

    return answer


def browser(url: str) -> None:
    """Follow what the server says, as a browser does whose user agrees."""
    threading.Thread(target=lambda: httpx2.get(url, follow_redirects=True), daemon=True).start()
