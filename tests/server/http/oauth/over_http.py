"""A server that takes an issuer's tokens, and callers who bear them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx2

from tests.server.http.oauth.issuer import RESOURCE, Issuer
from tests.server.http_server import http_server

SCOPE: Final = "agents.read"
HEADERS: Final = {"Accept": "application/json, text/event-stream"}
PING: Final[dict[str, Any]] = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def oauth(issuer: str) -> list[str]:
    return ["--oauth-issuer", issuer, "--oauth-resource", RESOURCE]


@contextmanager
def server_of(issuer: Issuer, folder: Path) -> Iterator[str]:
    """Yield a separate server's address; it asks for a scope, and shows the caller "ci-bot" more than others."""
    allowed = folder / "allowlist.json"
    allowed.write_text(json.dumps({"ci-bot": ["full"], "*": ["core"]}), encoding="utf-8")
    shown = ["--profile", "full", "--allowlist", str(allowed)]
    with http_server(folder, *oauth(issuer.address), "--oauth-scope", SCOPE, *shown) as address:
        yield address


def ask(address: str, authorization: str | None, method: str = "POST") -> httpx2.Response:
    headers = HEADERS | ({} if authorization is None else {"Authorization": authorization})
    with httpx2.Client(timeout=60) as client:
        return client.request(method, address, headers=headers, json=PING)


def status_with(address: str, token: str) -> int:
    return ask(address, f"Bearer {token}").status_code
