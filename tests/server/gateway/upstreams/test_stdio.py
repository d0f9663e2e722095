"""Upstreams over stdio: what they have, what passes, and what legacy servers get wrong."""

import json
import logging
from dataclasses import replace

import mcp_types as types
import pytest
from mcp.client.session import ClientRequestContext

from server.gateway.skills.skill import EXTENSION
from server.gateway.upstreams import Forwarding, UpstreamError
from tests.server.gateway.upstreams.running import QUICK, SECRET, raw_config, ready, text_of, until

pytestmark = [pytest.mark.anyio, pytest.mark.processes]


async def test_a_server_is_listed_and_called() -> None:
    async with ready(raw_config()) as upstream:
        assert [tool.name for tool in upstream.tools] == ["echo", "mismatch"]
        assert (upstream.info.name, upstream.info.version) == ("raw", "1.2")
        assert text_of(await upstream.call("echo", {"text": "hello"})) == "hello"


async def test_elicitation_and_skills_alone_are_declared() -> None:
    async with ready(raw_config()) as upstream:
        declared: dict[str, object] = {"elicitation": {"form": {}, "url": {}}, "extensions": {EXTENSION: {}}}
        assert json.loads(upstream.info.instructions) == declared


async def test_a_banner_on_standard_output_is_skipped() -> None:
    async with ready(raw_config("banner")) as upstream:
        assert text_of(await upstream.call("echo", {"text": "a"})) == "a"


async def test_a_server_that_ends_when_asked_for_a_newer_protocol_is_asked_for_the_legacy_one() -> None:
    async with ready(raw_config("ends_at_discover")) as upstream:
        assert text_of(await upstream.call("echo", {"text": "a"})) == "a"


async def test_a_malformed_tool_does_not_hide_the_others_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async with ready(raw_config("bad_tool")) as upstream:
        assert [tool.name for tool in upstream.tools] == ["echo", "mismatch"]
        assert upstream.left_out == ("5",)
    assert "server 'raw' lists 1 entries that are not as the protocol has them ('5'); they are left out" in caplog.text


async def test_a_schema_of_arguments_that_does_not_say_that_they_are_an_object_is_taken_to_mean_it() -> None:
    async with ready(raw_config("untyped")) as upstream:
        assert upstream.tools[-1].input_schema == {"type": "object", "properties": {"n": {"type": "integer"}}}
        assert upstream.left_out == ()


async def test_standard_error_goes_to_the_log_at_debug_without_secrets(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "server.gateway"):
        async with ready(raw_config("noise")):
            await until(lambda: "wrote to stderr: ready" in caplog.text)
    assert "server raw wrote to stderr: using [secret]" in caplog.text
    assert SECRET not in caplog.text
    assert {record.levelno for record in caplog.records if "wrote" in record.message} == {logging.DEBUG}


async def test_a_server_gets_the_variables_of_its_configuration_and_not_all_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "ours")
    async with ready(raw_config(env={"GIVEN": "yes"})) as upstream:
        assert text_of(await upstream.call("environment", {"name": "GIVEN"})) == "yes"
        assert text_of(await upstream.call("environment", {"name": "SOME_API_KEY"})) == "None"


async def test_pings_are_answered() -> None:
    async with ready(raw_config()) as upstream:
        assert text_of(await upstream.call("ping")) == "{}"


async def test_sampling_is_refused() -> None:
    async with ready(raw_config()) as upstream:
        assert "not supported" in text_of(await upstream.call("sample"))


async def test_an_elicitation_is_declined_without_someone_to_ask() -> None:
    async with ready(raw_config()) as upstream:
        assert json.loads(text_of(await upstream.call("ask")))["action"] == "decline"


async def test_an_elicitation_is_put_to_the_caller() -> None:
    async def elicit(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert params.message == "Which?"
        return types.ElicitResult(action="accept", content={"answer": "this"})

    async with ready(raw_config()) as upstream:
        answer = json.loads(text_of(await upstream.call("ask", forward=Forwarding(elicit=elicit))))
        assert answer == {"action": "accept", "content": {"answer": "this"}}


async def test_log_messages_are_forwarded_to_the_caller() -> None:
    heard: list[object] = []

    async def log(params: types.LoggingMessageNotificationParams) -> None:
        heard.append(params.data)

    async with ready(raw_config()) as upstream:
        await upstream.call("log", forward=Forwarding(log=log))
    assert heard == ["noted"]


async def test_progress_is_forwarded_and_extends_the_time_limit() -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with ready(raw_config(timeout=1.5)) as upstream:
        result = await upstream.call("progress", {"steps": 6, "pause": 0.4}, Forwarding(progress=on_progress))
    assert text_of(result) == "done"
    assert heard == [(step, 6, "on") for step in range(1, 7)]


async def test_progress_does_not_extend_a_call_beyond_the_longest_time() -> None:
    async with ready(raw_config(timeout=10), replace(QUICK, call=0.5)) as upstream:
        with pytest.raises(UpstreamError, match="no answer in time"):
            await upstream.call("progress", {"steps": 100, "pause": 0.1})


async def test_the_meta_of_a_request_and_of_its_result_pass() -> None:
    async with ready(raw_config()) as upstream:
        result = await upstream.call("meta", forward=Forwarding(meta={"mine": "kept"}))
    assert result.meta == {"got": "kept"}


async def test_a_changed_list_is_taken_up() -> None:
    async with ready(raw_config()) as upstream:
        told: list[int] = []
        upstream.on_change = lambda changed: told.append(len(changed.tools))
        await upstream.call("rename", {"to": ["new", "newer"]})
        await until(lambda: [tool.name for tool in upstream.tools] == ["new", "newer", "mismatch"])
    assert told[0] == 3
