"""Which keys of a key set are used."""

from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from server.http.oauth import OAuthTokens
from tests.server.http.oauth.issuer import KEYS, Issuer, issuing
from tests.server.http.oauth.signing import Key, written
from tests.server.http.oauth.verified import access, tokens_of

pytestmark = [pytest.mark.anyio]

UNUSABLE: list[Any] = [
    7,
    {},
    {"kty": "RSA", "kid": "first"},
    {"kty": "RSA", "kid": "first", "n": 7, "e": []},
    {"kty": "EC", "kid": "first", "crv": ["P-256"], "x": {}, "y": None},
    {"kty": ["EC"], "kid": "first"},
    {"kty": "EC", "kid": "first", "alg": ["ES256"]},
    {"kty": "oct", "kid": "first", "k": "c2VjcmV0"},
    {"kty": "unheard-of", "kid": "first", "alg": {}},
    Key.new("first").public() | {"use": "enc"},
    Key.new("first").public() | {"kid": 7},
    Key.new("first").public() | {"alg": "RSA-OAEP"},
    Key.new("first").whole(),
    Key.new("first", "RS256").whole() | {"alg": "ES256"},
]


async def test_a_key_of_no_use_is_skipped_and_the_others_serve(subtests: pytest.Subtests) -> None:
    for entry in UNUSABLE:
        with subtests.test(entry=entry), issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            issuer.documents[KEYS] = {"keys": [entry, issuer.keys[0].public()]}
            assert (await access(tokens, issuer.token())).client_id == "ann"


async def test_a_key_whose_private_part_is_shown_verifies_nothing() -> None:
    for algorithm in ["ES256", "RS256"]:
        key = Key.new("first", algorithm)
        with issuing(Issuer(key=key)) as issuer:
            issuer.documents[KEYS] = {"keys": [key.whole()]}
            assert await tokens_of(issuer).verify_token(issuer.token()) is None, algorithm


@pytest.mark.filterwarnings("ignore::jwt.warnings.InsecureKeyLengthWarning")
async def test_a_key_that_is_too_short_verifies_nothing(issuer: Issuer, tokens: OAuthTokens) -> None:
    short = Key("first", "RS256", rsa.generate_private_key(65537, 1024))
    issuer.documents[KEYS] = {"keys": [short.public()]}
    token = written({"alg": "RS256", "kid": "first"}, issuer.claims(), short.signed)
    assert await tokens.verify_token(token) is None


async def test_a_key_that_is_long_enough_verifies_what_was_written_by_hand(issuer: Issuer, tokens: OAuthTokens) -> None:
    key = Key.new("first", "RS256")
    issuer.documents[KEYS] = {"keys": [key.public()]}
    token = written({"alg": "RS256", "kid": "first"}, issuer.claims(), key.signed)
    assert (await access(tokens, token)).client_id == "ann"
