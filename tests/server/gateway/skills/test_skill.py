"""Which entries of skills are used."""

from typing import Any

import pytest

from server.gateway.skills.skill import MAX_BYTES, MAX_FILES, read_skill
from tests.server.gateway.skills.made_skills import entry

FILE = {"uri": "skill://undo/SKILL.md", "digest": f"sha256:{'0' * 64}", "size": 1}
OTHER = {**FILE, "uri": "skill://undo/other.md"}


def test_an_entry_is_read_with_all_that_its_frontmatter_says() -> None:
    head = {"name": "undo", "description": "take back", "metadata": {"version": "2", "tags": ["a"]}, "license": "MIT"}
    skill = read_skill(entry("undo", frontmatter=head, resources=[FILE, OTHER]))
    assert (skill.frontmatter, list(skill.files)) == (head, [FILE["uri"], OTHER["uri"]])
    assert read_skill(entry("undo", resources="dynamic")).files == {}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"frontmatter": {"name": "Undo It", "description": "x"}}, "name"),
        ({"frontmatter": {"name": "undo"}}, "description"),
        ({"frontmatter": {"name": "undo", "description": "x" * 1025}}, "description"),
        ({"frontmatter": {"name": "undo", "description": "x\u202ey"}}, "hides"),
        ({"uri": "skill://redo/SKILL.md"}, "does not end"),
        ({"resources": [OTHER]}, "each listed once"),
        ({"resources": [FILE, FILE]}, "each listed once"),
        ({"resources": [FILE, {**FILE, "uri": "skill://undo/../x.md"}]}, "not in its folder"),
        ({"resources": [FILE, {**FILE, "uri": "skill://undo/%2e%2e/x.md"}]}, "not in its folder"),
        ({"resources": [FILE, {**OTHER, "size": MAX_BYTES}]}, "16 MiB"),
        (
            {"resources": [FILE, *({**FILE, "uri": f"skill://undo/{number}"} for number in range(MAX_FILES))]},
            "512 files",
        ),
        ({"resources": None}, "resources"),
        ({"resources": [{**FILE, "digest": "sha256:0"}]}, "digest"),
    ],
)
def test_an_entry_that_is_not_as_the_extension_has_it_is_refused(change: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_skill(entry("undo") | change)
