"""Resources have the answers of tools of the core, so whoever may not use those may not read these."""

import pytest
from mcp.shared.exceptions import MCPError

from server.matching.service import Service
from tests.server.calls import MODERN
from tests.server.toolset.permissions import start_for
from tests.server.toolset.starts import connected, manifest

pytestmark = pytest.mark.anyio

ADDRESSES = ("capabilities://claude-code/Checkpoints", "capabilities://category/performance")


async def test_an_answer_of_a_tool_that_is_not_permitted_cannot_be_read(
    service: Service, subtests: pytest.Subtests
) -> None:
    for address in ADDRESSES:
        with subtests.test(address=address):
            async with connected(service, MODERN, start_for(("decide",))) as client:
                with pytest.raises(MCPError):
                    await client.read_resource(address)


async def test_an_answer_of_a_permitted_tool_can_be_read(service: Service) -> None:
    for address in ADDRESSES:
        async with connected(service, MODERN, start_for(("core",))) as client:
            assert (await client.read_resource(address)).contents, address


async def test_answers_of_tools_that_are_not_permitted_are_not_listed(service: Service) -> None:
    async with connected(service, MODERN, start_for(("decide",))) as client:
        assert [item.uri for item in (await client.list_resources()).resources] == ["capabilities://manifest"]
        assert (await client.list_resource_templates()).resource_templates == []


async def test_the_manifest_is_everyones(service: Service) -> None:
    async with connected(service, MODERN, start_for(("decide",))) as client:
        assert (await manifest(client))["agent_permitted_families"] == ["decide", "meta"]
