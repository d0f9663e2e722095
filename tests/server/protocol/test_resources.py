import json
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, TextResourceContents

from server.matching.service import Service
from server.protocol.server import build_server
from server.tools.list_capabilities import ListRequest, list_
from server.tools.lookup_capability import LookupRequest, lookup
from tests.server.calls import MODES

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]


async def read(service: Service, mode: str, uri: str) -> dict[str, Any]:
    async with Client(build_server(service), mode=mode) as client:
        (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    assert content.mime_type == "application/json"
    answer: dict[str, Any] = json.loads(content.text)
    return answer


async def test_the_listed_resources_are_the_manifest_and_the_categories(service: Service, mode: str) -> None:
    async with Client(build_server(service), mode=mode) as client:
        listed = (await client.list_resources()).resources
    categories = ("agent-orchestration", "api-integration", "performance")
    assert [resource.uri for resource in listed] == [
        "capabilities://manifest",
        *(f"capabilities://category/{name}" for name in categories),
    ]


async def test_every_listed_resource_can_be_read(service: Service, mode: str) -> None:
    async with Client(build_server(service), mode=mode) as client:
        for resource in (await client.list_resources()).resources:
            assert (await client.read_resource(resource.uri)).contents


async def test_the_templates_are_category_and_capability(service: Service, mode: str) -> None:
    async with Client(build_server(service), mode=mode) as client:
        listed = (await client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in listed] == [
        "capabilities://category/{category}",
        "capabilities://{agent}/{capability}",
    ]


async def test_a_category_is_the_answer_of_the_list(service: Service, mode: str) -> None:
    expected = list_(service, ListRequest(category="performance")).to_json()
    assert await read(service, mode, "capabilities://category/performance") == expected


async def test_a_capability_is_the_answer_of_the_lookup(service: Service, mode: str) -> None:
    expected = lookup(service, LookupRequest(agent="claude-code", capability="MCP Support")).to_json()
    assert await read(service, mode, "capabilities://claude-code/MCP%20Support") == expected


async def test_a_capability_may_be_any_phrase(service: Service, mode: str) -> None:
    answer = await read(service, mode, "capabilities://gemini/restore%20what%20was%20there")
    assert (answer["agent"], answer["capability"]["name"]) == ("gemini-cli", "Checkpoints")


async def test_a_bad_address_is_the_callers_error_and_says_what_would_do(
    service: Service, mode: str, subtests: pytest.Subtests
) -> None:
    for uri, told in [
        ("capabilities://nobody/Vision", "covered agents: claude-code, gemini-cli"),
        ("capabilities://category/cooking", "known: agent-orchestration, api-integration, performance"),
        ("capabilities://claude-code/%20", "blank"),
        ("capabilities://claude-code", "capabilities://{agent}/{capability}"),
        ("file:///etc/passwd", "capabilities://category/{category}"),
    ]:
        with subtests.test(uri=uri, told=told):
            async with Client(build_server(service), mode=mode) as client:
                with pytest.raises(MCPError) as caught:
                    await client.read_resource(uri)
            assert caught.value.error.code == INVALID_PARAMS
            assert caught.value.error.data == {"uri": uri}
            assert told in caught.value.error.message
