import re

from hypothesis import given
from hypothesis import strategies as st

from server.web.site import slugs

NAMES = st.lists(st.text(), max_size=20)


def test_a_slug_is_what_ascii_leaves_of_the_name_cut_if_it_is_long() -> None:
    cases = [
        ("MCP Support", "mcp-support"),
        ("Größe", "groe"),
        ("Café", "cafe"),
        ("a/b\\c: d.", "a-b-c-d"),
        ("CON", "con-page"),
        ("lpt1", "lpt1-page"),
    ]
    for name, slug in cases:
        assert slugs([name]) == {name: slug}, name
    assert slugs(["日本語"])["日本語"] == slugs(["a", "日本語"])["日本語"]
    assert len(slugs(["x" * 500])["x" * 500]) == 60


def test_names_that_would_share_a_slug_are_numbered_in_their_order() -> None:
    assert slugs(["a-2", "A", "a", "a!"]) == {"a-2": "a-2", "A": "a", "a": "a-3", "a!": "a-4"}


@given(NAMES)
def test_slugs_are_unique_and_plain(names: list[str]) -> None:
    found = slugs(names)
    assert set(found) == set(names)
    assert len(set(found.values())) == len(found)
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", slug) for slug in found.values())
