import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.web.site.slugs import slugs

NAMES = st.lists(st.text(), max_size=20)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("MCP Support", "mcp-support"),
        ("Größe", "groe"),
        ("Café", "cafe"),
        ("a/b\\c: d.", "a-b-c-d"),
        ("CON", "con-page"),
        ("lpt1", "lpt1-page"),
    ],
)
def test_a_slug_is_what_ascii_leaves_of_the_name(name: str, slug: str) -> None:
    assert slugs([name]) == {name: slug}


def test_names_that_would_share_a_slug_are_numbered_in_their_order() -> None:
    assert slugs(["a-2", "A", "a", "a!"]) == {"a-2": "a-2", "A": "a", "a": "a-3", "a!": "a-4"}


def test_a_name_without_ascii_has_a_slug_that_does_not_depend_on_its_place() -> None:
    assert slugs(["日本語"])["日本語"] == slugs(["a", "日本語"])["日本語"]


def test_a_long_name_is_cut() -> None:
    assert len(slugs(["x" * 500])["x" * 500]) == 60


@given(NAMES)
def test_slugs_are_unique_and_plain(names: list[str]) -> None:
    found = slugs(names)
    assert set(found) == set(names)
    assert len(set(found.values())) == len(found)
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", slug) for slug in found.values())
