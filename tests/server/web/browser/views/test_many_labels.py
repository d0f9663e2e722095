"""A catalog of 500 labels."""

import pytest

from tests.server.web.browser.expecting import expect
from tests.server.web.browser.running import Process
from tests.server.web.browser.views_parts import candidates, navigation, phrase_box
from tests.server.web.browser.visits import Visits

pytestmark = pytest.mark.slow


def test_it_has_no_agents(labels: Process, visits: Visits) -> None:
    page = visits.page(labels.address)
    expect(navigation(page).get_by_role("link")).to_have_text(["Try", "Map", "Catalog health"])


def test_a_phrase_finds_its_label(labels: Process, visits: Visits) -> None:
    page = visits.page(labels.address)
    phrase_box(page).fill("please cancel my flight")
    expect(candidates(page).first).to_contain_text("Cancel flight")


def test_the_map_lists_them_all(labels: Process, visits: Visits) -> None:
    page = visits.page(labels.address, "#map")
    expect(page.get_by_role("list", name="Labels").get_by_role("link")).to_have_count(500, timeout=60_000)


def test_its_health_is_reported(labels: Process, visits: Visits) -> None:
    page = visits.page(labels.address, "#health")
    expect(page.get_by_role("main")).to_contain_text("500", timeout=300_000)
