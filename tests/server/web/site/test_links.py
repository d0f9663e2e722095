"""Everything that a page refers to is there."""

import pytest

from server.catalog.loading import load_catalog
from server.paths import shipped_data
from tests.server.web.site.sites import Site, site_of

OWN = ("href", "src")


@pytest.fixture(scope="module")
def shipped() -> Site:
    return site_of(load_catalog(shipped_data()))


def test_every_address_within_the_site_leads_to_a_file_and_an_id_in_it(shipped: Site) -> None:
    followed = 0
    for page in shipped.pages.values():
        for address in (value for attribute in OWN for value in page.values(attribute)):
            target = page.target(address)
            if target is None:
                continue
            path, fragment = target
            assert path in shipped.files, f"{page.path}: {address}"
            assert not fragment or fragment in shipped.pages[path].ids, f"{page.path}: {address}"
            followed += 1
    assert followed > 500


def test_every_page_can_be_reached_from_the_first(shipped: Site) -> None:
    reached, waiting = {"index.html"}, ["index.html"]
    while waiting:
        page = shipped.pages[waiting.pop()]
        found = {target[0] for address in page.values("href") if (target := page.target(address))}
        new = (found & set(shipped.pages)) - reached
        reached |= new
        waiting += new
    assert reached == set(shipped.pages)


def test_ids_are_unique_and_labels_are_on_their_page(shipped: Site) -> None:
    for page in shipped.pages.values():
        assert len(page.ids) == len(set(page.ids)), page.path
    for page in shipped.pages.values():
        assert set(page.values("aria-labelledby")) <= set(page.ids)


def test_nothing_is_loaded_from_elsewhere_and_links_there_are_web_pages(shipped: Site) -> None:
    outside = [value for page in shipped.pages.values() for value in page.values("href") if not page.target(value)]
    assert outside
    assert all(value.startswith(("https://", "http://")) for value in outside)
    for page in shipped.pages.values():
        loaded = [*page.values("src"), *(t.attributes["href"] for t in page.tags if t.name == "link")]
        assert all(page.target(address) for address in loaded)


def test_paths_are_lower_case_and_plain(shipped: Site) -> None:
    assert all(path == path.lower() and path.isascii() for path in shipped.files)
