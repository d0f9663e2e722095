"""What a client's model pays for the definitions, in tokens of cl100k."""

import json
from pathlib import Path

import pytest
from mcp import Client
from rs_bpe import openai

from server.matching.service import Service, open_service
from server.protocol.server import build_server
from server.toolset.profiles import parse_profile
from server.toolset.start import Start
from tests.server.calls import MODES
from tests.toy import AGENT_FILES, ToyEncoder, write_data

CL100K = openai.cl100k_base()
BUDGETS = {("core", False): 400, ("full", False): 900, ("core", True): 700, ("full", True): 1_250}
"""By profile, and whether tools can be loaded; with four agents."""

MORE_FOR_AN_AGENT = {"core": 8, "full": 16}
NAMES = ("codex-cli", "cursor", "windsurf", "amazon-q-cli", "jetbrains-junie")

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("mode", MODES)]


async def definitions(service: Service, mode: str, start: Start) -> str:
    async with Client(build_server(service, start=start), mode=mode) as client:
        listed = (await client.list_tools()).tools
    assert listed
    kept = [{"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema} for tool in listed]
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize(("profile", "dynamic"), BUDGETS)
async def test_the_definitions_of_a_profile_stay_within_its_budget(
    shipped_service: Service, mode: str, profile: str, dynamic: bool
) -> None:
    listed = await definitions(shipped_service, mode, Start(parse_profile(profile), dynamic))
    more = len(shipped_service.catalog.agents) - 4
    assert CL100K.count(listed) <= BUDGETS[profile, dynamic] + more * MORE_FOR_AN_AGENT[profile]


@pytest.mark.parametrize("profile", MORE_FOR_AN_AGENT)
@pytest.mark.parametrize("name", NAMES)
async def test_one_more_agent_costs_little(tmp_path: Path, mode: str, profile: str, name: str) -> None:
    agents = dict.fromkeys((*AGENT_FILES, "claude-web", "gemini-web"), AGENT_FILES["claude-code"])
    start = Start(parse_profile(profile))
    counts = []
    for folder, files in (("few", agents), ("more", agents | {name: AGENT_FILES["claude-code"]})):
        service = open_service(write_data(tmp_path / folder, files), lambda threads: ToyEncoder())
        counts.append(CL100K.count(await definitions(service, mode, start)))
    assert 0 < counts[1] - counts[0] <= MORE_FOR_AN_AGENT[profile]
