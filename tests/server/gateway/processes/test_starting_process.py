"""Searches while the servers of a gateway start, in the seconds that people would wait."""

import time
from itertools import pairwise
from pathlib import Path
from typing import Final

import anyio
import pytest
from mcp import Client

from tests.server.gateway.processes.running_gateway import client, raw_entry, written

pytestmark = [pytest.mark.anyio, pytest.mark.processes, pytest.mark.slow]

UNTIL: Final = 25.0
"""Seconds of searches: the last server is there after 12, and after 20 none is waited for any more."""


async def searched(gateway: Client, need: str, began: float) -> tuple[float, str, list[str], list[str]]:
    """Return when a search was answered, its decision, its tools, and the servers that were missing."""
    answer = (await gateway.call_tool("search_tools", {"need": need})).structured_content
    assert answer is not None
    names = [tool["name"] for tool in answer["tools"]]
    return time.monotonic() - began, answer["decision"], names, [each["server"] for each in answer.get("missing", ())]


async def test_no_search_is_final_before_the_server_that_has_the_answer_is_there(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        notes=raw_entry("lists=write_note,read_note"),
        files=raw_entry("lists=list_directory", "late=3"),
        sums=raw_entry("lists=add_two_numbers", "late=12"),
        never=raw_entry("silent"),
    )
    began, found = time.monotonic(), []
    async with client(file) as gateway:
        while time.monotonic() - began < UNTIL:
            found.append(await searched(gateway, "add two numbers", began))
            await anyio.sleep(0.5)
        read = await searched(gateway, "read a note", began)
    there = next(number for number, (_, _, tools, _) in enumerate(found) if "sums__add_two_numbers" in tools)
    assert {decision for _, decision, _, _ in found[:there]} == {"ambiguous"}
    assert 11 < found[there][0] < 16
    assert all(tools[0] == "sums__add_two_numbers" for _, _, tools, _ in found[there:])
    assert found[-1][1:] == ("resolved", ["sums__add_two_numbers"], ["never"])
    assert read[1:] == ("resolved", ["notes__read_note"], ["never"])
    assert max(after[0] - before[0] for before, after in pairwise(found)) < 3
