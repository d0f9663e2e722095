"""Results of tools, with links that can be read through the gateway, and errors."""

from collections.abc import Mapping
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from server.errors import Parts
from server.gateway.upstreams.forwarding import Forwarding
from server.gateway.upstreams.states import UpstreamError
from tests.server.gateway.forwarding.fakes import FakeUpstream, connected, text_of

pytestmark = pytest.mark.anyio

LISTED = types.Resource(uri="https://listed.example/x", name="listed")


def answering(*content: types.ContentBlock, **more: Any) -> FakeUpstream:
    async def script(_: Forwarding, __: str, ___: Mapping[str, Any]) -> types.CallToolResult:
        return types.CallToolResult(content=list(content), **more)

    return FakeUpstream(script=script, resources=(LISTED,), contents={"file:///x": "the file"})


def link(uri: str) -> types.ResourceLink:
    return types.ResourceLink(uri=uri, name="linked")


async def linked(uri: str) -> str:
    async with connected(answering(link(uri))) as client:
        (block,) = (await client.call_tool("find", {})).content
    assert isinstance(block, types.ResourceLink)
    return block.uri


async def test_links_and_embedded_resources_have_the_gateways_address() -> None:
    async with connected(answering(link("file:///x"))) as client:
        (block,) = (await client.call_tool("find", {})).content
        assert isinstance(block, types.ResourceLink)
        (part,) = (await client.read_resource(block.uri)).contents
    assert isinstance(part, types.TextResourceContents)
    assert (part.uri, part.text) == ("gateway://travel/file:///x", "the file")
    embedded = types.EmbeddedResource(resource=types.TextResourceContents(uri="file:///x", text="the file"))
    async with connected(answering(embedded)) as client:
        (block,) = (await client.call_tool("find", {})).content
    assert isinstance(block, types.EmbeddedResource)
    assert isinstance(block.resource, types.TextResourceContents)
    assert (block.resource.uri, block.resource.text) == ("gateway://travel/file:///x", "the file")


async def test_web_links_lead_through_the_gateway_only_if_the_upstream_lists_them() -> None:
    for uri in ["https://example.com/x", "HTTP://example.com/x", "data:text/plain,x"]:
        assert await linked(uri) == uri, uri
    assert await linked(LISTED.uri) == "gateway://travel/https://listed.example/x"


async def test_everything_else_of_a_result_passes_as_it_is() -> None:
    upstream = answering(
        types.TextContent(type="text", text="file:///x"),
        types.ImageContent(type="image", data="aGk=", mime_type="image/png"),
        structured_content={"link": "file:///x"},
        is_error=True,
        _meta={"made.example/x": 1},
    )
    async with connected(upstream) as client:
        result = await client.call_tool("find", {})
    assert [block.type for block in result.content] == ["text", "image"]
    assert (result.structured_content, result.is_error) == ({"link": "file:///x"}, True)
    assert (result.meta or {})["made.example/x"] == 1


async def test_an_upstream_without_an_answer_is_an_error_that_the_model_reads() -> None:
    upstream = FakeUpstream(error=UpstreamError("travel", "down", "it exited with code 3"))
    async with connected(upstream) as client:
        result = await client.call_tool("find", {})
    assert result.is_error
    assert Parts.of(text_of(result)).rule.startswith("it exited with code 3")


async def test_an_address_that_the_user_must_open_first_stays_a_protocol_error() -> None:
    data = {"elicitations": [{"mode": "url", "url": "https://example.com/in", "elicitationId": "1", "message": "?"}]}
    error = UpstreamError("travel", "protocol", "sign in", code=types.URL_ELICITATION_REQUIRED, data=data)
    async with connected(FakeUpstream(error=error)) as client:
        with pytest.raises(MCPError) as raised:
            await client.call_tool("find", {})
    assert (raised.value.error.code, raised.value.error.data) == (types.URL_ELICITATION_REQUIRED, data)


async def test_a_fault_of_the_gateway_shows_no_details(caplog: pytest.LogCaptureFixture) -> None:
    async with connected(FakeUpstream(error=RuntimeError("inner state"))) as client:
        with pytest.raises(MCPError, match="its log says why") as raised:
            await client.call_tool("find", {})
    assert raised.value.error.code == types.INTERNAL_ERROR
    assert "inner state" in caplog.text
