from pathlib import Path

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from server.matching.service import Service
from server.protocol.server import build_server
from tests.server.calls import MODES

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]


class Broken(Service):
    def _checked(self, phrase: str) -> str:
        raise RuntimeError(f"secret of {Path.home()}")


@pytest.fixture
def broken(service: Service) -> Service:
    return Broken(service.catalog, service.matchers, service.loader)


async def test_an_unknown_tool_is_a_protocol_error_with_the_nearest(service: Service, mode: str) -> None:
    async with Client(build_server(service), mode=mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("look_up_capabilty", {})
    assert caught.value.error.code == INVALID_PARAMS
    assert "nearest: lookup_capability" in caught.value.error.message
    assert caught.value.error.data["reason"] == "unknown_tool"
    assert caught.value.error.data["nearest"][0] == "lookup_capability"


async def test_a_senseless_tool_name_is_refused_in_few_words(
    service: Service, mode: str, subtests: pytest.Subtests
) -> None:
    for name in ["", "🙂", "x" * 10_000]:
        with subtests.test(name=name):
            async with Client(build_server(service), mode=mode) as client:
                with pytest.raises(MCPError) as caught:
                    await client.call_tool(name, {})
            assert len(caught.value.error.message) < 500


async def test_a_fault_of_a_tool_is_logged_and_not_shown(
    broken: Service, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with Client(build_server(broken), mode=mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("compare_capability", {"capability": "Vision"})
    assert caught.value.error.code == INTERNAL_ERROR
    assert caught.value.error.message == "compare_capability failed inside the server; its log says why"
    assert "secret of" in caplog.text


async def test_a_fault_of_a_resource_is_logged_and_not_shown(
    broken: Service, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with Client(build_server(broken), mode=mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource("capabilities://gemini-cli/Vision")
    assert caught.value.error.code == INTERNAL_ERROR
    assert "secret" not in caught.value.error.message
    assert "secret of" in caplog.text


async def test_the_server_goes_on_after_a_fault(broken: Service, mode: str) -> None:
    async with Client(build_server(broken), mode=mode) as client:
        with pytest.raises(MCPError):
            await client.call_tool("compare_capability", {"capability": "Vision"})
        assert not (await client.call_tool("list_capabilities", {"agent": "gemini"})).is_error
