"""A server that takes an authorization server's tokens, in a process of its own."""

import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.server.calls import MODES
from tests.server.http.oauth.issuer import KEYS, RESOURCE, Issuer, issuing
from tests.server.http.oauth.over_http import PING, SCOPE, ask, oauth, status_with
from tests.server.http_server import free_port, http_server
from tests.server.served import four_tools_answer
from tests.server.toolset.http_clients import client_of
from tests.server.toolset.starts import names

pytestmark = pytest.mark.processes

QUICK = 2.0
"""Seconds in which a process that is not held up answers, on a busy machine."""


@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_client_with_a_token_is_answered(address: str, team: Issuer, mode: str) -> None:
    async with client_of(address, mode, team.token(scope=SCOPE)) as client:
        await four_tools_answer(client)


@pytest.mark.parametrize("authorization", [None, "Bearer", "Basic YW5uOnNlY3JldA==", "Bearer x"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_nobody_comes_in_without_a_token(address: str, method: str, authorization: str | None) -> None:
    response = ask(address, authorization, method)
    assert response.status_code == 401
    assert response.json()["error"] == "invalid_token"


@pytest.mark.parametrize("scope", [{}, {"scope": "agents.write"}, {"scp": {SCOPE: True}}, {"scope": f"x{SCOPE}"}])
def test_a_token_without_the_scope_is_told_so(address: str, team: Issuer, scope: dict[str, Any]) -> None:
    response = ask(address, f"Bearer {team.token(**scope)}")
    assert response.status_code == 403
    assert 'error="insufficient_scope"' in response.headers["WWW-Authenticate"]


def test_a_refusal_leads_to_who_issues_tokens_for_what(address: str, team: Issuer) -> None:
    challenge = ask(address, None).headers["WWW-Authenticate"]
    named = challenge.partition('resource_metadata="')[2].partition('"')[0]
    assert named == "https://agents.example/.well-known/oauth-protected-resource/mcp"
    found = httpx2.get(address.removesuffix("/mcp") + urlsplit(named).path, timeout=60).json()
    assert (found["resource"], found["authorization_servers"]) == (RESOURCE, [team.address])
    assert found["scopes_supported"] == [SCOPE]


@pytest.mark.anyio
@pytest.mark.parametrize(("caller", "tools"), [({"client_id": "ci-bot"}, 9), ({"azp": "ci-bot"}, 9), ({}, 4)])
async def test_the_allowlist_is_by_the_name_in_the_token(
    address: str, team: Issuer, caller: dict[str, Any], tools: int
) -> None:
    async with client_of(address, "auto", team.token(scope=SCOPE, **caller), calling_itself="ci-bot") as client:
        assert len(await names(client)) == tools


def test_an_issuer_that_was_down_at_the_start_is_found_later(team: Issuer, tmp_path: Path) -> None:
    port = free_port()
    token = team.token(iss=f"http://127.0.0.1:{port}")
    with http_server(tmp_path, *oauth(f"http://127.0.0.1:{port}")) as address:
        assert [status_with(address, token) for _ in range(3)] == [401] * 3
        with issuing(Issuer(port=port, key=team.keys[0])):
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
