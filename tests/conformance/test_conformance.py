"""The official conformance suite in server mode, over a real server with the shipped data."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.suite import NOT_INSTALLED, Expected, Suite
from tests.server.http_server import http_server

pytestmark = [pytest.mark.slow]

STARTS = {"without sessions": [], "with sessions": ["--sessions"]}
EXPECTED = Expected.read()
PASSED = [(start, scenario) for scenario, starts in EXPECTED.passed.items() for start in starts]


@pytest.fixture(scope="module")
def suite() -> Suite:
    installed = Suite.installed()
    if installed is None:
        pytest.skip(NOT_INSTALLED)
    return installed


@pytest.fixture(scope="module")
def addresses(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Yield the address of a server by its start."""
    folder = tmp_path_factory.mktemp("cache")
    with (
        http_server(folder, *STARTS["without sessions"]) as without,
        http_server(folder, *STARTS["with sessions"]) as with_sessions,
    ):
        yield {"without sessions": without, "with sessions": with_sessions}


def test_the_installed_suite_is_the_one_that_is_listed(suite: Suite) -> None:
    assert suite.version() == EXPECTED.package.rpartition("@")[2]


def test_every_server_scenario_of_the_suite_is_listed_once(suite: Suite) -> None:
    assert sorted(suite.server_scenarios()) == sorted([*EXPECTED.passed, *EXPECTED.not_applicable])


@pytest.mark.parametrize(("start", "scenario"), PASSED)
def test_no_check_fails(suite: Suite, addresses: dict[str, str], start: str, scenario: str, tmp_path: Path) -> None:
    report = suite.run(scenario, addresses[start], tmp_path)
    assert report.status == 0, report
    assert report.count("FAILURE") == report.count("WARNING") == 0, report
    assert report.count("SUCCESS") > 0, report


@pytest.mark.parametrize("scenario", EXPECTED.not_applicable)
def test_a_scenario_does_not_apply_for_the_reason_listed(
    suite: Suite, addresses: dict[str, str], scenario: str, tmp_path: Path
) -> None:
    report = suite.run(scenario, addresses["with sessions"], tmp_path)
    assert report.count("SUCCESS") == 0, report
    assert EXPECTED.not_applicable[scenario]["evidence"] in str(report), report
