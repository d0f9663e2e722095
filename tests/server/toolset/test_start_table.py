import re
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND

from server.matching.service import Service
from server.tools.families import CHOOSABLE, META
from server.toolset.registry import TOOLS
from server.toolset.start import parse_profile
from tests.server.calls import MODERN, MODES
from tests.server.toolset.starts import CALLS, PROFILES, answer, connected, manifest, names, started

asynchronous = pytest.mark.anyio


@dataclass(frozen=True)
class Seen:
    """One client's view of one start: the tools of the list, and the manifest by each way there is to it."""

    profile: str
    dynamic: bool
    listed: list[str]
    documents: list[dict[str, Any]]

    @property
    def everything(self) -> list[str]:
        return [tool.name for tool in TOOLS if self.dynamic or tool.family != META]


async def look(service: Service, profile: str, dynamic: bool, mode: str) -> Seen:
    async with connected(service, mode, started(profile, dynamic=dynamic)) as client:
        return Seen(profile, dynamic, await names(client), await documents(client, dynamic=dynamic))


async def documents(client: Client, *, dynamic: bool) -> list[dict[str, Any]]:
    return [await manifest(client), *([await answer(client, "capabilities")] if dynamic else [])]


def counted(document: dict[str, Any]) -> tuple[int, int, int]:
    """Return how many tools a summary says are visible, are there, and are not loaded."""
    summary = document["summary"]
    found = re.match(r"(\d+) of (\d+) tools are advertised in tools/list .*? The other (\d+) are listed", summary)
    assert found, summary
    visible, total, unloaded = map(int, found.groups())
    return visible, total, unloaded


STARTS = [(profile, dynamic, mode) for profile in PROFILES for dynamic in (False, True) for mode in MODES]


@pytest.fixture(scope="module")
def all_seen(session_service: Service) -> list[Seen]:
    """Return what a client sees of every start."""
    return [anyio.run(look, session_service, *start) for start in STARTS]


def test_the_summary_counts_what_the_list_shows(all_seen: list[Seen]) -> None:
    for seen in all_seen:
        visible, total = len(seen.listed), len(seen.everything)
        assert len(seen.documents) == 1 + seen.dynamic, seen
        for document in seen.documents:
            assert counted(document) == (visible, total, total - visible), seen


def test_the_summary_names_the_profile(all_seen: list[Seen]) -> None:
    for seen in all_seen:
        label = parse_profile(seen.profile).label
        for document in seen.documents:
            assert f"under the current profile ({label})." in document["summary"], seen


def test_families_are_loaded_where_the_list_shows_their_tools(all_seen: list[Seen]) -> None:
    for seen in all_seen:
        for document in seen.documents:
            families = document["families"]
            assert [family["name"] for family in families] == [*CHOOSABLE, *([META] if seen.dynamic else [])], seen
            assert [tool for family in families for tool in family["tools"]] == seen.everything, seen
            assert [tool for family in families if family["loaded"] for tool in family["tools"]] == seen.listed, seen


def test_tools_are_loaded_where_the_list_shows_them(all_seen: list[Seen]) -> None:
    for seen in all_seen:
        for document in seen.documents:
            assert [tool["name"] for tool in document["tools"]] == seen.everything, seen
            assert [tool["name"] for tool in document["tools"] if tool["loaded"]] == seen.listed, seen
            assert [tool["name"] for tool in document["tools"] if tool["callable_now"]] == seen.listed, seen


@asynchronous
async def test_every_tool_is_callable_exactly_if_it_says_so(subtests: pytest.Subtests, service: Service) -> None:
    for dynamic in [False, True]:
        for profile in ["core", "match,catalog", "full"]:
            with subtests.test(dynamic=dynamic, profile=profile):
                async with connected(service, MODERN, started(profile, dynamic=dynamic)) as client:
                    for tool in (await manifest(client))["tools"]:
                        if tool["callable_now"]:
                            await answer(client, tool["name"])
                        else:
                            with pytest.raises(MCPError) as caught:
                                await client.call_tool(tool["name"], CALLS[tool["name"]])
                            assert caught.value.error.code == METHOD_NOT_FOUND


@asynchronous
async def test_a_start_advertises_as_many_tools_as_it_is_said_to(
    subtests: pytest.Subtests, session_service: Service
) -> None:
    for profile, dynamic, advertised, total in [
        ("core", False, 4, 9),
        ("full", False, 9, 9),
        ("core", True, 8, 13),
        ("full", True, 13, 13),
    ]:
        with subtests.test(profile=profile, dynamic=dynamic, advertised=advertised, total=total):
            async with connected(session_service, MODERN, started(profile, dynamic=dynamic)) as client:
                assert len(await names(client)) == advertised
                assert counted(await manifest(client)) == (advertised, total, total - advertised)


@asynchronous
async def test_the_document_follows_what_is_loaded(subtests: pytest.Subtests, session_service: Service) -> None:
    for mode in MODES:
        with subtests.test(mode=mode):
            async with connected(session_service, mode, started(dynamic=True)) as client:
                for family in CHOOSABLE:
                    await answer(client, "load_family", {"family": family})
                    listed = await names(client)
                    for document in await documents(client, dynamic=True):
                        assert counted(document) == (len(listed), 13, 13 - len(listed))
                        assert [tool["name"] for tool in document["tools"] if tool["loaded"]] == listed
                assert len(listed) == {"legacy": 13, "auto": 8}[mode]


@asynchronous
async def test_the_user_is_told_of_the_same_tools_without_those_that_load_others(
    subtests: pytest.Subtests, session_service: Service
) -> None:
    for mode in MODES:
        with subtests.test(mode=mode):
            async with connected(session_service, mode, started("decide", dynamic=True)) as client:
                listed = await names(client)
                told = (await manifest(client))["to_describe_to_user"]
            assert told.startswith(f"I can directly use {len(listed) - 4} agent-capability tools right now (")
            assert f"{13 - len(listed)} more (" in told
