"""Examples kept beside the configuration."""

import json
from pathlib import Path
from typing import Any

import pytest

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from server.gateway.tool_catalog.examples import (
    examples_path,
    read_examples,
    write_examples,
    written_examples,
)
from tests.server.gateway.tool_catalog.tools import offered

TOOLS = offered(read="Reads.", write="Writes.")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return examples_path(tmp_path / ".mcp.json")


def test_examples_stand_alone_beside_the_configuration(tmp_path: Path, path: Path) -> None:
    assert examples_path(tmp_path / ".mcp.json") == tmp_path / "gateway-examples.json"
    write_examples(path, TOOLS, {"files__read": ["show the file"]})
    assert list(path.parent.iterdir()) == [path]


def test_examples_survive_a_restart_and_changes_of_other_tools(path: Path) -> None:
    write_examples(path, TOOLS, {"files__read": ["show the file"]})
    write_examples(path, TOOLS, {"files__write": ["save it"]})
    now = offered(read="Reads.", write="Sends.", more="More.")
    assert read_examples([path], now) == {"files__read": ("show the file",)}


def test_examples_of_another_description_are_not_used_but_kept(path: Path) -> None:
    write_examples(path, TOOLS, {"files__read": ["show the file"]})
    changed = offered(read="Sends.")
    write_examples(path, changed, {"files__read": ["send it"]})
    assert read_examples([path], changed) == {"files__read": ("send it",)}
    assert read_examples([path], TOOLS) == {"files__read": ("show the file",)}


def test_new_examples_replace_old_ones_and_the_first_file_counts(path: Path, tmp_path: Path) -> None:
    for text in ("old", "new"):
        write_examples(path, TOOLS, {"files__read": [text]})
    assert read_examples([path], TOOLS) == {"files__read": ("new",)}
    other = tmp_path / "other.json"
    write_examples(path, TOOLS, {"files__read": ["first"]})
    write_examples(other, TOOLS, {"files__read": ["second"], "files__write": ["third"]})
    found = read_examples([tmp_path / "missing.json", path, other], TOOLS)
    assert found == {"files__read": ("first",), "files__write": ("third",)}


def test_a_file_of_another_form_has_no_examples(path: Path) -> None:
    for content in ["[", "[]", '{"tools": []}', '{"tools": {"files__read": 5}}']:
        path.write_text(content, encoding="utf-8")
        assert read_examples([path], TOOLS) == {}, content


def test_examples_are_bounded_and_cleaned(path: Path) -> None:
    cases: list[tuple[Any, tuple[str, ...]]] = [
        (["a\u200bb", "ab", 5, " ", None], ("ab",)),
        (["x" * 600], ("x" * 500,)),
        ([f"say {number}" for number in range(60)], tuple(f"say {number}" for number in range(50))),
        ("say", ()),
    ]
    for written, read in cases:
        content = {"tools": {"files__read": {TOOLS[0].fingerprint: written}}}
        path.write_text(json.dumps(content), encoding="utf-8")
        assert read_examples([path], TOOLS) == ({"files__read": read} if read else {}), written


def test_the_generated_phrasings_of_an_enriched_catalog_are_its_examples() -> None:
    label = Label("read", phrasings=("by hand", "by model"), generated=frozenset({"by model"}), id="files__read")
    book = PhraseBook((label, Label("write", id="files__write")))
    assert written_examples(book) == {"files__read": ("by model",)}
