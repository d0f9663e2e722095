"""When keys are fetched, and how long they serve."""

import pytest

from server.http.issuer_keys import KEEP, PAUSE, REFRESH, UNKNOWN_PAUSE
from server.http.oauth import OAuthTokens
from tests.server.http.oauth.conftest import Clock
from tests.server.http.oauth.faults import GARBAGE
from tests.server.http.oauth.issuer import KEYS, OAUTH, Issuer, issuing
from tests.server.http.oauth.signing import Key
from tests.server.http.oauth.verified import access, bogus, settled, tokens_of, waiting

pytestmark = [pytest.mark.anyio]


async def test_a_new_key_is_found_after_a_while(issuer: Issuer, tokens: OAuthTokens, clock: Clock) -> None:
    old = issuer.token()
    await access(tokens, old)
    issuer.keys = [Key.new("second")]
    clock.ahead += UNKNOWN_PAUSE
    assert (await access(tokens, issuer.token(sub="bob"))).client_id == "bob"
    assert await tokens.verify_token(old) is None


async def test_unknown_keys_are_not_asked_for_each_time(issuer: Issuer, tokens: OAuthTokens, clock: Clock) -> None:
    await access(tokens, issuer.token())
    for fetches in (1, 2, 3):
        assert [await tokens.verify_token(bogus(issuer, f"unknown-{number}")) for number in range(9)] == [None] * 9
        assert issuer.requests.count(KEYS) == fetches
        clock.ahead += UNKNOWN_PAUSE


async def test_unknown_keys_are_asked_for_no_oftener_while_the_issuer_is_down(
    issuer: Issuer, tokens: OAuthTokens, clock: Clock
) -> None:
    await access(tokens, issuer.token())
    issuer.documents[KEYS] = 503
    clock.ahead += UNKNOWN_PAUSE
    for _ in range(3):
        assert await tokens.verify_token(bogus(issuer)) is None
        clock.ahead += PAUSE
    assert issuer.requests.count(KEYS) == 2


async def test_an_issuer_without_usable_keys_is_not_asked_for_each_token(
    subtests: pytest.Subtests, caplog: pytest.LogCaptureFixture
) -> None:
    for fault in GARBAGE:
        caplog.clear()
        with subtests.test(fault=fault), issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            issuer.documents[KEYS] = GARBAGE[fault]
            assert [await tokens.verify_token(issuer.token()) for _ in range(5)] == [None] * 5
            assert issuer.requests.count(KEYS) == 1
            (message,) = caplog.messages
            assert message.startswith(f"could not fetch the keys of the issuer {issuer.address!r}: ")
            assert message.endswith("; no token can be verified until they are fetched")


async def test_an_issuer_that_is_back_is_asked_again(clock: Clock) -> None:
    for missing in [OAUTH, KEYS]:
        with issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            whole, issuer.documents[missing] = issuer.answer(missing), 503
            assert await tokens.verify_token(issuer.token()) is None, missing
            issuer.documents[missing] = whole
            assert await tokens.verify_token(issuer.token()) is None, missing
            clock.ahead += PAUSE
            assert await tokens.verify_token(issuer.token()) is not None, missing


async def test_keys_are_fetched_again_while_the_old_ones_serve(
    issuer: Issuer, tokens: OAuthTokens, clock: Clock
) -> None:
    old = issuer.token()
    await access(tokens, old)
    clock.ahead += REFRESH - 60
    await access(tokens, old)
    assert issuer.requests.count(KEYS) == 1
    issuer.keys = [Key.new("second")]
    clock.ahead += 60
    assert (await access(tokens, old)).client_id == "ann"
    # Waits for the fetch that the old key's caller set off.
    await access(tokens, issuer.token())
    assert await tokens.verify_token(old) is None
    assert issuer.requests.count(KEYS) == 2


async def test_old_keys_serve_for_an_hour_and_no_longer(issuer: Issuer, tokens: OAuthTokens, clock: Clock) -> None:
    token = issuer.token(exp=5_000_000_000)
    await access(tokens, token)
    issuer.documents[KEYS] = 503
    for _ in range(KEEP // REFRESH - 1):
        clock.ahead += REFRESH
        await access(tokens, token)
    clock.ahead += REFRESH
    assert await tokens.verify_token(token) is None


async def test_many_tokens_at_once_ask_the_issuer_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for silent in [False, True]:
        with issuing(Issuer()) as issuer:
            if silent:
                monkeypatch.setattr("server.http.issuer_keys.DEADLINE", 0.5)
            tokens, issuer.silent = tokens_of(issuer, keys=issuer.site + KEYS), silent
            many = 100
            async with waiting(tokens, issuer.token(), many) as answers:
                await settled(answers, many)
            assert answers == [not silent] * many, silent
            assert issuer.requests == [KEYS], silent
