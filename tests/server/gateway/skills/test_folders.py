"""Skills of local folders."""

import hashlib
import os
from pathlib import Path

import mcp_types as types
import pytest

from embeddings.labels.skills import SKILL_FILE
from server.errors import CallerError
from server.gateway.skills.folders import SkillFolders
from tests.server.gateway.skills.made_skills import write_skill

IMAGE = b"\x89"


def test_each_skill_has_an_address_its_frontmatter_and_all_its_files_with_digests(tmp_path: Path) -> None:
    write_skill(
        tmp_path / "office", "undo", "take back\nmetadata:\n  since: 2026-01-02", "# How", files={"a b.png": IMAGE}
    )
    (local,) = SkillFolders([tmp_path]).skills().values()
    text = (tmp_path / "office/undo/SKILL.md").read_bytes()
    assert local.skill.model_dump() == {
        "uri": "skill://office/undo/SKILL.md",
        "frontmatter": {"name": "undo", "description": "take back", "metadata": {"since": "2026-01-02"}},
        "resources": [
            {
                "uri": "skill://office/undo/SKILL.md",
                "digest": f"sha256:{hashlib.sha256(text).hexdigest()}",
                "size": len(text),
            },
            {
                "uri": "skill://office/undo/a%20b.png",
                "digest": f"sha256:{hashlib.sha256(IMAGE).hexdigest()}",
                "size": 1,
            },
        ],
    }


def test_files_are_read_as_text_or_bytes_and_no_others(tmp_path: Path) -> None:
    write_skill(tmp_path, "undo", "take back", files={"notes.txt": "grüße".encode(), "a.png": IMAGE})
    folders = SkillFolders([tmp_path])
    text, image = folders.read("skill://undo/notes.txt"), folders.read("skill://undo/a.png")
    assert isinstance(text, types.TextResourceContents)
    assert (text.text, text.mime_type) == ("grüße", "text/plain")
    assert isinstance(image, types.BlobResourceContents)
    assert (image.blob, image.mime_type) == ("iQ==", "image/png")
    for uri in ["skill://undo/../undo/notes.txt", "skill://undo", "skill://redo/SKILL.md", "notes.txt"]:
        assert folders.read(uri) is None, uri


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_link_out_of_the_folder_is_no_file_of_a_skill(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x", encoding="utf-8")
    write_skill(tmp_path / "skills", "undo", "take back")
    (tmp_path / "skills/undo/link").symlink_to(tmp_path / "secret")
    (tmp_path / "skills/undo/own").symlink_to(tmp_path / "skills/undo/SKILL.md")
    (local,) = SkillFolders([tmp_path / "skills"]).skills().values()
    assert list(local.paths) == ["skill://undo/SKILL.md", "skill://undo/own"]


def test_changes_are_seen_and_nothing_is_read_again_without_one(tmp_path: Path) -> None:
    write_skill(tmp_path, "undo", "take back")
    folders = SkillFolders([tmp_path])
    before = folders.skills()
    assert folders.skills() is before
    write_skill(tmp_path, "see", "look")
    assert list(folders.skills()) == ["skill://see/SKILL.md", "skill://undo/SKILL.md"]


def test_skills_that_cannot_be_offered_are_told_once_and_the_rest_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_skill(tmp_path / "a", "undo", "take back")
    for place, text in {
        "plain": "no head",
        "list": "---\n- a\n---\n",
        "yaml": "---\nname: 'x\n---\n",
        "name": "---\nname: Not This\ndescription: x\n---\n",
        "loop": "---\nname: loop\ndescription: &a x\nmore: *a\n---\n",
        "number": "---\nname: number\ndescription: x\nmore: .nan\n---\n",
    }.items():
        (tmp_path / place).mkdir()
        (tmp_path / place / SKILL_FILE).write_text(text, encoding="utf-8")
    (tmp_path / "bytes").mkdir()
    (tmp_path / "bytes" / SKILL_FILE).write_bytes(b"\xff")
    folders = SkillFolders([tmp_path])
    assert list(folders.skills()) == ["skill://a/undo/SKILL.md"]
    (tmp_path / "new").write_text("", encoding="utf-8")
    folders.skills()
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 7
    assert all("cannot be offered" in line for line in told)


def test_of_two_skills_with_one_address_the_first_is_offered(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_skill(tmp_path / "a", "undo", "first")
    write_skill(tmp_path / "b", "undo", "second")
    (local,) = SkillFolders([tmp_path / "a", tmp_path / "b"]).skills().values()
    assert local.skill.description == "first"
    assert "left out" in caplog.text


def test_a_folder_without_skills_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(CallerError, match="no skills"):
            SkillFolders([folder])
