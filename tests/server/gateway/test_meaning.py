"""Needs in plain words, with the shipped model: what a server's tools serve is found, and nothing else."""

from collections.abc import Mapping
from typing import Any

import pytest

from embeddings.encoder.encoder import Encoder
from tests.server.gateway.made_upstreams import Made, Running, running
from tests.server.gateway.tool_catalog.tools import tool
from tests.server.toolset.starts import answer

pytestmark = [pytest.mark.anyio, pytest.mark.measures]

SERVERS: Mapping[str, Mapping[str, str]] = {
    "git": {
        "git_status": "Shows the working tree status",
        "git_commit": "Records changes to the repository",
        "git_diff_staged": "Shows changes that are staged for commit",
        "git_create_branch": "Creates a new branch from an optional base branch",
    },
    "files": {
        "read_text_file": "Read the complete contents of a file from the file system as text.",
        "write_file": "Create a new file or completely overwrite an existing file with new content.",
        "list_directory": "Get a detailed listing of all files and directories in a specified path.",
        "move_file": "Move or rename files and directories.",
    },
    "time": {
        "get_current_time": "Get current time in a specific timezone",
        "convert_time": "Convert time between timezones",
    },
    "fetch": {"fetch": "Fetches a URL from the internet and optionally extracts its contents as markdown."},
}
FOUND = {
    "what time is it in Tokyo": "time__get_current_time",
    "rename notes.txt to old.txt": "files__move_file",
    "make a branch for the new feature": "git__git_create_branch",
    "what is in this folder": "files__list_directory",
    "download https://example.com": "fetch__fetch",
}
NOTHING = ("book me a flight to Lisbon", "what's the capital of France", "tell me a joke")


async def search(gateway: Running, need: str) -> dict[str, Any]:
    async with gateway.client() as client:
        return await answer(client, "search_tools", {"need": need})


async def decided(gateway: Running) -> tuple[set[str], list[str]]:
    """Return the needs whose tool is not offered, and what is decided of those that no tool serves."""
    found = {need: await search(gateway, need) for need in FOUND}
    missed = {need for need in FOUND if FOUND[need] not in [each["name"] for each in found[need]["tools"]]}
    return missed, [(await search(gateway, need))["decision"] for need in NOTHING]


def servers() -> dict[str, Made]:
    return {server: Made([tool(*each) for each in tools.items()]) for server, tools in SERVERS.items()}


async def test_needs_find_their_tools_and_others_find_none(
    monkeypatch: pytest.MonkeyPatch, shipped_encoder: Encoder
) -> None:
    async with running(monkeypatch, servers(), encoder=shipped_encoder, known_tools=False) as gateway:
        assert await decided(gateway) == (set(), ["no_match"] * 3)


async def test_with_the_examples_of_known_tools_needs_find_their_tools_and_far_ones_find_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running(monkeypatch, servers(), encoder=Encoder.load()) as gateway:
        missed, (flight, *far) = await decided(gateway)
    assert missed == set()
    assert far == ["no_match"] * 2
    # A flight is near to what is asked of times in two places, but no tool is said to book it.
    assert flight != "resolved"
