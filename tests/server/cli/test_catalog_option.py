"""`--catalog` of the commands that have it."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.server.lowlevel import Server

from server.catalog.folders import DATA_VARIABLE
from tests.server.cli.commands import Commands
from tests.server.label_catalog import CATALOG, METADATA, TOOLS, written


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Server[Any]]:
    servers: list[Server[Any]] = []
    monkeypatch.setattr("server.protocol.stdio.run_stdio", servers.append)
    monkeypatch.setattr("server.cli.serve_http.run_here", lambda app, host, port: servers.append(app))
    return servers


@pytest.fixture
def catalog(tmp_path: Path) -> str:
    return str(written(tmp_path / "catalog.json", CATALOG))


@pytest.fixture
def tools(tmp_path: Path) -> str:
    return str(written(tmp_path / "tools.json", TOOLS))


def test_a_match_has_the_labels_id_and_metadata(run: Commands, catalog: str) -> None:
    assert run("match", "rewind", "--top", "1", "--json", "--catalog", catalog) == 0
    (answer,) = run.objects()
    assert answer["matches"] == [
        {
            "name": "Checkpoints",
            "matchConfidence": 1.0,
            "matchedBy": "alias",
            "id": "id-0",
            "metadata": METADATA,
        }
    ]


def test_text_shows_the_ids_of_labels_whose_names_fold_alike(run: Commands, tools: str) -> None:
    assert run("match", "undo it", "--explain", "--catalog", tools) == 0
    for shown in ("undo_it [undo_it]  50%", "undo-it [undo-it]  50%", "undo_it [undo_it]: ", "look:"):
        assert shown in run.out
    assert "look [" not in run.out


def test_a_vector_file_of_tools_has_their_ids(run: Commands, tools: str, tmp_path: Path) -> None:
    vectors = str(tmp_path / "tools.npz")
    assert run("build-vectors", "--catalog", tools) == 0
    assert run("build-vectors", "--catalog", tools, "--check") == 0
    assert run("match", "undo-it", "--json", "--vectors", vectors) == 0
    assert run.objects()[0]["matches"][0]["id"] == "undo-it"


def test_a_check_finds_changed_metadata(run: Commands, catalog: str) -> None:
    assert run("build-vectors", "--catalog", catalog) == 0
    written(Path(catalog), {**CATALOG, "labels": [{**label, "id": ""} for label in CATALOG["labels"]]})
    assert run("build-vectors", "--catalog", catalog, "--check") == 1
    assert "ids or metadata" in run.err


def test_tools_are_measured(run: Commands, tools: str, tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text(json.dumps({"query": "see a picture", "gold": ["look"]}), encoding="utf-8")
    assert run("eval", "matcher", str(path), "--catalog", tools, "--json") == 0
    assert run.objects()[0]["rows"] == 1


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_catalog_file_is_served(
    run: Commands, catalog: str, served: list[Server[Any]], transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, "nowhere")
    assert run("serve", "--transport", transport, "--catalog", catalog) == 0
    assert len(served) == 1


def test_a_bad_catalog_file_is_the_callers_mistake_before_anything_is_served(
    run: Commands, catalog: str, served: list[Server[Any]]
) -> None:
    cases: list[tuple[Any, str]] = [
        ({"labels": [{"name": "Refund", "desription": ""}]}, "'description'"),
        ({"tools": []}, "has no tool that can be used"),
        ("nothing", "is 'nothing'"),
    ]
    for transport in ["stdio", "http"]:
        for content, told in cases:
            written(Path(catalog), content)
            assert run("serve", "--transport", transport, "--catalog", catalog) == 2, (transport, content)
            assert told in run.err, (transport, content)
            assert served == [], (transport, content)


def test_options_that_do_not_fit_a_catalog_file_are_refused(
    run: Commands, catalog: str, served: list[Server[Any]]
) -> None:
    cases: list[tuple[list[str], str]] = [
        (["--data", "x"], "not allowed with"),
        (["--dynamic-tools"], "--dynamic-tools was given with --catalog"),
        (["--profile", "none"], "names 'none'"),
    ]
    for options, told in cases:
        assert run("serve", "--catalog", catalog, *options) == 2, options
        assert told in run.err, options
        assert served == [], options


def test_a_blank_catalog_is_refused(run: Commands, served: list[Server[Any]]) -> None:
    assert run("serve", "--catalog", " ") == 2
    assert served == []
