"""An issuer in trouble, and made-up tokens meanwhile: the application answers everybody else as it did before."""

import anyio
import httpx2
import pytest

from server.http.issuer_keys import MAX_WAITING, REFRESH, UNKNOWN_PAUSE
from tests.server.faults.in_process import application_client
from tests.server.http.oauth.conftest import Clock
from tests.server.http.oauth.faults import FAULTS
from tests.server.http.oauth.issuer import KEYS, Issuer, issuing
from tests.server.http.oauth.over_http import HEADERS, PING, oauth
from tests.server.http.oauth.verified import PATIENCE, asked, bogus, given_up_soon

pytestmark = [pytest.mark.anyio]


async def status_with(client: httpx2.AsyncClient, token: str) -> int:
    response = await client.post("/mcp", headers=HEADERS | {"Authorization": f"Bearer {token}"}, json=PING)
    return response.status_code


async def test_callers_and_health_are_answered_as_before_whatever_becomes_of_the_issuer(clock: Clock) -> None:
    for fault in ["down", "hanging", "huge"]:
        with issuing(Issuer()) as issuer:
            async with application_client(*oauth(issuer.address)) as client:
                assert await status_with(client, issuer.token()) == 200, fault
                issuer.documents[KEYS] = FAULTS[fault]
                clock.ahead += REFRESH
                with given_up_soon(fault):
                    assert await status_with(client, bogus(issuer)) == 401, fault
                assert issuer.requests.count(KEYS) == 2, fault
                assert await status_with(client, issuer.token()) == 200, fault
                assert (await client.get("/readyz")).json()["status"] == "ok", fault


async def test_made_up_tokens_leave_places_for_others_while_the_issuer_hangs(issuer: Issuer, clock: Clock) -> None:
    places, statuses = MAX_WAITING + 8, []
    async with application_client(*oauth(issuer.address), "--max-concurrency", str(places)) as client:
        assert await status_with(client, issuer.token()) == 200
        issuer.silent = True
        clock.ahead += UNKNOWN_PAUSE
        token = bogus(issuer)

        async def bother() -> None:
            statuses.append(await status_with(client, token))

        async with anyio.create_task_group() as group:
            for _ in range(places):
                group.start_soon(bother)
            await asked(issuer, 2)
            with anyio.fail_after(PATIENCE):
                while len(statuses) < places - MAX_WAITING:
                    await anyio.sleep(0.01)
            assert await status_with(client, issuer.token()) == 200
            # The rest wait still.
            assert statuses == [401] * (places - MAX_WAITING)
            group.cancel_scope.cancel()
