"""Warnings of an allowlist that gives what the server does not list."""

import logging

import pytest

from server.matching.service import Service
from server.protocol.server import build_server
from server.toolset.start import Start
from server.toolset.toolset import warn_of_unserved
from tests.server.toolset.starts import rules, started


def warnings(service: Service, start: Start, caplog: pytest.LogCaptureFixture) -> list[str]:
    caplog.set_level(logging.WARNING, "server.toolset.toolset")
    caplog.clear()
    warn_of_unserved(build_server(service, start=start).toolset)
    return caplog.messages


def test_a_family_that_is_not_listed_is_named_with_who_has_it(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    (message,) = warnings(service, started(allowlist=rules(ann=["core"], bob=["core", "match"])), caplog)
    assert message.startswith(
        "the allowlist gives 'bob' the family match, of which this server lists no tool; it lists core;"
    )


@pytest.mark.parametrize("start", [{"profile": "core,match"}, {"profile": "full"}, {"dynamic": True}])
def test_what_is_listed_or_can_be_loaded_is_no_warning(
    service: Service, caplog: pytest.LogCaptureFixture, start: dict[str, object]
) -> None:
    assert warnings(service, started(**start, allowlist=rules(bob=["match"])), caplog) == []  # type: ignore[arg-type]


def test_without_an_allowlist_there_is_nothing_to_warn_of(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    assert warnings(service, started(), caplog) == []
