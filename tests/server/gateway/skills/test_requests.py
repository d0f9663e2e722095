"""`skills/list` and `skills/get` of a gateway, and skills as resources."""

import hashlib
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from server.errors import Parts
from server.gateway.skills.skill import (
    EXTENSION,
    GetSkillParams,
    GetSkillRequest,
    GetSkillResult,
    ListSkillsRequest,
    ListSkillsResult,
)
from server.toolset.permissions import Allowlist
from tests.server.gateway.made_upstreams import git, running
from tests.server.gateway.skills.made_skills import entry, skilled, write_skill

pytestmark = [pytest.mark.anyio]
OFFICE = "gateway://office/skill://undo/SKILL.md"


async def listed(client: Client) -> list[Any]:
    request = ListSkillsRequest(params=types.PaginatedRequestParams())
    return [entry.root for entry in (await client.session.send_request(request, ListSkillsResult)).skills]


async def got(client: Client, uri: str) -> Any:
    request = GetSkillRequest(params=GetSkillParams(uri=uri))
    return (await client.session.send_request(request, GetSkillResult)).skill


async def text(client: Client, uri: str) -> str:
    (part,) = (await client.read_resource(uri)).contents
    assert isinstance(part, types.TextResourceContents)
    return part.text


async def test_skills_of_folders_and_of_servers_are_listed_got_and_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_skill(tmp_path, "see", "look at a picture", "body")
    made = {"git": git(), "office": skilled(("undo", "take back"))}
    async with running(monkeypatch, made, skills=[tmp_path]) as gateway, gateway.client() as client:
        skills = await listed(client)
        assert [skill["uri"] for skill in skills] == ["skill://see/SKILL.md", OFFICE]
        for skill in skills:
            assert await got(client, skill["uri"]) == skill
            (file,) = skill["resources"]
            content = (await text(client, file["uri"])).encode()
            assert (f"sha256:{hashlib.sha256(content).hexdigest()}", len(content)) == (file["digest"], file["size"])
        assert "skill://see/SKILL.md" in [each.uri for each in (await client.list_resources()).resources]
        assert EXTENSION in (client.server_capabilities.extensions or {})


async def test_a_skill_that_its_server_does_not_list_can_be_got(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"office": skilled(("undo", "take back"), unlisted=["skill://undo/SKILL.md"])}
    async with running(monkeypatch, made) as gateway, gateway.client() as client:
        assert await listed(client) == []
        assert (await got(client, OFFICE))["frontmatter"]["name"] == "undo"


async def test_an_unknown_skill_is_an_invalid_parameter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write_skill(tmp_path, "see", "look at a picture")
    made = {"office": skilled(("undo", "take back"))}
    async with running(monkeypatch, made, skills=[tmp_path]) as gateway, gateway.client() as client:
        for uri in ["skill://redo/SKILL.md", "gateway://office/skill://redo/SKILL.md", "gateway://none/skill://x", ""]:
            with pytest.raises(MCPError) as raised:
                await got(client, uri)
            assert raised.value.error.code == types.INVALID_PARAMS, uri
            assert str(Parts.of(raised.value.error.message)) == raised.value.error.message, uri


async def test_entries_that_are_not_as_the_extension_has_them_are_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = skilled(("undo", "take back"))
    made.skills = [*made.skills, entry("see") | {"resources": None}, entry("plug") | {"uri": "skill://x/SKILL.md"}]
    async with running(monkeypatch, {"office": made}) as gateway, gateway.client() as client:
        assert [skill["uri"] for skill in await listed(client)] == [OFFICE]
        with pytest.raises(MCPError, match="not as the extension has it"):
            await got(client, "gateway://office/skill://see/SKILL.md")
    assert caplog.text.count("it is left out") == 2


async def test_a_caller_is_told_of_permitted_servers_skills_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"office": skilled(("undo", "take back")), "home": skilled(("see", "look at a picture"))}
    start = {"allowlist": Allowlist({"*": frozenset({"home"})})}
    async with running(monkeypatch, made, start=start) as gateway, gateway.client() as client:
        assert [skill["uri"] for skill in await listed(client)] == ["gateway://home/skill://see/SKILL.md"]
        with pytest.raises(MCPError, match="no skill is served"):
            await got(client, OFFICE)
        result = await client.call_tool("find_skill", {"need": "undo"})
        assert "take back" not in str(result)


async def test_a_client_of_an_older_protocol_gets_skills_as_resources_and_through_the_tool_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_skill(tmp_path, "see", "look at a picture", "body")
    async with running(monkeypatch, {"git": git()}, skills=[tmp_path]) as gateway, gateway.client("legacy") as client:
        assert not client.server_capabilities.extensions
        with pytest.raises(MCPError) as raised:
            await listed(client)
        assert raised.value.error.code == types.METHOD_NOT_FOUND
        assert "body" in await text(client, "skill://see/SKILL.md")
        assert "find_skill" in [tool.name for tool in (await client.list_tools()).tools]


async def test_without_resources_nothing_of_skills_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"office": skilled(("undo", "take back"))}
    async with running(monkeypatch, made, resources=False) as gateway, gateway.client() as client:
        assert not client.server_capabilities.extensions
        assert "find_skill" not in [tool.name for tool in (await client.list_tools()).tools]
