"""The text of the pages, read without scripts."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from server.catalog.loading import load_catalog
from server.paths import shipped_data
from server.web.answers import catalog as answers
from server.web.site import FILES, slugs
from tests.server.web.site.sites import Site, one_entry, site_of, toy_site
from tests.toy import source


@pytest.fixture(scope="module")
def shipped() -> Site:
    return site_of(load_catalog(shipped_data()))


@pytest.fixture
def toy(tmp_path: Path) -> Site:
    return toy_site(tmp_path)


def test_the_matrix_has_every_capability_and_agent(shipped: Site) -> None:
    catalog = load_catalog(shipped_data())
    text = shipped.pages["index.html"].text
    assert all(f"\n{capability.name}\n" in text for capability in catalog.capabilities)
    assert all(agent.info.name in text for agent in catalog.agents.values())
    cells = len(catalog.agents) * len(catalog.capabilities)
    assert len([tag for tag in shipped.pages["index.html"].tags if tag.name == "td"]) == cells


def test_a_capabilitys_page_has_every_text_of_its_entries(shipped: Site) -> None:
    catalog = load_catalog(shipped_data())
    addresses = slugs(catalog.by_name)
    for agent in catalog.agents.values():
        for name, entry in agent.entries.items():
            page = shipped.pages[f"capabilities/{addresses[name]}.html"]
            notes = entry.implementation_notes
            wanted = [entry.description, *entry.limitations, *entry.requirements, *(notes.gotchas if notes else ())]
            wanted += [source.description or source.url for source in entry.sources]
            assert all(" ".join(text.split()) in page.text for text in wanted), (agent.id, name)


def test_a_capabilitys_page_answers_the_questions_about_it_with_the_sentence_that_says_so(shipped: Site) -> None:
    catalog = load_catalog(shipped_data())
    page = shipped.pages["capabilities/checkpoints.html"].text
    for agent in catalog.agents.values():
        for facet in catalog.facets["Checkpoints"]:
            cell = agent.cells[f"Checkpoints/{facet.id}"]
            asked = " ".join(f"{facet.question}\n{cell.verdict or cell.value}: {cell.because}".split())
            assert asked in " ".join(page.split()), (agent.id, facet.id)


def test_a_cell_says_plan_and_maturity_or_what_is_lacking(toy: Site) -> None:
    text = toy.pages["index.html"].text
    assert "Checkpoints\npro, stable\n2026-08-22\nfree, stable\n2026-08-22" in text
    assert "MCP Support\npro, stable\n2026-08-22\nnot available\n2026-08-22" in text
    assert "Vision\nnot documented\npro, stable\n2026-08-22" in text


def test_a_capabilitys_page_has_aliases_sources_and_agents_without_an_entry(toy: Site) -> None:
    assert "Claude Code\nNot documented: the catalog says nothing of it." in toy.pages["capabilities/vision.html"].text
    page = toy.pages["capabilities/checkpoints.html"]
    assert "the page (read 2026-08-22)" in page.text
    assert "https://example.com/docs" in page.values("href")
    assert "Also called: rewind, snapshots" in toy.pages["capabilities/checkpoints.html"].text


def test_a_source_without_a_date_says_so_with_its_status(tmp_path: Path) -> None:
    undated = {"url": "https://example.com/x", "status": "modified"}
    page = toy_site(tmp_path, one_entry(sources=[undated])).pages["capabilities/checkpoints.html"]
    assert "https://example.com/x (not dated, modified)" in page.text


def test_what_ages_fast_is_marked(tmp_path: Path) -> None:
    limits = [{"text": "100 a day", "volatile": True}, "no undo"]
    page = toy_site(tmp_path, one_entry(limitations=limits)).pages["capabilities/checkpoints.html"]
    assert "Limits\n100 a day (ages fast)\nno undo\n" in page.text
    assert "Pro, stable; 2026-08-22; ages fast." in page.text


def test_releases_from_and_until_which_an_entry_holds_are_told(tmp_path: Path) -> None:
    agents = one_entry(since="1.2", until="2.0")
    agents["one"]["asOf"] = {"version": "1.5", "date": "2026-01-01"}
    page = toy_site(tmp_path, agents).pages["capabilities/checkpoints.html"]
    assert "Pro, stable; 2026-08-22; since 1.2; until 2.0." in page.text


def test_categories_come_with_what_they_are_about(tmp_path: Path) -> None:
    capabilities = {
        "capabilities": [{"name": "Checkpoints", "category": "a", "definition": "go back"}],
        "categories": {"a": "what agents do by themselves"},
    }
    found = toy_site(tmp_path, one_entry(), capabilities=capabilities, aliases={}, phrasings={})
    assert "\na\nwhat agents do by themselves\n" in found.pages["index.html"].text


def test_the_answers_beside_the_page_are_those_of_its_api(tmp_path: Path) -> None:
    files, catalog = toy_site(tmp_path).files, load_catalog(tmp_path)
    about, agents, entries = (json.loads(files[f"api/{name}.json"]) for name in ("about", "agents", "entries/vision"))
    assert {about["catalog"], agents.pop("catalog"), entries.pop("catalog")} == {about["catalog"]}
    assert about["views"] == ["agents"]
    assert about["addresses"] == {"Checkpoints": "checkpoints", "MCP Support": "mcp-support", "Vision": "vision"}
    assert agents == as_json(answers.matrix(catalog))
    assert entries == {agent: as_json(answers.entry(catalog, agent, "Vision")) for agent in catalog.agents}


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def test_the_page_has_every_module_that_its_views_import(shipped: Site) -> None:
    elsewhere = {"try.js", "map.js", "health.js", "labels.js"}  # views that a site does not offer
    for name in FILES:
        if name.endswith(".js"):
            script = shipped.files[f"page/{name}"].decode()
            wanted = set(re.findall(r'(?:from |import\()"\./([a-z_]+\.js)"', script)) - elsewhere
            assert wanted <= set(FILES), name


def test_the_same_catalog_gives_the_same_bytes_and_the_first_view_is_small(shipped: Site) -> None:
    assert site_of(load_catalog(shipped_data())).files == shipped.files
    first = ["index.html", *(path for path in shipped.files if path.startswith("page/"))]
    assert sum(len(gzip.compress(shipped.files[path])) for path in first) < 60_000


def test_a_source_that_was_never_dated_leaves_no_date(tmp_path: Path) -> None:
    page = toy_site(tmp_path, one_entry(sources=[])).pages["index.html"]
    assert source()["verifiedDate"] not in page.text
