"""Cost of the definitions to a client's model, in tokens of cl100k."""

import json
from pathlib import Path

import pytest
from mcp import Client
from rs_bpe import openai

from server.matching.service import Service, open_service
from server.protocol.server import build_server
from server.toolset.start import Start, parse_profile
from tests.server.calls import MODERN
from tests.toy import AGENT_FILES, ToyEncoder, write_data

CL100K = openai.cl100k_base()
BUDGETS = {("core", False): 400, ("full", False): 900, ("core", True): 700, ("full", True): 1_250}
"""By profile, and whether tools can be loaded; with four agents."""

MORE_FOR_AN_AGENT = {"core": 8, "full": 16}
NAMES = ("codex-cli", "cursor", "windsurf", "amazon-q-cli", "jetbrains-junie")

pytestmark = [pytest.mark.anyio, pytest.mark.measures]


async def definitions(service: Service, start: Start) -> str:
    async with Client(build_server(service, start=start), mode=MODERN) as client:
        listed = (await client.list_tools()).tools
    assert listed
    kept = [{"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema} for tool in listed]
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


async def test_the_definitions_of_a_profile_stay_within_its_budget(shipped_service: Service) -> None:
    for (profile, dynamic), budget in BUDGETS.items():
        listed = await definitions(shipped_service, Start(parse_profile(profile), dynamic))
        more = len(shipped_service.catalog.agents) - 4
        assert CL100K.count(listed) <= budget + more * MORE_FOR_AN_AGENT[profile], (profile, dynamic)


async def test_one_more_agent_costs_little(tmp_path: Path) -> None:
    for profile, most in MORE_FOR_AN_AGENT.items():
        for name in NAMES:
            agents = dict.fromkeys((*AGENT_FILES, "claude-web", "gemini-web"), AGENT_FILES["claude-code"])
            start = Start(parse_profile(profile))
            counts = []
            for folder, files in (("few", agents), ("more", agents | {name: AGENT_FILES["claude-code"]})):
                service = open_service(
                    write_data(tmp_path / profile / name / folder, files), lambda threads: ToyEncoder()
                )
                counts.append(CL100K.count(await definitions(service, start)))
            assert 0 < counts[1] - counts[0] <= most, (profile, name)
