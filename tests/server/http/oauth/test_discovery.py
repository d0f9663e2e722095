"""Where an issuer's keys are, and which addresses it may name."""

from typing import Any

import pytest

from server.http.oauth import OAuthTokens
from tests.server.http.oauth.conftest import Clock
from tests.server.http.oauth.faults import ENDLESS, FAULTS, leading_to
from tests.server.http.oauth.issuer import KEYS, OAUTH, OPENID, Issuer, issuing
from tests.server.http.oauth.verified import access, given_up_soon, tokens_of

pytestmark = [pytest.mark.anyio]


async def test_the_issuer_says_where_its_keys_are(subtests: pytest.Subtests) -> None:
    cases = [
        ("", OAUTH),
        ("", OPENID),
        ("/", OAUTH),
        *(("/team/red", at) for at in (f"{OAUTH}/team/red", f"{OPENID}/team/red", f"/team/red{OPENID}")),
    ]
    for path, metadata_at in cases:
        issuer = Issuer(path=path, metadata_at=metadata_at)
        with subtests.test(path=path, metadata_at=metadata_at), issuing(issuer):
            await access(tokens_of(issuer), issuer.token())
            assert issuer.requests[-2:] == [metadata_at, KEYS]


async def test_metadata_of_another_issuer_are_not_believed() -> None:
    cases: list[str | None] = ["https://elsewhere.example", "", None]
    for named in cases:
        with issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            issuer.documents[OAUTH]["issuer"] = named
            assert await tokens.verify_token(issuer.token()) is None, named
            assert KEYS not in issuer.requests, named


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


async def test_an_address_that_the_option_would_refuse_is_refused_from_the_issuer_too(
    subtests: pytest.Subtests, caplog: pytest.LogCaptureFixture
) -> None:
    for address in UNSAFE:
        caplog.clear()
        with subtests.test(address=address), issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            issuer.documents[OAUTH]["jwks_uri"] = address
            assert [await tokens.verify_token(issuer.token()) for _ in range(5)] == [None] * 5
            assert issuer.requests == [OAUTH]
            (message,) = caplog.messages
            assert f"names {address!r} as jwks_uri; it must be an https URL" in message


async def test_a_redirect_is_not_followed() -> None:
    for moved in [OAUTH, KEYS]:
        with issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            issuer.documents["/elsewhere"] = issuer.answer(moved)
            issuer.documents[moved] = leading_to(f"{issuer.site}/elsewhere")
            assert await tokens.verify_token(issuer.token()) is None, moved
            assert moved in issuer.requests, moved
            assert "/elsewhere" not in issuer.requests, moved


async def test_metadata_of_no_use_at_one_address_are_looked_for_at_the_next(subtests: pytest.Subtests) -> None:
    for fault in [name for name in FAULTS if name not in ENDLESS]:
        with subtests.test(fault=fault), issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            issuer.documents |= {OPENID: issuer.documents[OAUTH], OAUTH: FAULTS[fault]}
            assert (await access(tokens, issuer.token())).client_id == "ann"


async def test_metadata_that_never_end_keep_no_caller_for_ever() -> None:
    for fault in ENDLESS:
        with issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            issuer.documents[OAUTH] = ENDLESS[fault]
            with given_up_soon(fault):
                assert [await tokens.verify_token(issuer.token()) for _ in range(3)] == [None] * 3, fault
            assert issuer.requests == [OAUTH], fault


async def test_keys_that_have_moved_are_found_again(issuer: Issuer, tokens: OAuthTokens, clock: Clock) -> None:
    await access(tokens, issuer.token())
    issuer.documents |= {"/moved": issuer.answer(KEYS), KEYS: 404}
    issuer.documents[OAUTH]["jwks_uri"] = f"{issuer.site}/moved"
    for _ in range(2):
        clock.ahead += 3600
        found = await tokens.verify_token(issuer.token())
    assert found is not None
    assert issuer.requests[-1] == "/moved"
