"""Upstreams with faults: each call fails in a way that says why, and the next one is answered right."""

from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.upstreams import Upstream, UpstreamError
from tests.server.gateway.upstreams.running import QUICK, SECRET, raw_config, ready, started, text_of, until

pytestmark = [pytest.mark.anyio, pytest.mark.processes]


async def answers(upstream: Upstream) -> bool:
    return text_of(await upstream.call("echo", {"text": "right"})) == "right"


async def test_a_server_that_dies_mid_call_is_restarted() -> None:
    async with ready(raw_config()) as upstream:
        with pytest.raises(UpstreamError) as failed:
            await upstream.call("die")
        assert failed.value.kind == "died"
        assert "status 3" in failed.value.why
        assert "[secret]" in failed.value.why
        assert SECRET not in str(failed.value)
        await until(lambda: upstream.state.kind == "ready")
        assert await answers(upstream)


async def test_a_server_that_is_down_keeps_its_tools_and_says_since_when_and_why() -> None:
    async with ready(raw_config(), replace(QUICK, first_pause=60, longest_pause=60)) as upstream:
        with pytest.raises(UpstreamError):
            await upstream.call("die")
        await until(lambda: upstream.state.kind == "down")
        assert [tool.name for tool in upstream.tools] == ["echo", "mismatch"]
        with pytest.raises(UpstreamError) as failed:
            await upstream.call("echo")
        assert (failed.value.kind, failed.value.since) == ("down", upstream.state.since)
        assert "status 3" in failed.value.why


async def test_a_call_is_not_repeated_after_a_restart() -> None:
    async with ready(raw_config()) as upstream:
        with pytest.raises(UpstreamError):
            await upstream.call("die")
        await until(lambda: upstream.state.kind == "ready")
        assert text_of(await upstream.call("count")) == "1"


async def test_a_call_that_is_never_answered_ends_at_its_time_limit_and_is_cancelled() -> None:
    async with ready(raw_config(timeout=0.3)) as upstream:
        with pytest.raises(UpstreamError) as failed:
            await upstream.call("hang")
        assert failed.value.kind == "timeout"
        assert text_of(await upstream.call("cancelled")) == "1"


async def test_a_call_that_hangs_holds_up_no_other() -> None:
    async with ready(raw_config()) as upstream, anyio.create_task_group() as tasks:
        tasks.start_soon(upstream.call, "hang")
        assert await answers(upstream)
        tasks.cancel_scope.cancel()


async def test_a_caller_who_leaves_cancels_the_servers_work() -> None:
    async with ready(raw_config()) as upstream:
        with anyio.move_on_after(0.2):
            await upstream.call("hang")
        assert text_of(await upstream.call("cancelled")) == "1"


async def test_garbage_for_an_answer_is_shown_as_an_error() -> None:
    async with ready(raw_config()) as upstream:
        result = await upstream.call("garbage")
        assert result.is_error
        assert '"result": "text"' in text_of(result)
        assert await answers(upstream)


async def test_a_malformed_result_is_shown_as_an_error_and_cut() -> None:
    async with ready(raw_config()) as upstream:
        result = await upstream.call("malformed", {"size": 50_000})
        assert result.is_error
        assert '"type": "nonsense"' in text_of(result)
        assert len(text_of(result)) < 11_000
        assert await answers(upstream)


async def test_a_result_that_does_not_fit_its_output_schema_passes() -> None:
    async with ready(raw_config()) as upstream:
        result = await upstream.call("mismatch")
        assert not result.is_error
        assert result.structured_content == {"n": "no number"}


async def test_an_error_of_the_server_keeps_its_code_and_data_and_shows_no_secret() -> None:
    async with ready(raw_config()) as upstream:
        with pytest.raises(UpstreamError) as failed:
            await upstream.call("refused")
        assert (failed.value.kind, failed.value.code, failed.value.data) == ("protocol", -32602, [1])
        assert failed.value.why == "[secret] is not permitted"
        assert await answers(upstream)


async def test_a_result_of_50_mb_is_an_error_that_says_its_size() -> None:
    async with ready(raw_config()) as upstream:
        result = await upstream.call("huge", {"size": 50_000_000})
        assert result.is_error
        assert "has 50,000,0" in text_of(result)
        assert "at most 20,971,520" in text_of(result)
        assert await answers(upstream)


async def test_a_result_within_the_limit_passes() -> None:
    async with ready(raw_config()) as upstream:
        assert len(text_of(await upstream.call("huge", {"size": 5_000_000}))) == 5_000_000


async def test_a_list_without_an_end_is_cut() -> None:
    async with ready(raw_config("endless")) as upstream:
        assert len(upstream.tools) == 5000
        assert await answers(upstream)


async def test_a_list_that_goes_in_a_circle_is_cut() -> None:
    async with ready(raw_config("circle")) as upstream:
        assert {tool.name for tool in upstream.tools} == {"echo", "mismatch"}
        assert await answers(upstream)


async def test_tools_renamed_during_a_call_leave_the_call_alone() -> None:
    async with ready(raw_config()) as upstream, anyio.create_task_group() as tasks:
        results: list[str] = []

        async def slow() -> None:
            results.append(text_of(await upstream.call("progress", {"steps": 2, "pause": 0.1})))

        tasks.start_soon(slow)
        await upstream.call("rename", {"to": ["other"]})
        await until(lambda: upstream.tools[0].name == "other")
        await until(lambda: results == ["done"])


async def test_a_server_that_never_answers_is_down_and_a_call_does_not_wait() -> None:
    async with started(Upstream(raw_config("silent", startup_timeout=0.5), QUICK)) as upstream:
        with pytest.raises(UpstreamError) as failed:
            await upstream.call("echo")
        assert failed.value.kind == "connecting"
        await until(lambda: upstream.state.kind == "down")
        assert upstream.state.why == "it did not start within 0.5 seconds"


async def test_a_command_that_does_not_exist_is_down() -> None:
    config = UpstreamConfig(name="none", source=Path("mcp.json"), transport="stdio", command="/no/such/command")
    async with started(Upstream(config, QUICK)) as upstream:
        await until(lambda: upstream.state.kind == "down")
        assert "/no/such/command" in upstream.state.why
