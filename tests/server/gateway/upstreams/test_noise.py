"""Output of upstreams is logged within bounds and without secrets."""

import logging
from collections.abc import Iterator

import pytest

from server.gateway.upstreams.noise import Noise, quiet_sdk
from tests.server.gateway.upstreams.running import SECRET

LOGGER = "server.gateway.upstreams.noise"
SDK = "mcp.client.streamable_http"


@pytest.fixture(autouse=True)
def debug(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Log everything during a test."""
    with caplog.at_level(logging.DEBUG, LOGGER), caplog.at_level(logging.DEBUG, SDK):
        yield


def test_a_server_that_writes_without_end_is_cut_off_until_it_pauses(caplog: pytest.LogCaptureFixture) -> None:
    times = [0.0]
    noise = Noise("chatty", (), lambda: times[0])
    for number in range(1000):
        noise.note(f"line {number}")
    assert len(caplog.records) == 51
    assert "more than 50 lines" in caplog.records[-1].message
    times[0] = 11
    for _ in range(1000):
        noise.note("again")
    assert caplog.records[51].message == "server chatty wrote to stderr: again"
    assert len(caplog.records) == 2 * 51


def test_a_line_is_cut_after_its_secrets_are_removed_and_escaped(caplog: pytest.LogCaptureFixture) -> None:
    Noise("a", {SECRET}).note("x" * 495 + SECRET)
    assert "token" not in caplog.text
    assert len(caplog.records[0].message) < 540
    Noise("a", ()).note("\x1b[2Jgone")
    assert "\x1b" not in caplog.text


def test_the_last_lines_are_remembered() -> None:
    noise = Noise("a", ())
    for line in ("one", "two", "three", "four"):
        noise.note(line)
    assert list(noise.last) == ["two", "three", "four"]


def test_the_sdks_log_shows_neither_secrets_nor_tracebacks(caplog: pytest.LogCaptureFixture) -> None:
    quiet_sdk({SECRET})
    try:
        raise ValueError(SECRET)
    except ValueError:
        logging.getLogger(SDK).exception("failed with %s", SECRET)
    assert "failed with [secret] (ValueError)" in caplog.text
    assert SECRET not in caplog.text


def test_the_sdks_log_is_silent_unless_debugging(caplog: pytest.LogCaptureFixture) -> None:
    quiet_sdk(())
    caplog.set_level(logging.INFO, LOGGER)
    logging.getLogger(SDK).error("failed")
    assert not caplog.records
