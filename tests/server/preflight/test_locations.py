import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from server.preflight.outcome import Place, locate

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.text(max_size=4), parts, max_size=4),
    max_leaves=12,
)


def parts(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Yield a value and all within it, each with its JSON pointer."""
    yield pointer, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from parts(each, f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}")


@given(VALUES, st.sampled_from([None, 0, 2]), st.booleans(), st.booleans())
def test_every_value_is_found_where_it_begins(value: Any, indent: int | None, escapes: bool, returns: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escapes)
    text = text.replace("\n", "\r\n") if returns else text
    expected = dict(parts(value))
    for pointer, place in locate(text, expected).items():
        lines = text.split("\n")
        start = sum(len(line) + 1 for line in lines[: place.line - 1]) + place.column - 1
        assert json.JSONDecoder().raw_decode(text, start)[0] == expected[pointer]


def test_a_place_is_counted_as_editors_count() -> None:
    cases: list[tuple[str, str, Place]] = [
        ('{"a": 1,\n "a": [2]}', "/a", Place(2, 7)),
        ('{"a": [1],\r\n "b": 2}', "/b", Place(2, 7)),
        ('\ufeff{"a": 1}', "", Place(1, 1)),
        ('\ufeff{"a": 1}', "/a", Place(1, 7)),
        ('["\U0001f600\u2028", 1]', "/1", Place(1, 8)),
        (r'{"a\/b": 1, "\u0061~": 2}', "/a~1b", Place(1, 10)),
        (r'{"a\/b": 1, "\u0061~": 2}', "/a~0", Place(1, 24)),
    ]
    for text, pointer, place in cases:
        assert locate(text, [pointer]) == {pointer: place}, text


def test_what_is_not_there_has_the_place_around_it() -> None:
    for pointer in ["/labels/7", "/labels/0/name/x", "/labels/0/nothing"]:
        text = '{\n"labels": [\n{"name": 1}]}'
        around = {"/labels/7": Place(2, 11), "/labels/0/name/x": Place(3, 10), "/labels/0/nothing": Place(3, 1)}
        assert locate(text, [pointer]) == {pointer: around[pointer]}, pointer


def test_a_text_that_is_not_json_has_places_all_the_same() -> None:
    for text in [
        "",
        "\ufeff",
        '{"labels',
        "}}]],,::",
        '{"a": [1, {"b": "',
        "nothing",
        '{"a" 1 "b"',
        '["\\',
        '{1: {"a": 2}}',
    ]:
        assert locate(text, ["", "/a/0", "/a/1/b"]).keys() == {"", "/a/0", "/a/1/b"}, text


def test_what_precedes_an_error_is_placed() -> None:
    assert locate('{"labels": [{}, \n{"name": oops', ["/labels/1"]) == {"/labels/1": Place(2, 1)}


def test_deep_nesting_is_no_obstacle() -> None:
    deep = 100_000
    text = f'{{"a": {"[" * deep}{"]" * deep}, "b": 1}}'
    assert locate(text, ["/b"]) == {"/b": Place(1, text.index(" 1}") + 2)}
