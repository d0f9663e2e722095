"""Tokens that are not right, sent to a server in a process of its own."""

import contextlib
from collections.abc import Callable
from typing import Any, Final

import httpx2
import pytest

from tests.server.http.oauth.issuer import RESOURCE, Issuer
from tests.server.http.oauth.over_http import SCOPE, status_with
from tests.server.http.oauth.signing import Key, with_secret, written

pytestmark = pytest.mark.processes

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
    "an algorithm of another kind of key": lambda issuer: written(
        {"alg": "RS256", "kid": "first"}, right(issuer), lambda _: b"s" * 256
    ),
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
def test_a_token_that_says_otherwise_is_not_answered(address: str, team: Issuer, changed: dict[str, Any]) -> None:
    assert status_with(address, team.token(scope=SCOPE, **changed)) == 401
    assert status_with(address, team.token(scope=SCOPE)) == 200


@pytest.mark.parametrize("forged", FORGED)
def test_what_the_issuer_did_not_sign_is_not_answered(address: str, team: Issuer, forged: str) -> None:
    assert status_with(address, FORGED[forged](team)) == 401
    assert status_with(address, team.token(scope=SCOPE)) == 200


def test_a_token_that_is_longer_than_a_head_may_be_is_not_answered(address: str, team: Issuer) -> None:
    # Refused before all of it is sent, so that the error_response may be lost with the connection.
    with contextlib.suppress(httpx2.TransportError):
        assert status_with(address, team.token(scope=SCOPE) + "A" * 1_000_000) == 400
    assert status_with(address, team.token(scope=SCOPE)) == 200
