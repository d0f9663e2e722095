"""Statements that age fast are marked in the file, and read as texts like any other."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.catalog.models import CapabilityEntry
from server.catalog.reading import read_agent_file
from server.errors import CatalogError
from tests.toy import entry

FAST = {"text": "ten a day", "volatile": True}
LISTS = ["limitations", "requirements", "gotchas"]


def with_list(field: str, *statements: Any) -> dict[str, Any]:
    made = entry("Vision", "performance")
    if field == "gotchas":
        made["implementationNotes"]["gotchas"] = list(statements)
        return made
    return made | {field: list(statements)}


def read(folder: Path, *entries: dict[str, Any], **more: Any) -> CapabilityEntry:
    path = folder / "current.json"
    path.write_text(json.dumps({"agent": {"name": "An Agent"}, "capabilities": entries} | more), encoding="utf-8")
    return read_agent_file(path).capabilities[0]


def test_a_marked_statement_is_read_as_its_text(tmp_path: Path) -> None:
    for field in LISTS:
        found = read(tmp_path, with_list(field, "only files", FAST, {"text": "no links"}))
        said = [text for name, _, text in found.statements if name == field]
        assert said == ["only files", "ten a day", "no links"], field


def test_the_texts_that_age_fast_are_those_that_are_marked(tmp_path: Path) -> None:
    for field in LISTS:
        slow = {"text": "no links", "volatile": False}
        found = read(tmp_path, with_list(field, "only files", FAST, slow))
        assert (found.volatile_texts, found.ages_fast) == (frozenset({"ten a day"}), True), field


def test_an_entry_without_marks_does_not_age_fast(tmp_path: Path) -> None:
    found = read(tmp_path, with_list("limitations", "only files"))
    assert (found.volatile, found.volatile_texts, found.ages_fast) == (False, frozenset(), False)


def test_an_entry_is_marked_as_a_whole(tmp_path: Path) -> None:
    found = read(tmp_path, entry("Vision", "performance", volatile=True))
    assert (found.volatile, found.volatile_texts, found.ages_fast) == (True, frozenset(), True)


def test_a_statement_of_another_kind_is_refused_with_its_place(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for field in LISTS:
        for statement in [
            7,
            None,
            ["a"],
            {},
            {"text": ""},
            {"text": " "},
            {"text": 7},
            {"volatile": True},
            {"text": "a", "volatile": "yes"},
        ]:
            with subtests.test(field=field, statement=statement):
                with pytest.raises(CatalogError) as caught:
                    read(tmp_path, with_list(field, "fine", statement))
                where = "implementationNotes.gotchas" if field == "gotchas" else field
                message = str(caught.value)
                assert message.startswith(
                    f"{tmp_path / 'current.json'}: capabilities[0].{where}[1] (entry 'Vision') is {statement!r};"
                )
                assert message.endswith("; correct it")


def test_a_hidden_character_in_a_marked_statement_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"limitations\[0\] \(entry 'Vision'\) has U\+202E"):
        read(tmp_path, with_list("limitations", FAST | {"text": "a\u202eb"}))


def test_a_mark_is_true_or_false(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for volatile in ["true", 1, None]:
        with (
            subtests.test(volatile=volatile),
            pytest.raises(CatalogError, match=r"capabilities\[0\].volatile \(entry 'Vision'\) is "),
        ):
            read(tmp_path, entry("Vision", "performance", volatile=volatile))
