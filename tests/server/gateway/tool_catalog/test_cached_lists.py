"""The last known tools of each upstream."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server.gateway.configuration.upstream_config import UpstreamConfig
from server.gateway.tool_catalog import cached_lists
from server.gateway.tool_catalog.cached_lists import CachedLists, identity, redacted_tool
from server.gateway.tool_catalog.gateway_tool import gateway_tools
from server.matching import vector_cache as cache_folder_module
from server.matching.vector_cache import CACHE_VARIABLE, cache_folder
from tests.server.gateway.tool_catalog.tools import tool

SECRET = 'planted "secret" ü'
CONFIG = UpstreamConfig(
    "files",
    Path(".mcp.json"),
    "stdio",
    command="npx",
    args=("-y", "server-files", f"--token={SECRET}"),
    env={"TOKEN": SECRET},
    secrets=frozenset({SECRET}),
)


def test_the_next_start_knows_the_tools() -> None:
    tools = (
        tool("read", "Reads.", title="Read", annotations={"readOnlyHint": True}, outputSchema={"type": "object"}),
        tool("日本", inputSchema={"type": "object", "properties": {"a": {"enum": [1, None]}}}),
    )
    CachedLists().keep(CONFIG, tools)
    found = CachedLists().find(CONFIG)
    assert found == tools
    assert found is not None
    assert gateway_tools({"files": found}) == gateway_tools({"files": tools})


def test_no_list_and_an_empty_list_are_told_apart() -> None:
    assert CachedLists().find(CONFIG) is None
    CachedLists().keep(CONFIG, ())
    assert CachedLists().find(CONFIG) == ()


def test_upstreams_that_are_reached_otherwise_have_lists_of_their_own() -> None:
    cases: list[dict[str, Any]] = [
        {"name": "other"},
        {"transport": "http"},
        {"command": "uvx"},
        {"args": ("-y", "server-git")},
        {"url": "https://example.com/mcp"},
        {"cwd": Path("elsewhere")},
    ]
    for change in cases:
        assert identity(replace(CONFIG, **change)) != identity(CONFIG), change
    other = replace(CONFIG, args=("-y", "server-files", "--token=another"), secrets=frozenset({"another"}))
    assert identity(other) == identity(CONFIG)


def test_a_secret_that_an_upstream_repeats_is_not_stored() -> None:
    schema = {"properties": {SECRET: {"default": [SECRET]}}}
    CachedLists().keep(CONFIG, [tool("read", f"Reads with {SECRET}.", title=SECRET, inputSchema=schema)])
    written = "".join(path.read_text(encoding="utf-8") for path in cache_folder().rglob("*.json"))
    assert "[secret]" in written
    assert "planted" not in written


def test_a_tool_without_secrets_stays_as_it_is() -> None:
    found = redacted_tool(tool(f"read {SECRET}", f"with {SECRET}"), CONFIG.secrets)
    assert (found.name, found.description) == (f"read {SECRET}", "with [secret]")
    given = tool("read", "Reads.", icons=[{"src": "https://example.com/a.png"}])
    assert redacted_tool(given, frozenset()) is given


def test_what_is_too_large_for_models_is_not_stored() -> None:
    large = tool("read", inputSchema={"description": "a" * 200_000})
    CachedLists().keep(CONFIG, [large])
    found = CachedLists().find(CONFIG)
    assert found is not None
    assert found[0].input_schema == {"type": "object"}
    assert redacted_tool(large, CONFIG.secrets).input_schema == large.input_schema


def test_a_damaged_list_is_not_used() -> None:
    for content in ["{", "[]", '{"tools": 5}', '{"tools": [{"name": 5}]}']:
        CachedLists().keep(CONFIG, [tool("read")])
        (path,) = cache_folder().rglob("*.json")
        path.write_text(content, encoding="utf-8")
        assert CachedLists().find(CONFIG) is None, content


def test_a_flood_of_tools_is_not_stored(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(cached_lists, "LARGEST", 1000)
    CachedLists().keep(CONFIG, [tool(f"read{number}") for number in range(50)])
    assert CachedLists().find(CONFIG) is None
    assert "more than 1,000 bytes" in caplog.text


def test_the_oldest_lists_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_lists, "MAX_FILES", 2)
    configs = [replace(CONFIG, name=f"server{number}") for number in range(4)]
    for age, config in enumerate(configs):
        CachedLists().keep(config, [])
        newest = max(cache_folder().rglob("*.json"), key=lambda path: path.stat().st_mtime)
        os.utime(newest, (age, age))
    assert [CachedLists().find(config) for config in configs] == [None, None, (), ()]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_user_can_read_a_list() -> None:
    CachedLists().keep(CONFIG, [])
    (path,) = cache_folder().rglob("*.json")
    assert oct(path.stat().st_mode & 0o777) == "0o600"


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    CachedLists(tmp_path / "file").keep(CONFIG, [])
    assert "the next start does not know the tools of 'files'" in caplog.text


def test_without_a_cache_folder_nothing_is_kept_and_it_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setattr(cache_folder_module, "user_cache_dir", lambda *_, **__: "~/.cache/agent-capabilities")
    lists = CachedLists()
    lists.keep(CONFIG, [tool("read")])
    assert lists.find(CONFIG) is None
    assert "lists of tools are not kept" in caplog.text
