"""The bundle's manifest says what the server is."""

import json
import tomllib

import pytest
from mcp import Client

from deploy.mcpb_manifest import ENTRY_POINT, bundled_project, manifest
from deploy.project import metadata, pins
from server.matching.service import open_service
from server.paths import shipped_data
from server.protocol.server import build_server
from server.toolset.start import PROFILE_VARIABLE, chosen_profile

MANIFEST = manifest("owner/name")


@pytest.mark.anyio
async def test_its_tools_are_those_that_a_host_is_shown() -> None:
    async with Client(build_server(open_service(shipped_data())), mode="auto") as client:
        shown = (await client.list_tools()).tools
    assert MANIFEST["tools"] == [{"name": tool.name, "description": tool.description} for tool in shown]


def test_its_version_and_licence_are_the_projects() -> None:
    assert MANIFEST["version"] == metadata()["version"]
    assert MANIFEST["license"] == metadata()["license"]
    assert MANIFEST["compatibility"]["runtimes"] == {"python": metadata()["requires-python"]}


def test_the_setting_that_a_host_offers_reaches_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = MANIFEST["server"]["mcp_config"]["env"]
    default = MANIFEST["user_config"]["profile"]["default"]
    assert environment == {PROFILE_VARIABLE: "${user_config.profile}"}
    monkeypatch.setenv(PROFILE_VARIABLE, default)
    assert chosen_profile(None) == chosen_profile("core")


def test_it_is_started_in_the_folder_it_was_unpacked_to() -> None:
    server = MANIFEST["server"]
    assert (server["type"], server["entry_point"]) == ("uv", ENTRY_POINT)
    assert server["mcp_config"]["args"] == ["run", "--directory", "${__dirname}", ENTRY_POINT]


def test_without_a_repository_it_names_none() -> None:
    assert "github.com" in json.dumps(MANIFEST)
    assert "github.com" not in json.dumps(manifest())


def test_a_repository_that_is_none_is_refused() -> None:
    for repository in ["owner", "owner/", "/name", "a/b/c"]:
        with pytest.raises(ValueError, match="OWNER/NAME"):
            manifest(repository)


def test_the_bundled_project_takes_the_wheel_beside_it_and_the_versions_of_a_release() -> None:
    made = tomllib.loads(bundled_project("x.whl"))
    assert made["project"]["dependencies"] == [metadata()["name"]]
    assert made["tool"]["uv"]["sources"] == {metadata()["name"]: {"path": "x.whl"}}
    assert made["tool"]["uv"]["constraint-dependencies"] == pins("requirements.txt")
