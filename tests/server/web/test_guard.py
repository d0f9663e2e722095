import re
from collections.abc import Sequence

import httpx2
import pytest
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.auth.provider import AccessToken
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware

from server.http.app import HttpOptions
from server.matching.service import Service
from server.web.access import Callers, RunToken, new_token
from server.web.refusals import HEADERS, collides
from tests.server.web.page_site import only, own_site, page_client

pytestmark = pytest.mark.anyio

TOKEN = "the-token-of-this-run"
ALLOWED = HttpOptions(allowed_hosts=("agents.example",), allowed_origins=("https://other.example",))


async def test_other_hosts_and_sites_are_refused_unless_they_are_allowed(session_service: Service) -> None:
    cases: list[tuple[dict[str, str], int]] = [
        ({}, 200),
        ({"Host": "localhost:8000"}, 200),
        ({"Host": "[::1]:8000"}, 200),
        ({"Host": "agents.example"}, 200),
        ({"Host": "elsewhere.example"}, 403),
        ({"Host": "127.0.0.1.elsewhere.example"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "http://127.0.0.1:8000"}, 200),
        ({"Origin": "https://other.example"}, 200),
        ({"Host": "agents.example", "Origin": "https://agents.example"}, 200),
        ({"Origin": "https://agents.example"}, 403),
        ({"Host": "elsewhere.example", "Origin": "https://elsewhere.example"}, 403),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "https://other.example"}, 200),
    ]
    for headers, status in cases:
        async with page_client(session_service, guards=[own_site(ALLOWED)]) as client:
            response = await client.get("/api/about", headers=headers)
        assert response.status_code == status, headers
        if status == 403:
            assert len(response.json()["error"].split("; ")) == 3, headers


async def test_a_link_from_another_site_opens_the_page(session_service: Service) -> None:
    async with page_client(session_service, guards=[own_site()]) as client:
        assert (await client.get("/", headers={"Sec-Fetch-Site": "cross-site"})).status_code == 200


async def test_where_no_port_but_one_is_named_the_others_are_refused(session_service: Service) -> None:
    async with page_client(session_service, guards=[only("127.0.0.1:8000")]) as client:
        assert (await client.get("/")).status_code == 200
        assert (await client.get("/", headers={"Host": "127.0.0.1:8001"})).status_code == 403
        same = await client.post("/api/coverage", headers={"Origin": "http://127.0.0.1:8000"})
        other = await client.post("/api/coverage", headers={"Origin": "http://127.0.0.1:8001"})
    assert (same.status_code, other.status_code) == (200, 403)


def with_token() -> list[Middleware]:
    return [Middleware(RunToken, token=TOKEN), own_site()]


async def test_the_page_is_below_its_token_alone(session_service: Service) -> None:
    for path in ["", "page/main.js", "api/match?q=x"]:
        async with page_client(session_service, guards=with_token()) as client:
            assert (await client.get(f"/{TOKEN}/{path}")).status_code == 200, path
    for path in [*WRONG, *(f"{path}api/about" for path in WRONG)]:
        async with page_client(session_service, guards=with_token()) as client:
            response = await client.get(path)
        assert response.status_code == 404, path
        assert all(name in response.headers for name in HEADERS), path


WRONG = [
    *("/x/", "/%C3%A9/", "/%FF/"),
    *(f"/{TOKEN}x/", f"/{TOKEN[:-1]}/", f"/{TOKEN.upper()}/", f"/x/{TOKEN}/", f"/..%2f{TOKEN}/"),
]


async def test_the_page_without_data_and_requests_that_send_the_token_are_answered(session_service: Service) -> None:
    for path in ["/", "/page/main.js"]:
        async with page_client(session_service, guards=with_token()) as client:
            assert (await client.get(path)).status_code == 200, path
    async with page_client(session_service, guards=with_token()) as client:
        assert (await client.get("/api/about", headers={"Authorization": f"Bearer {TOKEN}"})).status_code == 200
    async with page_client(session_service, guards=with_token()) as client:
        response = await client.get(f"/{TOKEN}")
        assert (response.status_code, response.headers["Location"]) == (308, f"/{TOKEN}/")


async def test_data_need_the_token(session_service: Service) -> None:
    cases: list[str | None] = [None, "", "Bearer", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, "Bearer \xe9"]
    for sent in cases:
        headers = [] if sent is None else [(b"authorization", sent.encode("latin-1"))]
        async with page_client(session_service, guards=with_token()) as client:
            response = await client.get("/api/about", headers=headers)
        assert response.status_code == 401, sent
        assert TOKEN not in response.text, sent
        assert response.headers["WWW-Authenticate"] == "Bearer", sent


async def test_messages_do_not_repeat_the_token(session_service: Service) -> None:
    async with page_client(session_service, guards=with_token()) as client:
        responses = [
            await client.get(f"/{TOKEN}/nothing"),
            await client.get(f"/{TOKEN}/", headers={"Host": "elsewhere.example"}),
            await client.put(f"/{TOKEN}/api/match"),
        ]
    assert [response.status_code for response in responses] == [404, 403, 405]
    assert all(TOKEN not in response.text for response in responses)


def test_a_token_is_long_new_and_needs_no_escape() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{32}", token) for token in tokens)


def test_paths_of_the_page_alone_are_not_free_for_mcp() -> None:
    for path in ["/", "/api", "/api/", "/api/match", "/page", "/page/main.js"]:
        assert collides(path), path
    for path in ["/mcp", "/apis", "/pages", "/a/api", "/x/page/"]:
        assert not collides(path), path


class Verifier:
    """Knows one token a name; "narrow" has no scope."""

    async def verify_token(self, token: str) -> AccessToken | None:
        name, _, rest = token.partition("-")
        scopes = [] if name == "narrow" else ["read"]
        return AccessToken(token=token, client_id=name, scopes=scopes) if rest == "token" else None


RULES = {"all": ("core", "match"), "core": ("core",), "match": ("match",), "narrow": ("core", "match"), "none": ()}


async def asked(
    service: Service, path: str, authorization: str | None, scopes: Sequence[str] = (), method: str = "GET"
) -> httpx2.Response:
    """Ask a server that wants tokens."""
    access = Callers(lambda identity: RULES[identity or ""], tokens=True, scopes=scopes)
    guards = [Middleware(AuthenticationMiddleware, backend=BearerAuthBackend(Verifier()))]
    headers = {"Authorization": authorization} if authorization else {}
    async with page_client(service, access=access, guards=guards) as client:
        return await client.request(method, path, headers=headers)


async def test_the_shell_needs_no_token(session_service: Service) -> None:
    for path in ["/", "/page/main.js"]:
        assert (await asked(session_service, path, None)).status_code == 200, path


async def test_the_api_needs_a_token(session_service: Service) -> None:
    cases: list[str | None] = [None, "Bearer", "Bearer wrong", "Basic all-token", "all-token"]
    for authorization in cases:
        for name in ["about", "match", "entry", "coverage"]:
            method = "POST" if name == "coverage" else "GET"
            response = await asked(session_service, f"/api/{name}", authorization, method=method)
            assert response.status_code == 401, (authorization, name)
            assert response.headers["WWW-Authenticate"] == "Bearer", (authorization, name)
            assert len(response.json()["error"].split("; ")) == 3, (authorization, name)


async def test_a_caller_asks_for_what_the_allowlist_permits(session_service: Service) -> None:
    cases = [
        ("all", "match", 200),
        ("all", "agents", 200),
        ("core", "about", 200),
        ("core", "agents", 200),
        ("core", "entry", 200),
        ("core", "match", 403),
        ("core", "map", 403),
        ("core", "label", 403),
        ("core", "preflight", 403),
        ("core", "coverage", 403),
        ("match", "match", 200),
        ("match", "coverage", 200),
        ("match", "agents", 403),
        ("match", "entry", 403),
        ("none", "about", 200),
        ("none", "match", 403),
    ]
    for caller, name, status in cases:
        method = "POST" if name == "coverage" else "GET"
        response = await asked(session_service, f"/api/{name}", f"Bearer {caller}-token", method=method)
        assert response.status_code == status, caller
        if status == 403:
            assert f"permitted: {', '.join(RULES[caller]) or 'none'}; " in response.json()["error"], caller


async def test_a_token_without_the_servers_scope_is_refused(session_service: Service) -> None:
    refused = await asked(session_service, "/api/match", "Bearer narrow-token", ["read"])
    assert (refused.status_code, "'read'" in refused.json()["error"]) == (403, True)
    assert (await asked(session_service, "/api/match", "Bearer all-token", ["read"])).status_code == 200


async def test_a_server_without_tokens_takes_everyone_for_a_caller_without_a_name(session_service: Service) -> None:
    names: list[str | None] = []

    def permitted(name: str | None) -> Sequence[str]:
        names.append(name)
        return ("core",)

    async with page_client(session_service, access=Callers(permitted, tokens=False)) as client:
        answer = (await client.get("/api/about", headers={"Authorization": "Bearer anything"})).json()
    assert (names, answer["families"]) == ([None], ["core"])
