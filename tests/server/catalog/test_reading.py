import json
from pathlib import Path
from typing import Any

import pytest

from server.catalog.reading import read_agent_file
from server.errors import CatalogError
from tests.toy import entry


def file_with(folder: Path, *entries: Any) -> Path:
    path = folder / "current.json"
    path.write_text(json.dumps({"agent": {"name": "An Agent"}, "capabilities": entries}), encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(CatalogError) as caught:
        read_agent_file(path)
    return str(caught.value)


def test_a_byte_order_mark_is_fine(tmp_path: Path) -> None:
    path = file_with(tmp_path, entry("Vision", "performance"))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_agent_file(path).capabilities[0].name == "Vision"


def test_a_bad_field_is_named_with_file_entry_and_value(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"available": "yes"}, "capabilities[1].available", "'yes'"),
        ({"available": None}, "capabilities[1].available", "None"),
        ({"tier": "gold"}, "capabilities[1].tier", "'gold'"),
        ({"maturityLevel": "old"}, "capabilities[1].maturityLevel", "'old'"),
        ({"sources": [{"url": "ftp://x"}]}, "capabilities[1].sources[0].url", "'ftp://x'"),
        (
            {"sources": [{"url": "https://x", "verifiedDate": "May"}]},
            "capabilities[1].sources[0].verifiedDate",
            "'May'",
        ),
        ({"implementationNotes": {"setup": 7}}, "capabilities[1].implementationNotes.setup", "7"),
    ]
    for change, field, found in cases:
        path = file_with(tmp_path, entry("Checkpoints", "a"), entry("Vision", "b") | change)
        assert refusal(path).startswith(f"{path}: {field} (entry 'Vision') is {found};"), (change, field, found)


def test_a_missing_field_is_named_with_file_and_entry(tmp_path: Path) -> None:
    incomplete = entry("Vision", "b")
    del incomplete["available"]
    message = refusal(file_with(tmp_path, incomplete))
    assert message.startswith(f"{tmp_path / 'current.json'}: capabilities[0].available (entry 'Vision')")
    assert "field required" in message


def test_an_entry_that_is_no_object_is_named_by_its_place(tmp_path: Path) -> None:
    assert "capabilities[1] is 3;" in refusal(file_with(tmp_path, entry("Vision", "b"), 3))


def test_further_faults_are_counted(tmp_path: Path) -> None:
    assert refusal(file_with(tmp_path, entry("Vision", "b", tier="x", status="y"))).endswith("(1 more)")


def test_a_name_that_stands_twice_is_refused_with_both_places(tmp_path: Path) -> None:
    for twin in ["Plan Mode", "plan mode", "Plan-Mode", "PLAN_MODE!"]:
        message = refusal(file_with(tmp_path, entry("Plan Mode", "a"), entry("Vision", "b"), entry(twin, "a")))
        assert message.startswith(
            f"{tmp_path / 'current.json'}: capabilities[2].name {twin!r} repeats capabilities[0];"
        ), twin


def test_a_file_that_is_not_whole_utf8_json_is_named(tmp_path: Path) -> None:
    for content in [b"", b"{", b'{"agent": {"name": "A"}, "capabi', b"[" * 100_000, b"\xff\xfe", b"\xef\xbb\xbf{}"]:
        path = tmp_path / "current.json"
        path.write_bytes(content)
        assert refusal(path).startswith(str(path)), content


def test_json_that_is_no_object_is_refused_as_a_whole(tmp_path: Path) -> None:
    for content in ["[]", "null", "3", '"text"']:
        path = tmp_path / "current.json"
        path.write_text(content, encoding="utf-8")
        assert refusal(path).startswith(f"{path}: the file is "), content


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.json").startswith(f"{tmp_path / 'none.json'} cannot be read")


def test_a_long_bad_value_is_cut_in_the_message(tmp_path: Path) -> None:
    message = refusal(file_with(tmp_path, entry("Vision", "b", tier="x" * 100_000)))
    assert len(message) < 1000
    assert "(100002 characters)" in message
