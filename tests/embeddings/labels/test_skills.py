"""Agent Skills as the labels of a catalog."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from embeddings.errors import PhraseBookError
from embeddings.labels.phrase_book import PhraseBook
from embeddings.labels.skills import BODY, MAX_PIECES, SKILL_FILE, frontmatter
from embeddings.matcher import Matcher
from tests.toy import ToyEncoder


def skill(folder: Path, name: str, description: str = "does it", body: str = "") -> None:
    folder.mkdir(parents=True)
    (folder / SKILL_FILE).write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}", encoding="utf-8")


def pieces(tmp_path: Path, body: str) -> tuple[str, ...]:
    skill(tmp_path / "one", "one", body=body)
    (label,) = PhraseBook.from_json(tmp_path).labels
    return label.fields.get(BODY, ())


def test_skills_are_found_in_any_folder_below_in_order_of_their_paths(tmp_path: Path) -> None:
    for place in (".claude/skills/undo", ".agents/skills/plug", "plugins/x/skills/see", "node_modules/a"):
        skill(tmp_path / place, place.rpartition("/")[2])
    book = PhraseBook.from_json(tmp_path)
    assert [(label.name, label.id) for label in book.labels] == [
        ("plug", ".agents/skills/plug"),
        ("undo", ".claude/skills/undo"),
        ("see", "plugins/x/skills/see"),
    ]


def test_the_folder_of_one_skill_is_a_catalog_of_it(tmp_path: Path) -> None:
    skill(tmp_path / "undo", "undo")
    assert [label.id for label in PhraseBook.from_json(tmp_path / "undo").labels] == ["undo"]


def test_skills_of_one_name_in_two_folders_are_told_apart(tmp_path: Path) -> None:
    for place in ("a", "b"):
        skill(tmp_path / place, "undo")
    assert [label.id for label in PhraseBook.from_json(tmp_path).labels] == ["a", "b"]


def test_the_body_is_read_in_pieces_without_code_and_marks(tmp_path: Path) -> None:
    body = "# How to *undo*\n\n- restore the `file`\n1. go back\n```sh\nrm -rf build now\n```\n> a quoted line\nword\n"
    assert pieces(tmp_path, body) == ("How to undo", "restore the file", "go back", "a quoted line")


def test_a_long_body_is_read_up_to_a_number_of_pieces(tmp_path: Path) -> None:
    assert len(pieces(tmp_path, "a line\n" * 999)) == MAX_PIECES


def test_a_request_finds_a_skill_by_what_its_body_says_and_nothing_where_none_fits(tmp_path: Path) -> None:
    skill(tmp_path / "a", "travel", "handles time", "- rewind to an earlier state\n- restore what was lost")
    skill(tmp_path / "b", "photo", "handles photos", "- see a picture\n- describe the image")
    matcher = Matcher.build(PhraseBook.from_json(tmp_path), ToyEncoder())
    assert matcher.match("rewind the lost state").matches[0].name == "travel"
    assert matcher.match("bake a loaf of bread").decision == "no_match"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("# no head", "no frontmatter"),
        ("---\ndescription: x\n---\n", "no name"),
        ("---\nname: '  '\n---\n", "no name"),
        ("---\nname: x\n", "no frontmatter"),
    ],
)
def test_a_skill_that_cannot_be_used_is_reported_and_the_rest_is_read(tmp_path: Path, content: str, why: str) -> None:
    skill(tmp_path / "good", "good")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / SKILL_FILE).write_text(content, encoding="utf-8")
    book = PhraseBook.from_json(tmp_path)
    assert [label.name for label in book.labels] == ["good"]
    (report,) = book.reports
    assert "bad" in report
    assert why in report


def test_a_folder_without_skills_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PhraseBookError, match=r"has no SKILL\.md; .*; give another folder"):
        PhraseBook.from_json(tmp_path)


@pytest.mark.parametrize("content", [{"skills": []}, {"skills": [3, {}]}, {"result": {"skills": [{"name": " "}]}}])
def test_a_list_without_a_usable_skill_is_refused(content: dict[str, Any]) -> None:
    with pytest.raises(PhraseBookError, match="has no skill that can be used"):
        PhraseBook.from_dict(content)


@pytest.mark.parametrize("around", [lambda value: value, lambda value: {"jsonrpc": "2.0", "id": 1, "result": value}])
def test_the_answer_to_a_list_of_skills_is_a_catalog(around: Any) -> None:
    listed = {"skills": [{"name": "undo", "description": "take back"}, {"name": "see", "description": "look"}]}
    assert [label.name for label in PhraseBook.from_dict(around(listed)).labels] == ["undo", "see"]


def test_the_entries_of_the_protocols_extension_are_read_with_their_addresses_as_ids() -> None:
    entry = {"uri": "skill://undo/SKILL.md", "frontmatter": {"name": "undo", "description": "take back"}}
    (label,) = PhraseBook.from_dict({"skills": [{**entry, "resources": "dynamic"}]}).labels
    assert (label.name, label.description, label.id) == ("undo", "take back", "skill://undo/SKILL.md")


TEXTS = st.text(st.characters(codec="ascii", categories=["L", "N", "P", "Zs"]), min_size=1, max_size=120).map(str.strip)


@given(TEXTS.filter(bool), st.sampled_from(["'", '"', "|", ">", ">-"]))
def test_strings_of_a_head_are_read_as_yaml_reads_them(text: str, style: str) -> None:
    if style == "'":
        value = "'" + text.replace("'", "''") + "'"
    elif style == '"':
        value = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    else:
        value = f"{style}\n  {text}"
    head = f"name: one\ndescription: {value}\nlicense: MIT\n"
    assert frontmatter(head)["description"] == yaml.safe_load(head)["description"].strip()
    assert frontmatter(head)["license"] == "MIT"


def test_a_plain_string_goes_on_in_indented_lines_and_ends_before_a_comment() -> None:
    head = "name: one\ndescription: first line\n  second line # not this\nmetadata:\n  author: me\n"
    assert frontmatter(head)["description"] == "first line second line"
