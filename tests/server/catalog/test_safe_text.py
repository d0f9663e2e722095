import json
from pathlib import Path
from typing import Any

import pytest

from server.catalog.loading import load_catalog
from server.catalog.reading import read_agent_file, read_aliases, read_capabilities_file, read_phrasings_file
from server.catalog.safe_text import LONGEST_LIST, LONGEST_NAME, LONGEST_TEXT, LONGEST_URL, first_fault
from server.errors import CatalogError
from server.paths import shipped_data
from tests.toy import entry, source, write_data

HIDING = [
    *(chr(code) for code in (0x00, 0x08, 0x0B, 0x0D, 0x1B, 0x1F, 0x7F, 0x80, 0x85, 0x9F)),
    *(chr(code) for code in (0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x061C, 0x180E)),
    *(chr(code) for code in (*range(0x202A, 0x202F), *range(0x2060, 0x2065), *range(0x2066, 0x206A), 0xFEFF)),
    *(chr(code) for code in (0xE0001, 0xE0020, 0xE007F, 0xE0100, 0xE01EF)),
]

HARMLESS = ["a\nb", "a\tb", "naïve", "日本語", "العربية", "⚠\ufe0f", "👍", "\u00a0", "x ≤ 4 — “yes”"]


def code(text: str) -> str:
    return f"U+{ord(text):04X}"


def agent_file(folder: Path, *entries: Any, agent: Any = None) -> Path:
    content = {"agent": agent or {"name": "An Agent"}, "capabilities": entries}
    return written(folder, content)


def written(folder: Path, content: Any) -> Path:
    path = folder / "file.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def agent_refusal(path: Path) -> str:
    with pytest.raises(CatalogError) as caught:
        read_agent_file(path)
    return str(caught.value)


def test_a_character_that_hides_text_is_refused_with_its_place() -> None:
    for character in HIDING:
        fault = first_fault(f"ab{character}c")
        assert fault is not None, character
        assert fault.message.startswith(f"has {code(character)} as character 3; "), character


def test_what_a_reader_sees_is_left_alone() -> None:
    for text in HARMLESS:
        assert first_fault(text) is None, text


def test_every_text_of_an_entry_is_checked_and_named_with_file_and_entry(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"category": "a\u202e"}, "category"),
        ({"terminology": "a\u202e"}, "terminology"),
        ({"description": "a\u202e"}, "description"),
        ({"limitations": ["fine", "a\u202e"]}, "limitations[1]"),
        ({"requirements": ["a\u202e"]}, "requirements[0]"),
        ({"implementationNotes": {"setup": "a\u202e"}}, "implementationNotes.setup"),
        ({"implementationNotes": {"configFile": "a\u202e"}}, "implementationNotes.configFile"),
        ({"implementationNotes": {"startUrl": "https://x/\u202e"}}, "implementationNotes.startUrl"),
        ({"implementationNotes": {"gotchas": ["a\u202e"]}}, "implementationNotes.gotchas[0]"),
        ({"sources": [source() | {"description": "a\u202e"}]}, "sources[0].description"),
        ({"sources": [source(), source() | {"url": "https://x/\u202e"}]}, "sources[1].url"),
    ]
    for change, field in cases:
        path = agent_file(tmp_path, entry("Checkpoints", "a"), entry("Vision", "b") | change)
        assert agent_refusal(path).startswith(
            f"{path}: capabilities[1].{field} (entry 'Vision') has U+202E as character "
        ), (change, field)


def test_what_is_said_of_the_agent_is_checked(tmp_path: Path) -> None:
    for field in ["name", "vendor", "version", "lastUpdated"]:
        path = agent_file(tmp_path, entry("Vision", "b"), agent={"name": "An Agent", field: "a\u200bb"})
        assert agent_refusal(path).startswith(f"{path}: agent.{field} has U+200B as character 2; "), field


def test_a_hidden_character_in_a_name_is_spelled_out_in_the_message(tmp_path: Path) -> None:
    message = agent_refusal(agent_file(tmp_path, entry("Vis\u202eion", "b")))
    assert "(entry 'Vis\\u202eion')" in message
    assert "\u202e" not in message


def test_a_text_over_its_limit_is_refused_with_the_limit(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], str, str, str]] = [
        ({"name": "n" * (LONGEST_NAME + 1)}, "name", "a name", "200"),
        ({"category": "n" * (LONGEST_NAME + 1)}, "category", "a name", "200"),
        ({"description": "n" * (LONGEST_TEXT + 1)}, "description", "a text", "4,000"),
        ({"limitations": ["n" * (LONGEST_TEXT + 1)]}, "limitations[0]", "a text", "4,000"),
        ({"sources": [source("https://" + "n" * LONGEST_URL)]}, "sources[0].url", "an address", "2,000"),
    ]
    for change, field, what, most in cases:
        with subtests.test(change=change, field=field, what=what, most=most):
            message = agent_refusal(agent_file(tmp_path, entry("Vision", "b") | change))
            assert f": capabilities[0].{field} (entry " in message
            assert message.endswith(f" characters); {what} has at most {most} characters; shorten it")
            assert len(message) < 1000


def test_texts_and_lists_at_their_limits_are_taken(tmp_path: Path) -> None:
    full = entry("n" * LONGEST_NAME, "b") | {
        "description": "n" * LONGEST_TEXT,
        "requirements": ["n"] * LONGEST_LIST,
        "sources": [source("https://".ljust(LONGEST_URL, "n"))],
    }
    assert len(read_agent_file(agent_file(tmp_path, full)).capabilities) == 1


def test_a_list_over_its_limit_is_refused_with_the_limit(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"limitations": ["n"] * 51}, "limitations"),
        ({"requirements": ["n"] * 51}, "requirements"),
        ({"sources": [source()] * 51}, "sources"),
        ({"implementationNotes": {"gotchas": ["n"] * 51}}, "implementationNotes.gotchas"),
    ]
    for change, field in cases:
        path = agent_file(tmp_path, entry("Vision", "b") | change)
        assert agent_refusal(path) == (
            f"{path}: capabilities[0].{field} (entry 'Vision') has 51 items; a list has at most 50; shorten it"
        ), (change, field)


def test_a_catalog_may_have_more_entries_than_a_list_has_items(tmp_path: Path) -> None:
    entries = [entry(f"Number {number}", "b") for number in range(LONGEST_LIST + 1)]
    assert len(read_agent_file(agent_file(tmp_path, *entries)).capabilities) == LONGEST_LIST + 1


def test_an_address_with_a_space_is_refused(tmp_path: Path) -> None:
    for space in [" ", "\t", "\n", "\u00a0", "\u2028", "\u3000"]:
        for change in ["sources", "implementationNotes"]:
            url = f"https://x/{space}y"
            changed: dict[str, Any] = {"sources": [source(url)], "implementationNotes": {"startUrl": url}}
            message = agent_refusal(agent_file(tmp_path, entry("Vision", "b") | {change: changed[change]}))
            assert message.endswith("; an address must not contain spaces; encode or remove them"), (space, change)


def test_a_canonical_capability_is_checked(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[dict[str, str]] = [{"name": "a\u202e"}, {"category": "a\u202e"}, {"definition": "a\u202e"}]
    for change in cases:
        with subtests.test(change=change):
            path = written(tmp_path, {"capabilities": [{"name": "Vision", "category": "b"} | change]})
            with pytest.raises(CatalogError, match=r"capabilities\[0\]\.\w+ \(entry .*\) has U\+202E as character 2; "):
                read_capabilities_file(path)


def test_an_alias_is_checked_on_both_sides(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"fine": "X", "a\u202e": "X"}, "key 2 has U+202E as character 2; "),
        ({"n" * 201: "X"}, "key 1 is "),
        ({"a": ["X", "Y\u202e"]}, "a[1] has U+202E as character 2; "),
        ({"a": ["X"] * 51}, "a has 51 items; "),
    ]
    for table, said in cases:
        with subtests.test(table=table, said=said):
            path = written(tmp_path, table)
            with pytest.raises(CatalogError) as caught:
                read_aliases(path)
            assert str(caught.value).startswith(f"{path}: {said}")


def test_an_alias_that_is_called_like_a_field_is_an_alias(tmp_path: Path) -> None:
    for alias in ["url", "capabilities", "description"]:
        assert read_aliases(written(tmp_path, {alias: "MCP Support"})) == {alias: ("MCP Support",)}, alias


def test_phrasings_are_checked_as_explanations_show_them(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[tuple[Any, str]] = [
        ({"phrasings": {"Vision": ["see", "a\u202e"]}}, "phrasings.Vision[1]"),
        ({"phrasings": {"a\u202e": ["see"]}}, "phrasings.key 1"),
        ({"outOfScope": ["a\u202e"]}, "outOfScope[0]"),
    ]
    for content, place in cases:
        with subtests.test(content=content, place=place):
            path = written(tmp_path, content)
            with pytest.raises(CatalogError) as caught:
                read_phrasings_file(path)
            assert str(caught.value).startswith(f"{path}: {place} has U+202E as character 2; ")


def test_a_capability_may_have_more_phrasings_than_a_list_has_items(tmp_path: Path) -> None:
    path = written(tmp_path, {"phrasings": {"Vision": ["see"] * (LONGEST_LIST + 1)}})
    assert len(read_phrasings_file(path).phrasings["Vision"]) == LONGEST_LIST + 1


def test_an_agents_folder_with_a_hidden_character_is_refused(tmp_path: Path) -> None:
    file = {"agent": {"name": "A"}, "capabilities": [entry("Vision", "b")]}
    folder = write_data(tmp_path / "data", {"an\u202eagent": file}, texts=False)
    with pytest.raises(CatalogError, match=r"^agent folder 'an\\u202eagent' has U\+202E as character 3; "):
        load_catalog(folder)


def test_the_shipped_data_are_far_below_the_limits() -> None:
    catalog = load_catalog(shipped_data())
    entries = [entry for agent in catalog.agents.values() for entry in agent.entries.values()]
    assert max(len(entry.terminology or entry.name) for entry in entries) == 66
    assert max(len(entry.description) for entry in entries) == 623
    assert max(len(source.url) for entry in entries for source in entry.sources) == 157
    assert max(len(entry.sources) for entry in entries) == 13


def test_a_text_does_not_make_a_mark_of_the_next_one_needed() -> None:
    cases: list[tuple[str, str]] = [("⚠", "\ufe0f"), ("👩", "\u200d💻"), ("می", "\u200cخ")]
    for texts in cases:
        fault = first_fault(texts, "limitations")
        assert fault is not None, texts
        assert fault.location == (1,), texts
