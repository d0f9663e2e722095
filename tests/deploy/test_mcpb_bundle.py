"""The bundle, made by the official tool, unpacked and run as a host would run it."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from deploy.build_mcpb import lay_out, pack
from deploy.project import ROOT, metadata
from server.toolset.registry import TOOLS
from server.toolset.start import PROFILE_VARIABLE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.anyio,
    pytest.mark.skipif(not shutil.which("npx"), reason="needs npx of Node.js"),
    pytest.mark.skipif(not shutil.which("uv"), reason="needs uv"),
]
pytest.importorskip("hatchling", reason="needs the build backend")


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder / "wheels")]
    subprocess.run(build, cwd=ROOT, check=True)
    (wheel,) = (folder / "wheels").iterdir()
    lay_out(folder / "laid-out", wheel, "owner/name")
    bundle = pack(folder / "laid-out", folder)
    assert bundle.name == f"{metadata()['name']}-{metadata()['version']}.mcpb"
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder / "unpacked")
    return folder / "unpacked"


def started(folder: Path, profile: str) -> StdioServerParameters:
    """Start the server as a host does with the manifest."""
    config: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["server"]["mcp_config"]

    def filled(text: str) -> str:
        return text.replace("${__dirname}", str(folder)).replace("${user_config.profile}", profile)

    environment = os.environ | {name: filled(value) for name, value in config["env"].items()}
    environment["UV_PYTHON"] = sys.executable
    return StdioServerParameters(
        command=config["command"], args=[filled(word) for word in config["args"]], env=environment
    )


async def test_the_unpacked_server_answers(unpacked: Path) -> None:
    async with Client(stdio_client(started(unpacked, "core")), mode="auto") as client:
        arguments = {"agent": "claude-code", "capability": "can it undo what it did?"}
        answer = (await client.call_tool("lookup_capability", arguments)).structured_content
    assert answer
    assert answer["capability"]["name"] == "Checkpoints"


async def test_the_setting_of_the_host_chooses_the_tools(unpacked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PROFILE_VARIABLE, raising=False)
    async with Client(stdio_client(started(unpacked, "decide")), mode="auto") as client:
        shown = {tool.name for tool in (await client.list_tools()).tools}
    assert shown == {tool.name for tool in TOOLS if tool.family in {"core", "decide"}}
