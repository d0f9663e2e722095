"""Whose tokens are taken, checked against an issuer on this machine."""

import time
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from mcp.server.auth.provider import AccessToken

from server.http.oauth import SECONDS, OAuthOptions, OAuthTokens
from tests.server.http.oauth_issuer import KEYS, RESOURCE, Issuer, Key, issuing

pytestmark = [pytest.mark.anyio]
COOLDOWN = 30
"""Seconds for which an unknown key is not asked for again."""


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing(Issuer()) as issuer:
        yield issuer


@pytest.fixture
def tokens(issuer: Issuer) -> OAuthTokens:
    return tokens_of(issuer)


def tokens_of(issuer: Issuer, keys: str | None = None) -> OAuthTokens:
    return OAuthTokens(OAuthOptions(issuer.address, RESOURCE, keys=keys))


class Clock:
    """A monotonic clock that can be put forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("server.http.oauth.time", clock)
    monkeypatch.setattr("jwt.jwks_client.time", clock)
    return clock


async def access(tokens: OAuthTokens, token: str) -> AccessToken:
    found = await tokens.verify_token(token)
    assert found is not None
    return found


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256", "EdDSA"])
async def test_a_token_of_the_issuer_is_its_callers(algorithm: str) -> None:
    with issuing(Issuer(key=Key.new("only", algorithm))) as issuer:
        token = issuer.token(exp=5_000_000_000)
        found = await access(tokens_of(issuer), token)
    assert (found.token, found.client_id, found.subject, found.expires_at) == (token, "ann", "ann", 5_000_000_000)


async def test_a_key_without_an_algorithm_verifies_every_one_of_its_kind() -> None:
    key = Key.new("only", "PS256")
    with issuing(Issuer(key=key)) as issuer:
        issuer.documents[KEYS] = {"keys": [{name: key.public()[name] for name in ("kty", "kid", "n", "e")}]}
        assert (await access(tokens_of(issuer), issuer.token())).client_id == "ann"


async def test_a_token_may_be_for_other_audiences_too(issuer: Issuer, tokens: OAuthTokens) -> None:
    token = issuer.token(aud=["https://elsewhere.example", RESOURCE])
    assert (await access(tokens, token)).resource == RESOURCE


NONSENSE: list[Any] = ["", [], {}, {"read": 1}, 7, True, 1.5]
SCOPES: list[tuple[dict[str, Any], list[str]]] = [
    ({"scope": "read  write"}, ["read", "write"]),
    ({"scp": ["read", "write"]}, ["read", "write"]),
    ({"scope": ["read"]}, ["read"]),
    ({"scp": "read write"}, ["read", "write"]),
    ({"scp": [7, None, ["read"]]}, ["7", "None", "['read']"]),
    *(({name: nonsense}, []) for name in ("scope", "scp") for nonsense in NONSENSE),
    ({}, []),
]


@pytest.mark.parametrize(("given", "scopes"), SCOPES, ids=str)
async def test_scopes_are_words_or_a_list(
    issuer: Issuer, tokens: OAuthTokens, given: dict[str, Any], scopes: list[str]
) -> None:
    assert (await access(tokens, issuer.token(**given))).scopes == scopes


@pytest.mark.parametrize(
    ("named", "name"),
    [
        ({"client_id": "ci-bot", "azp": "web-app"}, "ci-bot"),
        ({"azp": "web-app"}, "web-app"),
        ({"client_id": "", "azp": "web-app"}, "web-app"),
        ({}, "ann"),
    ],
)
async def test_the_caller_is_the_client_or_else_the_subject(
    issuer: Issuer, tokens: OAuthTokens, named: dict[str, Any], name: str
) -> None:
    assert (await access(tokens, issuer.token(**named))).client_id == name


OAUTH, OPENID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"


@pytest.mark.parametrize(
    ("path", "metadata_at"),
    [
        ("", OAUTH),
        ("", OPENID),
        ("/", OAUTH),
        *(("/team/red", at) for at in (f"{OAUTH}/team/red", f"{OPENID}/team/red", f"/team/red{OPENID}")),
    ],
)
async def test_the_issuer_says_where_its_keys_are(path: str, metadata_at: str) -> None:
    with issuing(Issuer(path=path, metadata_at=metadata_at)) as issuer:
        await access(tokens_of(issuer), issuer.token())
        assert issuer.requests[-2:] == [metadata_at, KEYS]


@pytest.mark.parametrize("named", ["https://elsewhere.example", "", None])
async def test_metadata_of_another_issuer_are_not_believed(
    issuer: Issuer, tokens: OAuthTokens, named: str | None
) -> None:
    issuer.documents[OAUTH]["issuer"] = named
    assert await tokens.verify_token(issuer.token()) is None
    assert KEYS not in issuer.requests


async def test_keys_at_a_given_address_are_not_looked_for(issuer: Issuer) -> None:
    await access(tokens_of(issuer, keys=issuer.site + KEYS), issuer.token())
    assert issuer.requests == [KEYS]


async def test_a_new_key_is_found_after_a_while(issuer: Issuer, tokens: OAuthTokens, clock: Clock) -> None:
    old = issuer.token()
    await access(tokens, old)
    issuer.keys = [Key.new("second")]
    clock.ahead += COOLDOWN
    assert (await access(tokens, issuer.token(sub="bob"))).client_id == "bob"
    assert await tokens.verify_token(old) is None


async def test_unknown_keys_are_not_asked_for_each_time(issuer: Issuer, tokens: OAuthTokens) -> None:
    await access(tokens, issuer.token())
    asked = list(issuer.requests)
    for number in range(20):
        assert await tokens.verify_token(issuer.token(key=Key.new(f"unknown-{number}"))) is None
    assert issuer.requests == asked


NO_KEYS = [503, 404, b"<html>", b"", {}, [], {"keys": []}, {"keys": {}}, {"keys": "first"}, {"keys": [7, {}]}]


@pytest.mark.parametrize("shown", NO_KEYS, ids=str)
async def test_an_issuer_without_usable_keys_is_not_asked_for_each_token(
    issuer: Issuer, tokens: OAuthTokens, shown: Any, caplog: pytest.LogCaptureFixture
) -> None:
    issuer.documents[KEYS] = shown
    assert [await tokens.verify_token(issuer.token()) for _ in range(5)] == [None] * 5
    assert issuer.requests.count(KEYS) == 1
    assert [message[:27] for message in caplog.messages] == ["tokens cannot be verified: "]


async def test_an_issuer_that_names_no_usable_address_is_not_asked_for_each_token(
    issuer: Issuer, tokens: OAuthTokens
) -> None:
    issuer.documents[OAUTH]["jwks_uri"] = "file:///etc/passwd"
    assert [await tokens.verify_token(issuer.token()) for _ in range(5)] == [None] * 5
    assert issuer.requests.count(OAUTH) == 1


@pytest.mark.parametrize("missing", [OAUTH, KEYS])
async def test_an_issuer_that_is_back_is_asked_again(
    issuer: Issuer, tokens: OAuthTokens, clock: Clock, missing: str
) -> None:
    whole, issuer.documents[missing] = issuer.answer(missing), 503
    assert await tokens.verify_token(issuer.token()) is None
    issuer.documents[missing] = whole
    assert await tokens.verify_token(issuer.token()) is None
    clock.ahead += SECONDS
    assert await tokens.verify_token(issuer.token()) is not None


async def test_an_unknown_key_keeps_no_one_out_while_the_issuer_is_down(
    issuer: Issuer, tokens: OAuthTokens, clock: Clock
) -> None:
    await access(tokens, issuer.token())
    issuer.documents[KEYS] = 503
    clock.ahead += COOLDOWN
    assert await tokens.verify_token(issuer.token(key=Key.new("unknown"))) is None
    assert (await access(tokens, issuer.token())).client_id == "ann"


@pytest.mark.parametrize("silent", [False, True])
async def test_many_tokens_at_once_ask_the_issuer_once(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch, silent: bool
) -> None:
    monkeypatch.setattr("server.http.oauth.SECONDS", 1)
    tokens, token, found = tokens_of(issuer, keys=issuer.site + KEYS), issuer.token(), []
    issuer.silent = silent

    async def verify() -> None:
        found.append(await tokens.verify_token(token) is not None)

    async with anyio.create_task_group() as group:
        for _ in range(20):
            group.start_soon(verify)
    assert found == [not silent] * 20
    assert issuer.requests == [KEYS]
