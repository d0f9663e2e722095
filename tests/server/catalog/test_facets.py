"""Facets and cells are refused where they are wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.catalog.catalog import Catalog
from server.catalog.loading import load_catalog
from server.errors import CatalogError
from tests.toy import AGENT_FILES, entry, write_data

PAGE = "https://example.com/docs"
FACETS = {"Checkpoints": [{"id": "shell", "question": "Are shell changes undone?"}]}
CELL: dict[str, Any] = {"facet": "Checkpoints/shell", "verdict": "no", "because": "not-shell", "source": PAGE}


def load(folder: Path, *cells: dict[str, Any], facets: Any = FACETS) -> Catalog:
    said = [{"id": "not-shell", "text": "Shell changes are not undone."}]
    ours = {
        "agent": AGENT_FILES["claude-code"]["agent"],
        "capabilities": [entry("Checkpoints", "agent-orchestration", details=said)],
    }
    data = write_data(folder / "data", {"claude-code": ours})
    (data / "facets.json").write_text(json.dumps({"facets": facets}), encoding="utf-8")
    (data / "agents" / "claude-code" / "cells.json").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    return load_catalog(data)


def refusal(folder: Path, *cells: dict[str, Any], facets: Any = FACETS) -> str:
    with pytest.raises(CatalogError) as caught:
        load(folder, *cells, facets=facets)
    return str(caught.value)


def test_a_cell_has_the_sentence_that_it_names(tmp_path: Path) -> None:
    cell = load(tmp_path, CELL).agents["claude-code"].cells["Checkpoints/shell"]
    assert (cell.verdict, cell.because, cell.source) == ("no", "Shell changes are not undone.", PAGE)


def test_a_wrong_cell_is_refused_with_its_file_and_place(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"because": "gone"}, ".because is 'gone'"),
        ({"because": None}, ".because is None"),
        ({"source": "https://example.com/other"}, ".source is 'https://example.com/other'"),
        ({"facet": "Checkpoints/other"}, ".facet is 'Checkpoints/other'"),
        ({"verdict": None}, "has neither verdict and value"),
        ({"verdict": None, "value": "Esc"}, "its facet asks for a verdict"),
    ]
    for number, (change, told) in enumerate(cases):
        message = refusal(tmp_path / str(number), CELL | change)
        assert "cells.json: cells[0]" in message, change
        assert told in message, change


def test_a_facet_narrows_a_known_one_of_another_capability(tmp_path: Path) -> None:
    for number, narrowed in enumerate(("Checkpoints/other", "Checkpoints/shell", "Vision/gone")):
        facets = {"Checkpoints": [*FACETS["Checkpoints"], {"id": "mine", "question": "Mine?", "narrows": [narrowed]}]}
        message = refusal(tmp_path / str(number), facets=facets)
        assert f"facets.json: 'Checkpoints/mine' narrows {narrowed!r}; it can narrow a facet of another" in message


def test_two_cells_for_one_facet_are_refused(tmp_path: Path) -> None:
    assert "cells[1].facet 'Checkpoints/shell' has two cells" in refusal(tmp_path, CELL, CELL)


def test_two_facets_of_one_id_and_an_unknown_capability_are_refused(tmp_path: Path) -> None:
    twice = {"Checkpoints": FACETS["Checkpoints"] * 2}
    assert "two facets 'shell'" in refusal(tmp_path / "one", facets=twice)
    assert "facets.'Flying' is of no capability" in refusal(tmp_path / "two", facets={"Flying": FACETS["Checkpoints"]})
