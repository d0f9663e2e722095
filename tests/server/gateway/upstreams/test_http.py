"""Upstreams over streamable HTTP in both eras, and over legacy SSE."""

import gzip
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client.session import ClientRequestContext
from mcp.server.lowlevel import Server
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import JSONResponse, Response

from server.gateway.upstreams import Forwarding, Upstream, UpstreamError
from server.gateway.upstreams.http import TooLargeError, _Limited, _Unpacked
from server.gateway.upstreams.message_costs import MAX_ENTRIES, MAX_VALUES
from tests.server.gateway.upstreams.running import QUICK, http_config, ready, started, text_of, until
from tests.server.gateway.upstreams.web_server import (
    App,
    MadeServer,
    Receive,
    Scope,
    Send,
    everything,
    legacy_only,
    over_sse,
    served,
)

pytestmark = pytest.mark.anyio


@dataclass
class Web:
    server: MadeServer
    url: str


def webs() -> Iterator[tuple[str, Web]]:
    """Servers over HTTP as they are spoken to in each era, one after the other."""
    for era in ("modern", "modern json", "legacy", "sse"):
        made = MadeServer()
        app = made.streamable_http_app(json_response=era == "modern json")
        apps = {"legacy": legacy_only(app), "sse": over_sse(made)}
        with served(apps.get(era, app)) as address:
            yield era, Web(made, f"{address}/mcp")


@pytest.fixture(params=["modern", "legacy"])
def streaming(request: pytest.FixtureRequest) -> Iterator[Web]:
    """Yield a server that can say something before its answer, in each era."""
    made = MadeServer()
    app = made.streamable_http_app()
    with served(legacy_only(app) if request.param == "legacy" else app) as address:
        yield Web(made, f"{address}/mcp")


async def test_all_lists_are_read() -> None:
    for era, web in webs():
        async with ready(http_config(web.url)) as upstream:
            assert [tool.name for tool in upstream.tools] == ["echo"], era
            assert [prompt.name for prompt in upstream.prompts] == ["greet"], era
            assert [resource.uri for resource in upstream.resources] == ["made://one"], era
            assert [template.name for template in upstream.resource_templates] == ["any"], era
            assert (upstream.info.name, upstream.info.instructions) == ("made", "made for tests"), era


async def test_a_server_of_tools_alone_stays_ready() -> None:
    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="echo", input_schema={"type": "object"})])

    with served(Server("plain", on_list_tools=list_tools).streamable_http_app()) as address:
        async with ready(http_config(f"{address}/mcp")) as upstream:
            await anyio.wait_all_tasks_blocked()
            assert (upstream.state.kind, [tool.name for tool in upstream.tools]) == ("ready", ["echo"])


async def test_a_result_passes_whole() -> None:
    for era, web in webs():
        async with ready(http_config(web.url)) as upstream:
            result = await upstream.call("everything")
        known = everything()
        assert (result.content, result.structured_content, result.is_error) == (known.content, {"answer": 42}, True), (
            era
        )
        assert (result.meta or {})["made.example/key"] == "kept", era


async def test_prompts_resources_and_completions_are_passed_on() -> None:
    for era, web in webs():
        async with ready(http_config(web.url)) as upstream:
            prompt = await upstream.get_prompt("greet", {"who": "Ada"})
            resource = await upstream.read_resource("made://one")
            argument = types.CompletionArgument(name="who", value="A")
            asked = types.CompleteRequestParams(ref=types.PromptReference(name="greet"), argument=argument)
            completed = await upstream.complete(asked)
        assert prompt.messages[0].content == types.TextContent(text="Hello Ada"), era
        assert resource.contents == [types.TextResourceContents(uri="made://one", text="content")], era
        assert completed.completion.values == ["Alice"], era


async def test_an_elicitation_is_put_to_the_caller(streaming: Web) -> None:
    async def elicit(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"message": params.message})

    async with ready(http_config(streaming.url)) as upstream:
        result = await upstream.call("ask", forward=Forwarding(elicit=elicit))
        assert text_of(result) == "accept {'message': 'Which?'}"
        assert text_of(await upstream.call("ask")) == "decline None"


async def test_an_elicitation_reaches_only_the_caller_of_its_request(streaming: Web) -> None:
    async def asked(name: str) -> None:
        async def elicit(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
            return types.ElicitResult(action="accept", content={"by": name})

        answers[name] = text_of(await upstream.call("ask", forward=Forwarding(elicit=elicit)))

    answers: dict[str, str] = {}
    async with ready(http_config(streaming.url)) as upstream, anyio.create_task_group() as tasks:
        for name in ("a", "b", "c"):
            tasks.start_soon(asked, name)
    assert answers == {name: f"accept {{'by': '{name}'}}" for name in ("a", "b", "c")}


async def test_an_answer_to_a_question_may_take_longer_than_the_call(streaming: Web) -> None:
    async def elicit(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        await anyio.sleep(1)
        return types.ElicitResult(action="decline")

    async with ready(http_config(streaming.url, timeout=0.8)) as upstream:
        assert text_of(await upstream.call("ask", forward=Forwarding(elicit=elicit))) == "decline None"


async def test_progress_and_log_messages_are_forwarded(streaming: Web) -> None:
    heard: list[object] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async def log(params: types.LoggingMessageNotificationParams) -> None:
        heard.append(params.data)

    forward = Forwarding(progress=on_progress, log=log, log_level="debug")
    async with ready(http_config(streaming.url)) as upstream:
        await upstream.call("progress", forward=forward)
        await upstream.call("log", forward=forward)
        await until(lambda: len(heard) == 2)
    assert heard == [(1, 2, "half"), "noted"]


async def test_a_legacy_server_is_told_a_log_level_once() -> None:
    made = MadeServer()
    with served(legacy_only(made.streamable_http_app())) as address:
        async with ready(http_config(f"{address}/mcp")) as upstream:
            for forward in (Forwarding(log_level="debug"), Forwarding(log_level="debug"), Forwarding()):
                await upstream.call("echo", forward=forward)
    assert made.levels == ["debug"]


async def test_a_session_ends_with_its_connection() -> None:
    methods: list[str] = []
    app = legacy_only(MadeServer().streamable_http_app())

    async def noting(scope: Scope, receive: Receive, send: Send) -> None:
        methods.append(scope.get("method", ""))
        await app(scope, receive, send)

    with served(noting) as address:
        async with ready(http_config(f"{address}/mcp")):
            assert "DELETE" not in methods
        assert methods[-1] == "DELETE"


async def test_a_caller_who_leaves_cancels_the_servers_work(streaming: Web) -> None:
    async with ready(http_config(streaming.url)) as upstream:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(upstream.call, "hang")
            await until(lambda: streaming.server.calls.get("hang"))
            tasks.cancel_scope.cancel()
        await until(lambda: streaming.server.cancelled)
        assert text_of(await upstream.call("echo", {"text": "right"})) == "right"


async def test_a_changed_list_is_taken_up(streaming: Web) -> None:
    async with ready(http_config(streaming.url)) as upstream:
        # The way for notifications opens beside the first requests.
        for attempt in range(1000):
            await upstream.call("rename", {"to": [f"new{attempt}"]})
            await anyio.sleep(0.05)
            if upstream.tools[0].name != "echo":
                return
    pytest.fail("the list stays as it was")


async def test_a_result_over_the_limit_is_an_error_that_says_so(streaming: Web) -> None:
    async with ready(http_config(streaming.url), replace(QUICK, message=2_000_000)) as upstream:
        result = await upstream.call("huge", {"size": 3_000_000})
        assert result.is_error
        assert "at most 2,000,000" in text_of(result)
        assert len(text_of(await upstream.call("huge", {"size": 1_500_000}))) == 1_500_000


async def test_a_result_of_more_parts_or_values_than_the_limit_is_an_error_that_says_so(streaming: Web) -> None:
    async with ready(http_config(streaming.url)) as upstream:
        for name, arguments, said in (
            ("parts", {"parts": MAX_ENTRIES + 1}, f"{MAX_ENTRIES + 1:,} entries in 'content'"),
            ("values", {"values": MAX_VALUES}, f"over {MAX_VALUES:,} values"),
        ):
            result = await upstream.call(name, arguments)
            assert result.is_error, name
            assert said in text_of(result), name
        assert len((await upstream.call("parts", {"parts": MAX_ENTRIES})).content) == MAX_ENTRIES
        assert text_of(await upstream.call("echo", {"text": "right"})) == "right"


async def test_a_json_body_of_more_values_than_the_limit_is_an_error_that_says_so() -> None:
    with served(MadeServer().streamable_http_app(json_response=True)) as address:
        async with ready(http_config(f"{address}/mcp")) as upstream:
            result = await upstream.call("values", {"values": MAX_VALUES})
            assert result.is_error
            assert f"over {MAX_VALUES:,} values" in text_of(result)
            assert text_of(await upstream.call("echo", {"text": "right"})) == "right"


async def test_a_json_body_over_the_limit_is_an_error_that_says_so() -> None:
    with served(MadeServer().streamable_http_app(json_response=True)) as address:
        async with ready(http_config(f"{address}/mcp"), replace(QUICK, message=2_000_000)) as upstream:
            result = await upstream.call("huge", {"size": 3_000_000})
            assert result.is_error
            assert "at most 2,000,000" in text_of(result)
            assert text_of(await upstream.call("echo", {"text": "right"})) == "right"


class Compressing:
    """An application that compresses its answers, whatever it was asked for."""

    def __init__(self, app: App):
        self._app = GZipMiddleware(app, minimum_size=0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = [header for header in scope.get("headers", ()) if header[0] != b"accept-encoding"]
        await self._app({**scope, "headers": [*asked, (b"accept-encoding", b"gzip")]}, receive, send)


async def test_a_compressed_body_is_read_and_counts_as_what_it_unpacks_to() -> None:
    with served(Compressing(MadeServer().streamable_http_app(json_response=True))) as address:
        async with ready(http_config(f"{address}/mcp"), replace(QUICK, message=2_000_000)) as upstream:
            result = await upstream.call("huge", {"size": 3_000_000})
            assert result.is_error
            assert "at most 2,000,000" in text_of(result)
            assert text_of(await upstream.call("echo", {"text": "right"})) == "right"


async def test_no_more_of_a_small_body_is_unpacked_than_the_limit() -> None:
    async def body() -> AsyncIterator[bytes]:
        yield gzip.compress(bytes(200_000_000))

    size = 0

    async def read() -> None:
        nonlocal size
        async for piece in _Limited(_Unpacked(body()), 20 << 20):
            size += len(piece)

    with pytest.raises(TooLargeError):
        await read()
    assert size <= 20 << 20


async def test_another_compression_is_refused_by_name() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        headers = {"content-encoding": "br", "content-type": "application/json"}
        await Response(b"{}", headers=headers)(scope, receive, send)

    with served(app) as address:
        async with started(Upstream(http_config(f"{address}/mcp"), QUICK)) as upstream:
            await until(lambda: upstream.state.kind == "down")
            assert "compresses with 'br', though it was asked not to" in upstream.state.why


async def test_a_server_that_goes_away_is_down() -> None:
    made = MadeServer()
    stack = ExitStack()
    address = stack.enter_context(served(made.streamable_http_app()))
    async with ready(http_config(f"{address}/mcp")) as upstream:
        await anyio.to_thread.run_sync(stack.close)
        with pytest.raises(UpstreamError) as failed:
            await upstream.call("echo")
        assert failed.value.kind == "died"
        assert upstream.state.kind == "down"
        assert [tool.name for tool in upstream.tools] == ["echo"]
    assert made.calls == {}


async def test_a_session_that_the_server_has_forgotten_is_opened_anew_and_the_call_not_repeated() -> None:
    made = MadeServer()
    known = legacy_only(made.streamable_http_app())
    forgetful = Forgetful(known)
    with served(forgetful) as address:
        async with ready(http_config(f"{address}/mcp")) as upstream:
            forgetful.forgotten = True
            with pytest.raises(UpstreamError) as failed:
                await upstream.call("echo")
            assert (failed.value.kind, failed.value.why) == ("died", "the server has ended the session")
            forgetful.forgotten = False
            await until(lambda: upstream.state.kind == "ready")
            assert made.calls == {}
            assert text_of(await upstream.call("echo", {"text": "right"})) == "right"


class Forgetful:
    """An application whose sessions can be forgotten."""

    def __init__(self, app: App):
        self._app, self.forgotten = app, False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (Response("no such session", 404) if self.forgotten else self._app)(scope, receive, send)


async def test_an_answer_over_legacy_sse_may_be_large_and_beyond_the_limit_ends_the_connection() -> None:
    with served(over_sse(MadeServer())) as address:
        async with ready(http_config(f"{address}/mcp"), replace(QUICK, message=3_000_000)) as upstream:
            assert len(text_of(await upstream.call("huge", {"size": 2_500_000}))) == 2_500_000
            with pytest.raises(UpstreamError) as failed:
                await upstream.call("huge", {"size": 3_500_000})
            assert failed.value.kind == "died"
            assert "3000000 byte limit" in failed.value.why
            await until(lambda: upstream.state.kind == "ready")
            assert text_of(await upstream.call("echo", {"text": "right"})) == "right"


async def test_a_call_whose_headers_are_refused_is_not_sent_again() -> None:
    made = MadeServer()
    strict = Strict(made.streamable_http_app())
    with served(strict) as address:
        async with ready(http_config(f"{address}/mcp")) as upstream:
            with pytest.raises(UpstreamError) as failed:
                await upstream.call("echo")
            assert (failed.value.kind, failed.value.code) == ("protocol", types.HEADER_MISMATCH)
    assert strict.refused == 1
    assert made.calls == {}


class Strict:
    """An application that refuses the headers of each call."""

    def __init__(self, app: App):
        self._app, self.refused = app, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if dict(scope.get("headers", ())).get(b"mcp-method") != b"tools/call":
            await self._app(scope, receive, send)
            return
        self.refused += 1
        error = {"code": types.HEADER_MISMATCH, "message": "stale"}
        await JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, 400)(scope, receive, send)


async def test_a_server_that_cannot_be_reached_is_down() -> None:
    async with started(Upstream(http_config("http://127.0.0.1:1/mcp"), QUICK)) as upstream:
        await until(lambda: upstream.state.kind == "down")
        assert upstream.state.why.startswith("ConnectError")


async def test_an_address_without_a_server_is_down_with_its_status() -> None:
    with served(Response("nothing here", 404)) as address:
        async with started(Upstream(http_config(f"{address}/mcp"), QUICK)) as upstream:
            await until(lambda: upstream.state.kind == "down")
            assert upstream.state.why == "HTTP 404 Not Found"
