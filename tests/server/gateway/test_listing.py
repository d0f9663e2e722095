from pathlib import Path

import pytest

from server.gateway.configuration.configurations import read_configurations
from server.gateway.listing import Listed, listed_tools
from server.gateway.tool_catalog.cached_lists import CachedLists
from tests.server.gateway.made_config import listed, started_config


async def of(config: Path) -> Listed:
    return await listed_tools(read_configurations([config]).upstreams)


@pytest.mark.processes
@pytest.mark.anyio
async def test_all_servers_are_started_once_and_their_tools_listed(tmp_path: Path) -> None:
    found = await of(started_config(tmp_path))
    assert [tool.name for tool in found.gateway_tools] == [
        "files__read_file",
        "files__delete_file",
        "calendar__add_event",
    ]
    assert sorted((tmp_path / "starts").read_text().split()) == ["calendar.json", "files.json"]
    assert found.missing == ()
    kept = {
        config.name: CachedLists().find(config) for config in read_configurations([tmp_path / "mcp.json"]).upstreams
    }
    assert {name: len(tools or ()) for name, tools in kept.items()} == {"files": 2, "calendar": 1}


@pytest.mark.processes
@pytest.mark.anyio
async def test_a_server_that_does_not_answer_is_told_and_the_others_are_listed(tmp_path: Path) -> None:
    found = await of(started_config(tmp_path, broken={"command": str(tmp_path / "none")}))
    assert sorted(found.to_json()) == ["calendar", "files"]
    (told,) = found.missing
    assert told.startswith("server 'broken' is down (")


@pytest.mark.processes
@pytest.mark.anyio
async def test_a_server_with_the_gateways_own_name_is_listed_under_the_name_that_the_gateway_gives_it(
    tmp_path: Path,
) -> None:
    config = started_config(tmp_path)
    config.write_text(config.read_text().replace('"calendar":', '"Gateway":'))
    assert sorted((await of(config)).to_json()) == ["files", "gateway-server"]


@pytest.mark.processes
@pytest.mark.anyio
async def test_tools_that_the_configuration_leaves_out_and_its_secrets_are_not_listed(tmp_path: Path) -> None:
    secret = "Removes a file"
    config = started_config(tmp_path, files={"excludeTools": ["read_*"], "env": {"API_KEY": secret}})
    assert [(tool.name, tool.tool.description) for tool in (await of(config)).gateway_tools][:1] == [
        ("files__delete_file", "[secret] for good")
    ]


def test_names_of_tools_do_not_depend_on_which_servers_answered() -> None:
    both = {"my files": {"read": ""}, "my-files": {"read": ""}}
    names = [tool.name for tool in listed(both).gateway_tools]
    assert [tool.name for tool in listed({**both, "my files": None}).gateway_tools] == names[1:]
