import json
from pathlib import Path

import pytest

from server.catalog.loading import load_catalog
from server.catalog.models import CapabilityEntry
from server.catalog.statement_text import sentences
from server.catalog.statements import statements
from server.errors import CatalogError
from tests.toy import entry, write_data


def test_a_text_is_cut_between_its_sentences() -> None:
    for text, found in [
        ("One. Two.", ["One.", "Two."]),
        ("Is it? `/rewind` says so! Esc too", ["Is it?", "`/rewind` says so!", "Esc too"]),
        ("Formats, e.g. PNG, are read.", ["Formats, e.g. PNG, are read."]),
        ("Node.js runs .gemini/agents/*.md files.", ["Node.js runs .gemini/agents/*.md files."]),
        ("First. gemini mcp add writes it.", ["First. gemini mcp add writes it."]),
        ("", []),
    ]:
        assert sentences(text) == found, (text, found)


def test_every_part_of_an_entry_that_says_something_is_a_statement() -> None:
    made = entry(
        "Vision",
        "code-understanding",
        description="Sees pictures. Reads PDF.",
        limitations=["no video"],
        requirements=["a plan"],
        implementationNotes={"setup": "paste it", "configFile": "a.json", "gotchas": ["slow"]},
    )
    assert [*CapabilityEntry.model_validate(made).statements] == [
        ("description", None, "Sees pictures."),
        ("description", None, "Reads PDF."),
        ("limitations", None, "no video"),
        ("requirements", None, "a plan"),
        ("setup", "setup", "paste it"),
        ("configFile", "configFile", "a.json"),
        ("gotchas", None, "slow"),
    ]


def questions_file(data: Path) -> Path:
    return data / "agents" / "claude-code" / "capabilities" / "questions.json"


def test_a_statement_has_the_questions_of_its_agents_file(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    content = {"questions": {"Checkpoints": {"Checkpoints of this agent": ["can it go back?"]}}}
    questions_file(data).write_text(json.dumps(content), encoding="utf-8")
    asked = {(found.group, found.label): found.questions for found in statements(load_catalog(data)) if found.questions}
    assert asked == {("claude-code", "Checkpoints"): ("can it go back?",)}


def test_questions_of_a_statement_that_is_gone_are_left_out(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    content = {"questions": {"Checkpoints": {"reworded since": ["can it go back?"]}}}
    questions_file(data).write_text(json.dumps(content), encoding="utf-8")
    assert not any(found.questions for found in statements(load_catalog(data)))


def test_a_statement_longer_than_a_name_can_have_questions(tmp_path: Path) -> None:
    data, long = write_data(tmp_path), "It goes back. " + "very " * 60 + "far"
    content = {"questions": {"Checkpoints": {long: ["can it go back?"]}}}
    questions_file(data).write_text(json.dumps(content), encoding="utf-8")
    assert statements(load_catalog(data))


def test_a_question_with_hidden_characters_is_refused(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    content = {"questions": {"Checkpoints": {"Checkpoints of this agent": ["can it\u202e go back?"]}}}
    questions_file(data).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(CatalogError, match=r"U\+202E"):
        statements(load_catalog(data))


def test_a_questions_file_of_another_form_is_refused_with_its_place(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    questions_file(data).write_text(json.dumps({"questions": {"Checkpoints": ["?"]}}), encoding="utf-8")
    with pytest.raises(CatalogError, match=r"questions\.json: questions\.Checkpoints .* correct it"):
        statements(load_catalog(data))
