import json
from pathlib import Path
from typing import Any

import pytest

from server.catalog.loading import load_catalog
from server.errors import CatalogError
from server.paths import shipped_data
from tests.toy import AGENT_FILES, entry, write_data


def replace(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def test_agents_are_the_folders_in_alphabetical_order(toy_data: Path) -> None:
    catalog = load_catalog(toy_data)
    assert list(catalog.agents) == ["claude-code", "gemini-cli"]
    assert catalog.agents["gemini-cli"].info.vendor == "Google"


def test_capabilities_keep_the_order_of_their_file(toy_data: Path) -> None:
    assert list(load_catalog(toy_data).by_name) == ["Checkpoints", "MCP Support", "Vision"]


def test_an_entry_is_found_by_its_canonical_name_whatever_its_spelling(tmp_path: Path) -> None:
    files = AGENT_FILES | {"claude-code": {"agent": {"name": "C"}, "capabilities": [entry("mcp-support", "x")]}}
    catalog = load_catalog(write_data(tmp_path / "data", files))
    found = catalog.entry("claude-code", "MCP Support")
    assert found is not None
    assert found.available


def test_a_capability_that_no_agent_documents_has_no_entry(toy_data: Path) -> None:
    assert load_catalog(toy_data).entry("claude-code", "Vision") is None


def test_an_unlisted_capability_follows_the_listed_ones(tmp_path: Path) -> None:
    files = {"a": {"agent": {"name": "A"}, "capabilities": [entry("Telepathy", "magic")]}}
    catalog = load_catalog(write_data(tmp_path / "data", files))
    assert list(catalog.by_name)[-1] == "Telepathy"
    assert catalog.by_name["Telepathy"].definition == "Telepathy of this agent"


def test_the_agents_folder_itself_loads_like_its_parent(toy_data: Path) -> None:
    assert set(load_catalog(toy_data / "agents").agents) == {"claude-code", "gemini-cli"}


def test_a_folder_without_agents_is_refused_and_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="no agents in") as caught:
        load_catalog(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_agents_without_any_capability_are_refused(tmp_path: Path) -> None:
    files = {"a": {"agent": {"name": "A"}, "capabilities": []}}
    with pytest.raises(CatalogError, match="hold no capabilities"):
        load_catalog(write_data(tmp_path / "data", files, texts=False))


def test_a_bad_file_of_one_agent_is_named(toy_data: Path) -> None:
    path = toy_data / "agents" / "gemini-cli" / "capabilities" / "current.json"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(CatalogError) as caught:
        load_catalog(toy_data)
    assert str(caught.value).startswith(str(path))


def test_a_canonical_name_that_stands_twice_is_refused(toy_data: Path) -> None:
    twins = [{"name": "Vision", "category": "a"}, {"name": "VISION", "category": "a"}]
    replace(toy_data / "capabilities.json", {"capabilities": twins})
    with pytest.raises(CatalogError, match=r"capabilities\.json: capabilities\[1\]\.name 'VISION' repeats"):
        load_catalog(toy_data)


@pytest.mark.parametrize(
    ("name", "content"), [("aliases.json", {"x": "Nowhere"}), ("phrasings.json", {"phrasings": {"Nowhere": ["x"]}})]
)
def test_a_text_of_an_unknown_capability_is_refused_with_file_and_name(
    toy_data: Path, name: str, content: dict[str, Any]
) -> None:
    replace(toy_data / name, content)
    with pytest.raises(CatalogError) as caught:
        load_catalog(toy_data)
    assert str(caught.value).startswith(f"{toy_data / name} names capability 'Nowhere'")


def test_texts_may_spell_a_name_in_their_own_way(toy_data: Path) -> None:
    replace(toy_data / "aliases.json", {"screenshots": "vision"})
    replace(toy_data / "phrasings.json", {"phrasings": {"mcp_support": ["hook up"]}, "outOfScope": ["prices"]})
    catalog = load_catalog(toy_data)
    assert catalog.aliases == {"screenshots": ("Vision",)}
    assert catalog.phrasings == {"MCP Support": ("hook up",)}
    assert catalog.out_of_scope == ("prices",)


def test_the_shipped_folder_loads() -> None:
    catalog = load_catalog(shipped_data())
    assert list(catalog.agents) == sorted(path.name for path in (shipped_data() / "agents").iterdir())
