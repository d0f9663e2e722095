"""Signing in to upstreams, and what becomes of the tokens."""

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from server.errors import CallerError
from server.gateway.upstreams import Upstream, UpstreamError, login
from server.gateway.upstreams.sign_in import LOGINS_VARIABLE, LoginFile
from tests.server.gateway.upstreams.authorization import Protected, browser, protected
from tests.server.gateway.upstreams.running import QUICK, http_config, raw_config, ready, started, text_of, until
from tests.server.gateway.upstreams.web_server import MadeServer, over_sse, served

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def logins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of logins, of this test's own."""
    monkeypatch.setenv(LOGINS_VARIABLE, str(tmp_path / "logins"))
    return tmp_path / "logins"


@pytest.fixture
def guarded() -> Iterator[Protected]:
    """Yield a server that wants a token."""
    with protected() as server:
        yield server


async def test_without_a_login_a_server_is_unauthorized_and_says_how_to_sign_in(guarded: Protected) -> None:
    config = http_config(guarded.url, headers={"X-Team": "one"})
    async with started(Upstream(config, QUICK)) as upstream:
        await until(lambda: upstream.state.kind == "unauthorized")
        with pytest.raises(UpstreamError) as failed:
            await upstream.call("echo")
    assert failed.value.kind == "unauthorized"
    assert failed.value.why == 'HTTP 401 Unauthorized; run "agent-capabilities gateway login web"'
    assert guarded.authorization.registered == []


async def test_a_refused_header_of_the_configuration_is_not_answered_with_a_sign_in(guarded: Protected) -> None:
    config = http_config(guarded.url, headers={"Authorization": "Bearer wrong"})
    async with started(Upstream(config, QUICK)) as upstream:
        await until(lambda: upstream.state.kind == "unauthorized")
    assert "login" not in upstream.state.why


async def test_a_login_is_taken_up_by_a_gateway_that_runs(guarded: Protected) -> None:
    config = http_config(guarded.url)
    async with started(Upstream(config, QUICK)) as upstream:
        await until(lambda: upstream.state.kind == "unauthorized")
        assert await login(config, browser)
        await until(lambda: upstream.state.kind == "ready")
        assert text_of(await upstream.call("echo", {"text": "in"})) == "in"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
async def test_only_the_user_can_read_a_login(guarded: Protected, logins: Path) -> None:
    assert await login(http_config(guarded.url), browser)
    (file,) = logins.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(logins.stat().st_mode) == 0o700


async def test_each_server_has_a_login_of_its_own(guarded: Protected) -> None:
    assert await login(http_config(guarded.url), browser)
    assert not LoginFile(http_config(guarded.url, name="other")).load()
    assert not LoginFile(http_config(f"{guarded.url}/elsewhere")).load()


async def test_an_expired_token_is_refreshed_where_the_authorization_server_says(guarded: Protected) -> None:
    guarded.authorization.lifetime = -1
    config = http_config(guarded.url)
    assert await login(config, browser)
    guarded.authorization.valid.clear()
    guarded.authorization.lifetime = 3600
    async with ready(config) as upstream:
        assert text_of(await upstream.call("echo", {"text": "in"})) == "in"
    assert guarded.authorization.asked == ["authorization_code", "refresh_token"]


async def test_a_token_that_the_server_revokes_is_refreshed_and_the_call_runs_once(guarded: Protected) -> None:
    config = http_config(guarded.url)
    assert await login(config, browser)
    async with ready(config) as upstream:
        guarded.authorization.valid.clear()
        assert text_of(await upstream.call("echo", {"text": "in"})) == "in"
    assert guarded.made.calls == {"echo": 1}


async def test_a_login_that_cannot_be_refreshed_is_unauthorized(guarded: Protected) -> None:
    config = http_config(guarded.url)
    assert await login(config, browser)
    async with ready(config, replace(QUICK, look=60)) as upstream:
        guarded.authorization.valid.clear()
        guarded.authorization.refreshes.clear()
        with pytest.raises(UpstreamError) as failed:
            await upstream.call("echo")
        assert failed.value.kind == "unauthorized", failed.value
        assert upstream.state.kind == "unauthorized"
    assert guarded.made.calls == {}


async def test_a_sign_in_that_is_refused_or_takes_too_long_fails(guarded: Protected, logins: Path) -> None:
    guarded.authorization.refuses = True
    with pytest.raises(CallerError, match="access_denied"):
        await login(http_config(guarded.url), browser)
    assert not logins.exists()
    with pytest.raises(CallerError, match=r"not finished within 0\.5 seconds"):
        await login(http_config(guarded.url), lambda url: None, seconds=0.5)


async def test_servers_that_take_no_sign_in_need_none(logins: Path) -> None:
    for app in (MadeServer().streamable_http_app(), over_sse(MadeServer())):
        with served(app) as address:
            assert not await login(http_config(f"{address}/mcp"), browser)
    assert not logins.exists()
    with pytest.raises(CallerError, match="only servers with a url"):
        await login(raw_config(), browser)


async def test_a_damaged_login_counts_as_none(guarded: Protected, logins: Path) -> None:
    config = http_config(guarded.url)
    logins.mkdir()
    LoginFile(config).path.write_text("{}")
    async with started(Upstream(config, QUICK)) as upstream:
        await until(lambda: upstream.state.kind == "unauthorized")
