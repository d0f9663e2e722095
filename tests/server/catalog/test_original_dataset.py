"""A folder in the shape of `agents/` in earchibald/ai-agent-capabilities, which has nothing beside the agents."""

from pathlib import Path
from typing import Any

import pytest

from server.catalog.catalog import Catalog
from server.catalog.loading import load_catalog
from server.matching.service import open_service
from server.paths import shipped_data
from server.tools.lookup_capability import LookupRequest, lookup
from tests.toy import ToyEncoder, write_data


def original(name: str, category: str, **more: Any) -> dict[str, Any]:
    return {
        "category": category,
        "name": name,
        "description": f"{name}, as the dataset describes it",
        "available": True,
        "tier": "free",
        "maturityLevel": "stable",
        "status": "active",
        "sources": [
            {
                "url": "https://example.com/docs",
                "description": "the page",
                "verifiedDate": "2026-02-18",
                "sourceGranularity": "excerpt",
                "excerpt": "words of the page",
            }
        ],
        **more,
    }


def file_of(name: str, *capabilities: dict[str, Any]) -> dict[str, Any]:
    return {
        "agent": {
            "name": name,
            "vendor": "V",
            "version": "v1 (as of 2026-02-18)",
            "lastUpdated": "2026-02-18T05:00:00Z",
        },
        "capabilities": list(capabilities),
        "integrations": [{"platform": "Terminal CLI", "supported": True, "features": ["File operations"]}],
        "models": [{"name": "M", "provider": "V", "available": True, "tier": "free", "note": "default"}],
        "documentation": {"officialDocs": "https://example.com", "github": "https://example.com/git"},
    }


FILES = {
    "gemini-cli": file_of(
        "Gemini CLI", original("Agent Mode", "agent-orchestration"), original("Context Window", "context-awareness")
    ),
    "claude-code": file_of(
        "Claude Code", original("MCP Support", "api-integration"), original("Vision", "performance", terminology="Eyes")
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_data(tmp_path / "data", FILES, texts=False)


@pytest.fixture
def catalog(folder: Path) -> Catalog:
    return load_catalog(folder)


def test_it_loads_as_it_is(catalog: Catalog) -> None:
    entry = catalog.entry("gemini-cli", "Agent Mode")
    assert entry is not None
    assert (entry.tier, entry.implementation_notes, entry.sources[0].status) == ("free", None, "active")


def test_kindred_data_are_understood_by_the_shipped_vocabulary(catalog: Catalog) -> None:
    assert catalog.aliases["agent loop"] == ("Agent Mode",)
    assert set(catalog.phrasings) == set(load_catalog(shipped_data()).phrasings)
    assert catalog.phrasings


def test_its_own_capabilities_are_added_to_the_vocabulary(catalog: Catalog) -> None:
    assert list(catalog.by_name) == [*load_catalog(shipped_data()).by_name, "Context Window"]


def test_an_entry_that_is_missing_is_not_documented(catalog: Catalog) -> None:
    assert catalog.entry("claude-code", "Agent Mode") is None


def test_foreign_data_have_the_vocabulary_of_their_own_entries(tmp_path: Path) -> None:
    files = {"a": file_of("A", original("Juggling", "circus", terminology="Ball work"), original("Vaulting", "circus"))}
    catalog = load_catalog(write_data(tmp_path / "data", files, texts=False))
    assert list(catalog.by_name) == ["Juggling", "Vaulting"]
    assert catalog.aliases == {"Ball work": ("Juggling",)}
    assert catalog.phrasings == {}


def test_a_lookup_answers_from_it_without_notes_and_excerpts(tmp_path: Path) -> None:
    files = {"a": file_of("A", original("Juggling", "circus"))}
    service = open_service(write_data(tmp_path / "data", files, texts=False), lambda threads: ToyEncoder())
    service.matchers.load()
    answer = lookup(service, LookupRequest(agent="a", capability="juggling")).to_json()
    assert answer["capability"]["sources"] == [{"url": "https://example.com/docs", "verifiedDate": "2026-02-18"}]
    assert "implementationNotes" not in answer["capability"]
