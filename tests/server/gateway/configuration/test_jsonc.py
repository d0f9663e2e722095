import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.gateway.configuration import configurations

TEXTS = st.text(max_size=6) | st.sampled_from(["//", "/* x */", ",]", ", }", 'a"b', "\\", '\\"//'])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
)
BETWEEN = st.sampled_from(["", " ", "// x, ]\n", "/* ,] \n */", '/* // */ // "\n'])


@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_plain_json_is_read_as_it_is(value: object, indent: int | None, ascii_only: bool) -> None:
    assert configurations.loads(json.dumps(value, indent=indent, ensure_ascii=ascii_only)) == value


@given(st.lists(TEXTS, max_size=3), st.dictionaries(TEXTS, TEXTS, max_size=3), st.data())
def test_comments_and_trailing_commas_are_passed_over(
    items: list[str], table: dict[str, str], data: st.DataObject
) -> None:
    parts = ["[", *(part for item in items for part in (json.dumps(item), ",")), "{"]
    parts += [part for name, one in table.items() for part in (json.dumps(name), ":", json.dumps(one), ",")]
    parts += ["}", ",", "]"]
    text = "".join(data.draw(BETWEEN) + part for part in parts)
    assert configurations.loads(text) == [*items, table]


def test_what_is_no_json_otherwise_is_refused() -> None:
    for text in ["[,]x", "[1,,]", "{,,}", "[1] // x\n 2", "/* never ends", "['a']", '"a']:
        with pytest.raises(json.JSONDecodeError):
            configurations.loads(text)


def test_lines_keep_their_numbers() -> None:
    with pytest.raises(json.JSONDecodeError) as error:
        configurations.loads("// one\n/* two\nthree */ [1,\n] wrong")
    assert error.value.lineno == 4
