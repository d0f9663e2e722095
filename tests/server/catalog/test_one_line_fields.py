"""Names and addresses: what they are besides the texts that they are."""

import json
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from pydantic import BaseModel

from server.catalog import models
from server.catalog.loading import load_catalog
from server.catalog.reading import read_agent_file, read_aliases
from server.catalog.safe_text import NAMES, URLS, first_fault
from server.errors import CatalogError
from tests.toy import entry, source, write_data

CONTROLS: Final = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cc"]
NOT_OF_THE_WEB: Final = [
    *("javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x", "ftp://x"),
    *(" https://x", "\nhttps://x", "x https://x", "//x", "www.x", "", "https://", "https:///x", "http:x"),
]


def written(folder: Path, content: Any) -> Path:
    path = folder / "file.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def agent_file(folder: Path, change: dict[str, Any]) -> Path:
    entries = [entry("Checkpoints", "a"), entry("Vision", "b") | change]
    return written(folder, {"agent": {"name": "An Agent"}, "capabilities": entries})


def fields() -> Iterator[tuple[type[BaseModel], str, Any]]:
    for model in vars(models).values():
        if isinstance(model, type) and issubclass(model, BaseModel):
            for name, info in model.model_fields.items():
                yield model, name, info


def test_an_address_that_is_not_of_the_web_is_refused_with_entry_and_field(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for url in NOT_OF_THE_WEB:
        for field in ["implementationNotes.startUrl", "sources[0].url"]:
            with subtests.test(url=url, field=field):
                change = (
                    {"sources": [source(url)]}
                    if field.startswith("sources")
                    else {"implementationNotes": {"startUrl": url}}
                )
                path = agent_file(tmp_path, change)
                with pytest.raises(CatalogError) as caught:
                    read_agent_file(path)
                assert str(caught.value).startswith(f"{path}: capabilities[1].{field} (entry 'Vision') is ")
                assert "'^https?://[^\\s/]'" in str(caught.value)


def test_every_field_for_an_address_takes_addresses_only() -> None:
    addresses = {name: info for _, name, info in fields() if "url" in name.split("_")}
    assert addresses.keys() == URLS
    assert all("https?" in str(info) for info in addresses.values())


def test_a_name_holds_no_control_character_at_all() -> None:
    for character in [*CONTROLS, "\u2028", "\u2029"]:
        for field in sorted(NAMES):
            fault = first_fault(f"ab{character}c", field)
            assert fault is not None, (character, field)
            assert fault.message.startswith(
                f"has U+{ord(character):04X} as character 3; a name must not contain control characters, "
            ), (character, field)


def test_a_name_of_an_entry_in_two_lines_is_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for field in ["name", "category", "terminology"]:
        with subtests.test(field=field):
            path = agent_file(tmp_path, {field: "a\nb"})
            with pytest.raises(
                CatalogError, match=rf"capabilities\[1\]\.{field} \(entry '.*'\) has U\+000A as character 2; "
            ):
                read_agent_file(path)


def test_an_alias_and_what_it_stands_for_are_names(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for table in [{"a\nb": "X"}, {"a": "X\tY"}, {"a": ["X", "Y\nZ"]}]:
        with (
            subtests.test(table=table),
            pytest.raises(CatalogError, match="a name must not contain control characters, "),
        ):
            read_aliases(written(tmp_path, table))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names of folders")
def test_an_agents_folder_in_two_lines_is_refused(tmp_path: Path) -> None:
    file = {"agent": {"name": "A"}, "capabilities": [entry("Vision", "b")]}
    folder = write_data(tmp_path / "data", {"an\nagent": file}, texts=False)
    with pytest.raises(CatalogError, match=r"^agent folder 'an\\nagent' has U\+000A as character 3; "):
        load_catalog(folder)
