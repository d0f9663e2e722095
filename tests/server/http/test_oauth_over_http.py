"""A server that takes an authorization server's tokens, in a process of its own."""

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.server.calls import MODES
from tests.server.http.oauth_issuer import KEYS, RESOURCE, Issuer, Key, issuing, with_secret, written
from tests.server.http_server import free_port, http_server
from tests.server.served import four_tools_answer
from tests.server.surface.http_clients import client_of
from tests.server.surface.starts import names

SCOPE: Final = "agents.read"
PING: Final = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
QUICK: Final = 2.0
"""Seconds in which a process that is not held up answers, on a busy machine."""


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with issuing(Issuer(path="/team")) as issuer:
        yield issuer


@pytest.fixture(scope="module")
def address(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("oauth")
    (folder / "allowlist.json").write_text(json.dumps({"ci-bot": ["full"], "*": ["core"]}), encoding="utf-8")
    shown = ["--profile", "full", "--allowlist", str(folder / "allowlist.json")]
    with http_server(folder, *oauth(issuer.address), "--oauth-scope", SCOPE, *shown) as address:
        yield address


def oauth(issuer: str) -> list[str]:
    return ["--oauth-issuer", issuer, "--oauth-resource", RESOURCE]


def ask(address: str, authorization: str | None, method: str = "POST") -> httpx2.Response:
    headers = {"Accept": "application/json, text/event-stream"}
    headers |= {} if authorization is None else {"Authorization": authorization}
    with httpx2.Client(timeout=60) as client:
        return client.request(method, address, headers=headers, json=PING)


def status_with(address: str, token: str) -> int:
    return ask(address, f"Bearer {token}").status_code


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_client_with_a_token_is_answered(address: str, issuer: Issuer, mode: str) -> None:
    async with client_of(address, mode, issuer.token(scope=SCOPE)) as client:
        await four_tools_answer(client)


STRANGER = Key.new("stranger")
BEFORE, AFTER = 1_000_000_000, 5_000_000_000
CLAIMS: list[dict[str, Any]] = [
    {"aud": "https://elsewhere.example/mcp"},
    {"aud": RESOURCE.removesuffix("/mcp")},
    {"aud": []},
    {"aud": {RESOURCE: 1}},
    {"iss": "https://elsewhere.example"},
    {"iss": [RESOURCE]},
    {"exp": BEFORE},
    {"exp": "never"},
    {"exp": float("inf")},
    {"nbf": AFTER},
    {"nbf": []},
    {"iat": AFTER},
    {"sub": 7},
    *({name: None} for name in ("iss", "aud", "exp", "sub")),
]
KNOWN: Final = {"alg": "ES256", "kid": "first"}
DEEP: Final = b"[" * 20_000
FORGED: dict[str, Callable[[Issuer], str]] = {
    "unsigned": lambda issuer: written({"alg": "none", "kid": "first"}, right(issuer)),
    "the public key as a secret": lambda issuer: with_secret(
        {"alg": "HS256", "kid": "first"}, right(issuer), issuer.keys[0].public_pem()
    ),
    "a secret for a signature": lambda issuer: with_secret(KNOWN, right(issuer), issuer.keys[0].public_pem()),
    "several algorithms": lambda issuer: written({"alg": ["ES256"], "kid": "first"}, right(issuer)),
    "no algorithm": lambda issuer: written({"kid": "first"}, right(issuer)),
    "another's key": lambda issuer: issuer.token(key=STRANGER, headers={"kid": "first"}, scope=SCOPE),
    "an unknown key": lambda issuer: issuer.token(key=STRANGER, scope=SCOPE),
    "a key that it brings": lambda issuer: issuer.token(key=STRANGER, headers={"jwk": STRANGER.public()}, scope=SCOPE),
    "a nameless key": lambda issuer: issuer.token(headers={"kid": ""}, scope=SCOPE),
    "no key": lambda issuer: written({"alg": "ES256"}, right(issuer)),
    "a number for a key": lambda issuer: written({"alg": "ES256", "kid": 1}, right(issuer)),
    "garbage": lambda _: "garbage",
    "dots": lambda _: "..",
    "truncated": lambda issuer: issuer.token(scope=SCOPE)[:-8],
    "other claims": lambda issuer: spliced(issuer.token(scope=SCOPE), issuer.token(scope=SCOPE, sub="root")),
    "long": lambda issuer: issuer.token(scope=SCOPE) + "A" * 40_000,
    "a deep header": lambda issuer: written(DEEP, right(issuer)),
    "deep claims": lambda _: written(KNOWN, DEEP),
    "no claims": lambda _: written(KNOWN, []),
}


def right(issuer: Issuer) -> dict[str, Any]:
    return issuer.claims(scope=SCOPE)


def spliced(signed: str, claims: str) -> str:
    head, _, signature = signed.split(".")
    return ".".join((head, claims.split(".")[1], signature))


@pytest.mark.parametrize("changed", CLAIMS, ids=str)
def test_a_token_that_says_otherwise_is_not_answered(address: str, issuer: Issuer, changed: dict[str, Any]) -> None:
    assert status_with(address, issuer.token(scope=SCOPE, **changed)) == 401
    assert status_with(address, issuer.token(scope=SCOPE)) == 200


@pytest.mark.parametrize("forged", FORGED)
def test_what_the_issuer_did_not_sign_is_not_answered(address: str, issuer: Issuer, forged: str) -> None:
    assert status_with(address, FORGED[forged](issuer)) == 401
    assert status_with(address, issuer.token(scope=SCOPE)) == 200


def test_a_token_that_is_longer_than_a_head_may_be_is_not_answered(address: str, issuer: Issuer) -> None:
    # Refused before all of it is sent, so that the refusal may be lost with the connection.
    with contextlib.suppress(httpx2.TransportError):
        assert status_with(address, issuer.token(scope=SCOPE) + "A" * 1_000_000) == 400
    assert status_with(address, issuer.token(scope=SCOPE)) == 200


@pytest.mark.parametrize("authorization", [None, "Bearer", "Basic YW5uOnNlY3JldA==", "Bearer x"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_nobody_comes_in_without_a_token(address: str, method: str, authorization: str | None) -> None:
    response = ask(address, authorization, method)
    assert response.status_code == 401
    assert response.json()["error"] == "invalid_token"


@pytest.mark.parametrize("scope", [{}, {"scope": "agents.write"}, {"scp": {SCOPE: True}}, {"scope": f"x{SCOPE}"}])
def test_a_token_without_the_scope_is_told_so(address: str, issuer: Issuer, scope: dict[str, Any]) -> None:
    response = ask(address, f"Bearer {issuer.token(**scope)}")
    assert response.status_code == 403
    assert 'error="insufficient_scope"' in response.headers["WWW-Authenticate"]


def test_a_refusal_leads_to_who_issues_tokens_for_what(address: str, issuer: Issuer) -> None:
    challenge = ask(address, None).headers["WWW-Authenticate"]
    named = challenge.partition('resource_metadata="')[2].partition('"')[0]
    assert named == "https://agents.example/.well-known/oauth-protected-resource/mcp"
    found = httpx2.get(address.removesuffix("/mcp") + urlsplit(named).path, timeout=60).json()
    assert (found["resource"], found["authorization_servers"]) == (RESOURCE, [issuer.address])
    assert found["scopes_supported"] == [SCOPE]


@pytest.mark.anyio
@pytest.mark.parametrize(("caller", "tools"), [({"client_id": "ci-bot"}, 9), ({"azp": "ci-bot"}, 9), ({}, 4)])
async def test_the_allowlist_is_by_the_name_in_the_token(
    address: str, issuer: Issuer, caller: dict[str, Any], tools: int
) -> None:
    async with client_of(address, "auto", issuer.token(scope=SCOPE, **caller), calling_itself="ci-bot") as client:
        assert len(await names(client)) == tools


def test_an_issuer_that_was_down_at_the_start_is_found_later(issuer: Issuer, tmp_path: Path) -> None:
    port = free_port()
    token = issuer.token(iss=f"http://127.0.0.1:{port}")
    with http_server(tmp_path, *oauth(f"http://127.0.0.1:{port}")) as address:
        assert [status_with(address, token) for _ in range(3)] == [401] * 3
        with issuing(Issuer(port=port, key=issuer.keys[0])):
            end = time.monotonic() + 60
            while status_with(address, token) != 200:
                assert time.monotonic() < end
                time.sleep(0.1)


def test_health_is_told_at_once_while_the_issuer_does_not_answer(tmp_path: Path) -> None:
    with issuing(Issuer()) as issuer:
        issuer.silent = True
        with http_server(tmp_path, *oauth(issuer.address), "--oauth-keys", issuer.site + KEYS) as address:
            with httpx2.Client(timeout=60) as client, pytest.raises(httpx2.ReadTimeout):
                client.post(address, headers={"Authorization": f"Bearer {issuer.token()}"}, json=PING, timeout=0.5)
            assert issuer.requests == [KEYS]
            begun = time.monotonic()
            assert httpx2.get(address.replace("/mcp", "/healthz"), timeout=60).status_code == 200
            assert time.monotonic() - begun < QUICK
            issuer.closing.set()
