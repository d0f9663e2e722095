"""Skills through a gateway in its own process, between FastMCP's server and FastMCP's client."""

import sys
from pathlib import Path

import anyio
import pytest

pytest.importorskip("fastmcp")
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.skills import SkillsClientExtension

from server.paths import shipped_data
from tests.server.gateway.processes.running_gateway import command, environment, written
from tests.server.gateway.skills.made_skills import write_skill

pytestmark = [pytest.mark.anyio, pytest.mark.processes]

SERVER = """
from fastmcp import FastMCP
from fastmcp.skills import Skill
from fastmcp.skills.provider import SkillCatalogProvider

server = FastMCP("office")
skills = [Skill(name="letters", description="Writes a letter in the house style.", instructions="Begin with the date.")]
server.add_provider(SkillCatalogProvider(skills))
server.run(show_banner=False)
"""


async def test_fastmcps_client_verifies_the_skills_of_a_folder_and_of_fastmcps_server(tmp_path: Path) -> None:
    write_skill(tmp_path / "skills", "pdf-forms", "Fills in a PDF form.", "# How", {"fields.md": b"more"})
    (tmp_path / "office.py").write_text(SERVER, encoding="utf-8")
    config = written(tmp_path, office={"command": sys.executable, "args": [str(tmp_path / "office.py")]})
    program, *arguments = command([config], "--skills", str(tmp_path / "skills"))
    transport = StdioTransport(program, arguments, env=environment(), cwd=str(shipped_data().parent))
    async with Client(transport, extensions=[SkillsClientExtension()]) as client:
        found = (await client.call_tool("find_skill", {"need": "tick the boxes of this pdf"})).structured_content
        with anyio.fail_after(30):
            # The server takes longer to start than a list of skills waits for it.
            while len(listed := await client.list_skills(cache_mode="bypass")) < 2:
                await anyio.sleep(0.1)
        read = {skill.uri: await client.read_skill(skill.uri) for skill in listed}
    assert found
    assert found["skills"][0]["name"] == "pdf-forms"
    assert {uri: sorted(skill.files) for uri, skill in read.items()} == {
        "skill://pdf-forms/SKILL.md": ["SKILL.md", "fields.md"],
        "gateway://office/skill://letters/SKILL.md": ["SKILL.md"],
    }
