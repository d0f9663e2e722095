"""Nothing that an issuer does, and no made-up token, holds up callers whose keys are known."""

import tracemalloc

import pytest

from server.http.issuer_keys import MAX_WAITING, PAUSE, REFRESH, UNKNOWN_PAUSE
from server.http.oauth import OAuthTokens
from tests.server.http.oauth.conftest import Clock
from tests.server.http.oauth.faults import ENDLESS, FAULTS, HUGE, LARGE, MEBIBYTE
from tests.server.http.oauth.issuer import KEYS, Issuer, issuing
from tests.server.http.oauth.signing import Key
from tests.server.http.oauth.verified import access, asked, bogus, given_up_soon, settled, tokens_of, waiting

pytestmark = [pytest.mark.anyio]


async def test_made_up_keys_keep_no_caller_of_a_known_one_waiting(clock: Clock) -> None:
    for fault in ENDLESS:
        with issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            await access(tokens, issuer.token())
            issuer.documents[KEYS] = ENDLESS[fault]
            clock.ahead += UNKNOWN_PAUSE
            async with waiting(tokens, bogus(issuer), MAX_WAITING) as answers:
                await asked(issuer, 2)
                for _ in range(20):
                    assert (await access(tokens, issuer.token())).client_id == "ann", fault
                # All were answered before the first of the others.
                assert answers == [], fault


async def test_keys_that_are_due_keep_no_caller_waiting(clock: Clock) -> None:
    for fault in ENDLESS:
        with issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            await access(tokens, issuer.token())
            issuer.documents[KEYS] = ENDLESS[fault]
            clock.ahead += REFRESH
            assert (await access(tokens, issuer.token())).client_id == "ann", fault
            async with waiting(tokens, bogus(issuer)) as answers:
                await asked(issuer, 2)
                assert (await access(tokens, issuer.token())).client_id == "ann", fault
                assert answers == [], fault


async def test_more_made_up_keys_than_may_wait_are_refused_at_once(
    issuer: Issuer, tokens: OAuthTokens, clock: Clock
) -> None:
    await access(tokens, issuer.token())
    issuer.silent = True
    clock.ahead += UNKNOWN_PAUSE
    async with waiting(tokens, bogus(issuer), MAX_WAITING + 50) as answers:
        await settled(answers, 50)
        await asked(issuer, 2)
        assert answers == [False] * 50


async def test_an_issuer_that_never_ends_is_given_up() -> None:
    for fault in ENDLESS:
        with issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            issuer.documents[KEYS] = ENDLESS[fault]
            with given_up_soon(fault):
                async with waiting(tokens, issuer.token(), 20) as answers:
                    await settled(answers, 20)
            assert answers == [False] * 20, fault
            assert issuer.requests.count(KEYS) == 1, fault


async def test_old_keys_serve_whatever_the_issuer_answers_and_new_ones_once_it_is_well(
    subtests: pytest.Subtests, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for fault in FAULTS:
        caplog.clear()
        with subtests.test(fault=fault), issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            await access(tokens, issuer.token())
            issuer.documents[KEYS] = FAULTS[fault]
            for fetches in (2, 3):
                clock.ahead += REFRESH
                with given_up_soon(fault):
                    assert await tokens.verify_token(bogus(issuer)) is None
                assert (await access(tokens, issuer.token())).client_id == "ann"
                assert issuer.requests.count(KEYS) == fetches
            assert len(caplog.messages) == 2
            assert all(message.endswith("are used until they are 3600 seconds old") for message in caplog.messages)
            del issuer.documents[KEYS]
            issuer.keys = [Key.new("second")]
            clock.ahead += PAUSE
            assert (await access(tokens, issuer.token())).client_id == "ann"


async def test_a_document_is_not_read_beyond_what_it_may_have() -> None:
    for fault in LARGE:
        with issuing(Issuer()) as issuer:
            tokens = tokens_of(issuer)
            issuer.documents[KEYS] = LARGE[fault]
            tracemalloc.start()
            try:
                assert await tokens.verify_token(issuer.token()) is None, fault
                most = tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
            assert most < 8 * MEBIBYTE, fault
            # What the sockets between hold was sent, and never read.
            assert issuer.sent < HUGE // 2, fault


async def test_a_caller_who_goes_does_not_end_the_fetch_for_the_others(
    issuer: Issuer, clock: Clock, tokens: OAuthTokens
) -> None:
    issuer.silent = True
    async with waiting(tokens, issuer.token()) as first:
        await asked(issuer, 1, path=next(iter(issuer.documents)))
    assert first == []
    async with waiting(tokens, issuer.token()) as answers:
        issuer.silent = False
        issuer.closing.set()
        await settled(answers, 1)
        # The other address of the metadata, and the keys, were asked for in the same fetch.
        assert issuer.requests.count(next(iter(issuer.documents))) == 1
