"""Where an issuer's keys are, and which addresses it may name."""

from typing import Any

import pytest

from server.http.oauth import OAuthTokens
from tests.server.http.oauth.conftest import Clock
from tests.server.http.oauth.faults import ENDLESS, FAULTS, leading_to
from tests.server.http.oauth.issuer import KEYS, OAUTH, OPENID, Issuer, issuing
from tests.server.http.oauth.verified import access, given_up_soon, tokens_of

pytestmark = [pytest.mark.anyio]


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


UNSAFE: list[Any] = [
    "file:///etc/passwd",
    "http://127.0.0.2/keys",
    "http://10.0.0.1/keys",
    "http://issuer.example/keys",
    "http://127.0.0.1@issuer.example/keys",
    "http://127.0.0.1\\@issuer.example/keys",
    "http:///keys",
    "/keys",
    "",
    None,
    7,
    ["https://issuer.example/keys"],
]


@pytest.mark.parametrize("address", UNSAFE, ids=str)
async def test_an_address_that_the_option_would_refuse_is_refused_from_the_issuer_too(
    issuer: Issuer, tokens: OAuthTokens, caplog: pytest.LogCaptureFixture, address: Any
) -> None:
    issuer.documents[OAUTH]["jwks_uri"] = address
    assert [await tokens.verify_token(issuer.token()) for _ in range(5)] == [None] * 5
    assert issuer.requests == [OAUTH]
    (message,) = caplog.messages
    assert f"names {address!r} as jwks_uri; it must be an https URL" in message


@pytest.mark.parametrize("moved", [OAUTH, KEYS])
async def test_a_redirect_is_not_followed(issuer: Issuer, tokens: OAuthTokens, moved: str) -> None:
    issuer.documents["/elsewhere"] = issuer.answer(moved)
    issuer.documents[moved] = leading_to(f"{issuer.site}/elsewhere")
    assert await tokens.verify_token(issuer.token()) is None
    assert moved in issuer.requests
    assert "/elsewhere" not in issuer.requests


@pytest.mark.parametrize("fault", [name for name in FAULTS if name not in ENDLESS])
async def test_metadata_of_no_use_at_one_address_are_looked_for_at_the_next(
    issuer: Issuer, tokens: OAuthTokens, fault: str
) -> None:
    issuer.documents |= {OPENID: issuer.documents[OAUTH], OAUTH: FAULTS[fault]}
    assert (await access(tokens, issuer.token())).client_id == "ann"


@pytest.mark.parametrize("fault", ENDLESS)
async def test_metadata_that_never_end_keep_no_caller_for_ever(issuer: Issuer, tokens: OAuthTokens, fault: str) -> None:
    issuer.documents[OAUTH] = ENDLESS[fault]
    with given_up_soon(fault):
        assert [await tokens.verify_token(issuer.token()) for _ in range(3)] == [None] * 3
    assert issuer.requests == [OAUTH]


async def test_keys_that_have_moved_are_found_again(issuer: Issuer, tokens: OAuthTokens, clock: Clock) -> None:
    await access(tokens, issuer.token())
    issuer.documents |= {"/moved": issuer.answer(KEYS), KEYS: 404}
    issuer.documents[OAUTH]["jwks_uri"] = f"{issuer.site}/moved"
    for _ in range(2):
        clock.ahead += 3600
        found = await tokens.verify_token(issuer.token())
    assert found is not None
    assert issuer.requests[-1] == "/moved"
