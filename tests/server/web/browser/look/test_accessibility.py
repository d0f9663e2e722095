"""axe-core finds nothing serious in any view."""

from typing import Final

import pytest

from tests.server.web.browser.axe import severe_findings
from tests.server.web.browser.running import Process
from tests.server.web.browser.views_parts import FRAGMENTS, settled
from tests.server.web.browser.visits import Visits

pytestmark = pytest.mark.slow

SIZES: Final = {"narrow": {"width": 360, "height": 740}, "wide": {"width": 1600, "height": 1000}}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", FRAGMENTS)
def test_nothing_serious(shipped: Process, visits: Visits, view: str, size: str, scheme: str) -> None:
    page = settled(visits.page(shipped.address, FRAGMENTS[view], viewport=SIZES[size], color_scheme=scheme))
    assert severe_findings(page) == []


@pytest.mark.parametrize("view", ["try", "map", "health"])
def test_nothing_serious_in_a_catalog_of_500_labels(labels: Process, visits: Visits, view: str) -> None:
    page = settled(visits.page(labels.address, f"#{view}"))
    assert severe_findings(page) == []


def test_axe_notices_what_it_is_there_for(shipped: Process, visits: Visits) -> None:
    page = settled(visits.page(shipped.address))
    page.evaluate("() => document.querySelector('main').append(document.createElement('select'))")
    assert any(finding.startswith("select-name (critical)") for finding in severe_findings(page))
