"""Whose tokens are taken, checked against an issuer on this machine."""

import logging
from typing import Any

import pytest

from server.http.oauth import MAX_TOKEN, OAuthTokens
from tests.server.http.oauth.issuer import KEYS, RESOURCE, Issuer, issuing
from tests.server.http.oauth.signing import Key, without_algorithm, written
from tests.server.http.oauth.verified import access, tokens_of

pytestmark = [pytest.mark.anyio]


async def test_a_token_of_the_issuer_is_its_callers(subtests: pytest.Subtests) -> None:
    for algorithm in ["RS256", "PS256", "ES256", "EdDSA"]:
        with subtests.test(algorithm=algorithm):
            with issuing(Issuer(key=Key.new("only", algorithm))) as issuer:
                token = issuer.token(exp=5_000_000_000)
                found = await access(tokens_of(issuer), token)
            assert (found.token, found.client_id, found.subject, found.expires_at) == (
                token,
                "ann",
                "ann",
                5_000_000_000,
            )


async def test_a_key_without_an_algorithm_verifies_every_one_of_its_kind() -> None:
    key = Key.new("only", "PS256")
    with issuing(Issuer(key=key)) as issuer:
        issuer.documents[KEYS] = {"keys": [without_algorithm(key)]}
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


async def test_scopes_are_words_or_a_list(issuer: Issuer, tokens: OAuthTokens) -> None:
    for given, scopes in SCOPES:
        assert (await access(tokens, issuer.token(**given))).scopes == scopes, (given, scopes)


async def test_the_caller_is_the_client_or_else_the_subject(issuer: Issuer, tokens: OAuthTokens) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"client_id": "ci-bot", "azp": "web-app"}, "ci-bot"),
        ({"azp": "web-app"}, "web-app"),
        ({"client_id": "", "azp": "web-app"}, "web-app"),
        ({}, "ann"),
    ]
    for named, name in cases:
        assert (await access(tokens, issuer.token(**named))).client_id == name, (named, name)


async def test_a_key_that_names_its_algorithm_verifies_no_other(issuer: Issuer, tokens: OAuthTokens) -> None:
    key = Key.new("first", "PS256")
    issuer.documents[KEYS] = {"keys": [key.public() | {"alg": "RS256"}]}
    assert await tokens.verify_token(issuer.token(key=key)) is None


async def test_a_token_whose_algorithm_does_not_fit_its_key_is_refused() -> None:
    for shown in ["with its algorithm", "without"]:
        with issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            if shown == "without":
                issuer.documents[KEYS] = {"keys": [without_algorithm(issuer.keys[0])]}
            for algorithm in ("RS256", "PS256", "ES384", "ES512", "EdDSA", "HS256", "none", "RS257"):
                token = written({"alg": algorithm, "kid": "first"}, issuer.claims(), lambda _: b"s" * 64)
                assert await tokens.verify_token(token) is None, algorithm
                assert (await access(tokens, issuer.token())).client_id == "ann", algorithm


HEADERS: list[Any] = [
    {"alg": "ES256"},
    {"alg": "ES256", "kid": ""},
    {"alg": "ES256", "kid": 7},
    {"alg": "HS256", "kid": "first"},
    {"alg": "none", "kid": "first"},
    {"alg": ["ES256"], "kid": "first"},
    {"kid": "first"},
    [],
]


async def test_a_token_that_no_key_could_verify_is_refused_without_asking_for_keys() -> None:
    for header in HEADERS:
        with issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            assert await tokens.verify_token(written(header, issuer.claims(), lambda _: b"s" * 64)) is None, header
            assert issuer.requests == [], header


async def test_a_token_of_usual_length_is_taken_and_an_endless_one_is_not_looked_at(
    issuer: Issuer, tokens: OAuthTokens
) -> None:
    # Three characters of claims are four of the token.
    longest = issuer.token(padding="x" * (MAX_TOKEN * 3 // 4 - 400))
    too_long = issuer.token(padding="x" * (MAX_TOKEN * 3 // 4))
    assert len(longest) <= MAX_TOKEN < len(too_long)
    assert await tokens.verify_token(too_long) is None
    assert issuer.requests == []
    assert (await access(tokens, longest)).client_id == "ann"


async def test_whatever_the_library_raises_refuses_the_token_and_is_logged_once_without_it(
    subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for error in (
        TypeError,
        ValueError,
        AttributeError,
        KeyError,
        RecursionError,
        OverflowError,
        NotImplementedError,
    ):
        caplog.clear()
        with subtests.test(error=error), issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            token = issuer.token()
            await access(tokens, token)

            def decode(*_: object, error: type[Exception] = error, token: str = token, **__: object) -> object:
                raise error(token)

            with monkeypatch.context() as broken, caplog.at_level(logging.WARNING):
                broken.setattr("jwt.decode", decode)
                assert [await tokens.verify_token(token) for _ in range(3)] == [None] * 3
            assert [record.getMessage() for record in caplog.records] == [
                f"refused a token because reading it raised {error.__name__}"
            ]
            assert token not in caplog.text
