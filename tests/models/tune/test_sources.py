"""The sets of pairs are read as catalogs embed their tools."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sets.sources import Source
from embeddings.errors import ModelError
from models.tune.sources import SOURCES, api_bench, api_zoo, checkout, known_tools, packages, read_pairs, seal_tools


def write(path: Path, content: Any, *, lines: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(map(json.dumps, content)) if lines else json.dumps(content)
    path.write_text(text, encoding="utf-8")


def write_seal_tools(root: Path) -> None:
    data = root / "Seal-Tools_Dataset"
    tools = [
        {"api_name": "bakeBread", "api_description": "Bake a loaf. Any flour.", "parameters": {}},
        {"api_name": "brewTea", "api_description": "Make a pot of tea", "parameters": {}},
    ]
    asked = {"query": "a loaf and tea, please", "calling": [{"api": "bakeBread"}, {"api": "brewTea"}]}
    write(data / "tool.jsonl", tools, lines=True)
    write(data / "dev.jsonl", [asked, {"query": "a cup", "calling": [{"api": "brewTea"}]}], lines=True)


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    write_seal_tools(tmp_path / "owner" / "seal")
    monkeypatch.setattr("models.tune.sources.SOURCES", (Source("owner/seal", "c0ffee", "MIT", (seal_tools,)),))
    return tmp_path


def test_each_tool_of_a_request_makes_a_pair_with_the_texts_that_a_catalog_embeds(sources: Path) -> None:
    both = [pair for pair in read_pairs(sources) if pair.request.startswith("a loaf")]
    assert [pair.tool for pair in both] == [
        ("bake Bread: Bake a loaf. Any flour.", "bake Bread", "Bake a loaf.", "Any flour."),
        ("brew Tea: Make a pot of tea", "brew Tea", "Make a pot of tea"),
    ]
    assert all(pair.all_tools == {each.tool[0] for each in both} for pair in both)


def test_what_is_measured_is_not_learned(sources: Path) -> None:
    assert {pair.request for pair in read_pairs(sources, without=["A  CUP"])} == {"a loaf and tea, please"}


def test_known_tools_are_read_with_their_descriptions_and_the_examples_that_ship(tmp_path: Path) -> None:
    lists = tmp_path / "lists.json"
    tools = [{"name": "git_status", "description": "Shows what changed."}, {"name": "git_log"}]
    write(lists, {"mcp-server-git": {"tools": tools}, "no-known-package": {"tools": tools}})
    (read,) = known_tools(lists)
    assert [(label.name, label.description) for label in read.labels] == [("git_status", "Shows what changed.")]
    assert len(read.queries) == 8
    assert {query.gold for query in read.queries} == {("git_status",)}


def test_pairs_of_known_tools_follow_those_of_the_public_sets(sources: Path) -> None:
    lists = sources / "lists.json"
    write(lists, {"mcp-server-git": {"tools": [{"name": "git_status", "description": "Shows what changed."}]}})
    pairs = read_pairs(sources, lists)
    assert [pair.source for pair in pairs] == ["seal-tools"] * 3 + ["known-tools"] * 8
    assert pairs[-1].tool[0] == "git status: Shows what changed."


def test_each_package_states_a_licence_that_allows_it() -> None:
    assert {told["license"] for told in packages().values()} == {"MIT", "ISC", "Apache-2.0"}
    assert all(told["version"] for told in packages().values())


@pytest.mark.processes
def test_a_source_that_cannot_be_cloned_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sources: Path
) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{tmp_path.as_uri()}/none/.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/")
    with pytest.raises(ModelError, match=r"owner/gone at c0ffee cannot be had .*--sources"):
        checkout(Source("owner/gone", "c0ffee", "MIT", ()), tmp_path / "new")


def test_requests_of_apibench_are_read_from_both_forms_of_its_answers(tmp_path: Path) -> None:
    api = {"functionality": "Image to Text", "api_name": "captions", "description": "Writes captions."}
    forms = [
        "{'Instruction': Say what is on my photo., 'Output': {}}",
        "###Instruction: Name what this shows.\n###Output",
    ]
    write(tmp_path / "data/apibench/x.json", [{"code": code, "api_data": api} for code in forms], lines=True)
    found = api_bench(tmp_path)
    assert [query.query for query in found.queries] == ["Say what is on my photo.", "Name what this shows."]
    assert {query.gold for query in found.queries} == {("Image to Text captions",)}


def test_a_file_of_api_zoo_that_is_no_json_is_passed_over(tmp_path: Path) -> None:
    api = {"api_name": "Mail - send", "functionality": "Sends a mail.", "questions": ["post this letter", 3]}
    write(tmp_path / "data/apizoo/a.json", api)
    (tmp_path / "data/apizoo/b.json").write_text("[{,]", encoding="utf-8")
    assert [query.query for query in api_zoo(tmp_path).queries] == ["post this letter"]


def test_every_source_names_a_commit_and_a_licence_that_allows_it() -> None:
    for source in SOURCES:
        assert len(source.commit) == 40, source
        assert source.licence == "Apache-2.0", source
