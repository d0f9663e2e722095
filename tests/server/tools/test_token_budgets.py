"""What a client's model pays for the definitions, in tokens of cl100k."""

import json

import pytest
from mcp import Client
from rs_bpe import openai

from server.matching.service import Service
from server.protocol.server import build_server
from server.toolset.profiles import parse_profile
from server.toolset.start import Start
from tests.server.calls import MODES

CL100K = openai.cl100k_base()
BUDGETS = {"core": 600, "full": 1_800}

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]


async def definitions(service: Service, mode: str, start: Start) -> str:
    async with Client(build_server(service, start=start), mode=mode) as client:
        listed = (await client.list_tools()).tools
    assert listed
    kept = [{"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema} for tool in listed]
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize(("profile", "most"), BUDGETS.items())
async def test_the_definitions_of_a_profile_stay_within_its_budget(
    service: Service, mode: str, profile: str, most: int, dynamic: bool
) -> None:
    assert CL100K.count(await definitions(service, mode, Start(parse_profile(profile), dynamic))) <= most
