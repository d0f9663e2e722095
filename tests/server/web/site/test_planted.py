"""Texts of a catalog never become markup, scripts or links."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.catalog.catalog import Agent, Catalog
from server.catalog.models import AgentInfo, CanonicalCapability, CapabilityEntry, ImplementationNotes, Source
from server.web.site import is_web_page
from tests.server.web.site.sites import Site, site_of

PAYLOAD: Final = "\"><script>alert(1)</script><img src=x onerror='alert(2)'>&lt;b&gt;</title></p>"


def planted(text: str, url: str = "https://example.com/") -> Catalog:
    """Return a catalog in which every text is this one."""
    notes = ImplementationNotes.model_construct(setup=text, config_file=text, start_url=url, gotchas=(text,))
    source = Source.model_construct(url=url, description=text, verified_date=None, status="active")
    entry = CapabilityEntry(
        category=text,
        name=text,
        terminology=text,
        description=text,
        available=True,
        limitations=(text,),
        requirements=(text,),
    ).model_copy(
        update={"implementation_notes": notes, "sources": (source, source.model_copy(update={"description": ""}))}
    )
    info = AgentInfo(name=text, vendor=text, version=text, also_known_as=(text,))
    return Catalog(
        Path(),
        (CanonicalCapability(name=text, category=text, definition=text),),
        {text: Agent(text, info, {text: entry})},
        {text: (text,)},
        category_definitions={text: text},
    )


@pytest.fixture(scope="module")
def site() -> Site:
    return site_of(planted(PAYLOAD))


def test_nothing_planted_becomes_markup_or_a_script(site: Site) -> None:
    for page in site.pages.values():
        assert PAYLOAD in page.text
        assert not [tag for tag in page.tags if tag.name in {"img", "b"}]
    scripts = [tag.attributes for page in site.pages.values() for tag in page.tags if tag.name == "script"]
    assert scripts == [{"type": "module", "src": "page/main.js"}]
    names = {name for page in site.pages.values() for tag in page.tags for name in tag.attributes}
    assert not {name for name in names if name.startswith("on") or name == "style"}


def test_every_page_has_the_policy(site: Site) -> None:
    for page in site.pages.values():
        policy = next(tag.attributes["content"] for tag in page.tags if "http-equiv" in tag.attributes)
        assert policy.startswith("default-src 'none'; script-src 'self'")
        assert "unsafe" not in policy
        assert "*" not in policy


def test_a_web_page_is_linked_and_other_addresses_are_text() -> None:
    cases = [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//host/x",
        "http:x",
        "x",
        "http://[x",
    ]
    for url in cases:
        for page in site_of(planted("Name", url)).pages.values():
            assert url not in page.values("href"), url
            assert page.path == "index.html" or url.strip() in page.text, url
    for url in ["https://example.com", "HTTP://example.com/x?y#z"]:
        assert is_web_page(url), url
        assert url in site_of(planted("Name", url)).pages["capabilities/name.html"].values("href"), url


def test_characters_that_nobody_sees_are_spelled_out() -> None:
    files = site_of(planted("safe\u202etxt.exe\u200b\x07")).files
    content = files["index.html"].decode()
    assert "\u202e" not in content
    assert "\x07" not in content


def test_a_name_of_any_script_has_a_page_that_says_which_way_it_runs() -> None:
    for name in ["日本語のツール", "أدوات خارجية", "Größe & Übung", "con", "../../etc/passwd", "CON"]:
        found = site_of(planted(name))
        assert len([path for path in found.files if not path.startswith("page/")]) == 5, name
        assert all(".." not in path for path in found.files), name
    page = site_of(planted("أدوات")).pages["index.html"]
    said = [tag for tag in page.tags if tag.attributes.get("scope") == "rowgroup" or tag.name == "a"]
    assert {tag.attributes.get("dir") for tag in said if tag.attributes.get("href", "") != "#view"} <= {"auto", None}
    assert next(tag for tag in said if tag.name == "th").attributes["dir"] == "auto"


@given(st.text(min_size=1).filter(str.strip))
def test_any_text_leaves_every_page_whole(text: str) -> None:
    for page in site_of(planted(text)).pages.values():
        assert page.open == []


def test_an_entry_without_anything_but_availability_has_a_page() -> None:
    bare = CapabilityEntry(category="a", name="Name", available=False)
    catalog = replace(planted("Name"), agents={"x": Agent("x", AgentInfo(name="X"), {"Name": bare})})
    assert "Not available." in site_of(catalog).pages["capabilities/name.html"].text
