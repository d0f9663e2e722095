"""Keys and values that no program expects, at every place of every file: the error names the place and is one line."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.text.invisible import all_visible, is_hidden
from server.catalog.reading import read_agent_file, read_aliases, read_capabilities_file, read_phrasings_file
from server.errors import CatalogError
from tests.toy import entry

READERS: Final = (read_agent_file, read_aliases, read_capabilities_file, read_phrasings_file)
HIDDEN: Final = ("\u202e", "\u3164", "\n", "\x1b", "\ufe0f", "\ud800")
PLACES: Final[dict[str, tuple[Callable[[Path], object], Callable[[str], Any]]]] = {
    "an alias": (read_aliases, lambda key: {key: "X"}),
    "an alias of several": (read_aliases, lambda key: {key: ["X", "Y"]}),
    "an alias of a wrong kind": (read_aliases, lambda key: {key: 3}),
    "an alias of too many": (read_aliases, lambda key: {key: ["X"] * 51}),
    "a capability's phrasings": (read_phrasings_file, lambda key: {"phrasings": {key: ["x"]}}),
    "phrasings of a wrong kind": (read_phrasings_file, lambda key: {"phrasings": {key: 3}}),
    "a phrasing of a wrong kind": (read_phrasings_file, lambda key: {"phrasings": {key: [3]}}),
    "entries by name": (read_agent_file, lambda key: {"agent": {"name": "A"}, "capabilities": {key: entry("V", "b")}}),
    "capabilities by name": (read_capabilities_file, lambda key: {"capabilities": {key: "X"}}),
    "a capability of a wrong kind": (read_capabilities_file, lambda key: {"capabilities": [{key: "X"}]}),
}
FIELDS: Final = ("agent", "capabilities", "phrasings", "outOfScope", "out_of_scope", "name", "category", "sources")

keys = st.sampled_from(FIELDS) | st.sampled_from([f"key{hidden}" for hidden in HIDDEN]) | st.text(max_size=3)
contents = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | keys,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(keys, parts, max_size=3),
    max_leaves=12,
)


def written(folder: Path, content: Any) -> Path:
    path = folder / "file.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_key_with_a_hidden_character_is_refused_in_one_visible_line(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for place, (read, content) in PLACES.items():
        for hidden in HIDDEN:
            path = written(tmp_path, content(f"ke{hidden}y"))
            with subtests.test(place=place, hidden=ascii(hidden)), pytest.raises(CatalogError) as caught:
                read(path)
            assert str(caught.value).startswith(f"{path}: "), (place, hidden)
            assert all_visible(str(caught.value)), (place, hidden)


@pytest.mark.parametrize("fault", [3, "a\u202e"])
def test_a_fault_in_a_field_under_its_other_name_is_named(tmp_path: Path, fault: object) -> None:
    path = written(tmp_path, {"out_of_scope": ["fine", fault]})
    with pytest.raises(CatalogError) as caught:
        read_phrasings_file(path)
    assert str(caught.value).startswith((f"{path}: outOfScope[1] ", f"{path}: out_of_scope[1] "))


def test_a_rule_with_a_pattern_is_repeated_as_it_is(tmp_path: Path) -> None:
    path = written(tmp_path, {"capabilities": [{"name": " ", "category": "b"}]})
    with pytest.raises(CatalogError, match=r"name \(entry ' '\) is ' '; string should match pattern '\\S'; correct it"):
        read_capabilities_file(path)


@given(content=contents)
def test_whatever_a_file_holds_is_read_or_refused_in_one_visible_line(content: Any) -> None:
    refusals = []
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), content)
        for read in READERS:
            try:
                read(path)
            except CatalogError as error:
                refusals.append(str(error))
    # A space of another width is no hidden character, which `all_visible` does not tell apart.
    assert not [refusal for refusal in refusals if any(map(is_hidden, refusal))]
