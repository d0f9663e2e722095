"""The format of log lines, including those of requests."""

import json
import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from server.http.requests import HttpObservation
from server.telemetry.logs import LogFormat, configure_logging
from server.telemetry.middleware import LOGGED_ARGUMENTS, Observation, RequestLog
from tests.server.telemetry.written import Written

SEEN = Observation("7", "tools/call", "lookup_capability", None, "ok", "resolved", 0.01234, {"capability": "my words"})


def test_a_json_line_says_when_how_grave_and_who(written: Written) -> None:
    configure_logging("json")
    logging.getLogger("server.some").error("%d went wrong", 2, extra={"status": 7})
    line = written.only
    time = datetime.fromisoformat(line.pop("time"))
    assert timedelta() <= datetime.now(UTC) - time < timedelta(minutes=1)
    assert line == {"level": "ERROR", "logger": "server.some", "message": "2 went wrong", "status": 7}


def test_a_traceback_and_a_line_break_stay_within_a_json_line(written: Written) -> None:
    configure_logging("json")
    try:
        raise RuntimeError("first\nsecond")
    except RuntimeError:
        logging.getLogger("server").exception("broken\nin two")
    line = written.only
    assert line["message"] == "broken\nin two"
    assert line["exc_info"].endswith("RuntimeError: first\nsecond")


def test_a_text_line_says_how_grave_who_and_the_fields_of_the_record(written: Written) -> None:
    configure_logging("text")
    logging.getLogger("server.some").warning("%d went wrong", 2, extra={"status": 7, "tool": "compare"})
    assert written.lines == ["WARNING server.some: 2 went wrong status=7 tool=compare"]


def test_of_libraries_only_warnings_are_logged(written: Written) -> None:
    styles: list[LogFormat] = ["text", "json"]
    for style in styles:
        for name in ["mcp.server.lowlevel", "httpx2", "uvicorn.error"]:
            configure_logging(style)
            logging.getLogger(name).info("one more step")
            logging.getLogger(name).warning("something is wrong")
            (line,) = written.lines
            assert "something is wrong" in line, (style, name)


def test_configuring_again_does_not_double_lines(written: Written) -> None:
    configure_logging("text")
    configure_logging("json")
    logging.getLogger("server").info("once")
    assert written.only["message"] == "once"


def test_a_request_is_logged_with_what_is_known_of_it_and_not_with_what_was_asked(written: Written) -> None:
    configure_logging("text")
    RequestLog().request(SEEN)
    said = "request=7 method=tools/call tool=lookup_capability outcome=ok decision=resolved milliseconds=12.3"
    assert written.lines == [f"INFO server.telemetry.middleware: request {said}"]


def test_a_fault_of_the_server_is_an_error_and_a_mistake_of_the_caller_is_none(written: Written) -> None:
    for outcome, level in [("tool_error", "INFO"), ("-32602", "INFO"), ("cancelled", "INFO"), ("-32603", "ERROR")]:
        configure_logging("json")
        RequestLog().request(replace(SEEN, outcome=outcome, decision=None))
        assert written.only["level"] == level, (outcome, level)


def test_with_phrases_what_was_asked_is_logged_too(written: Written) -> None:
    configure_logging("json")
    RequestLog(phrases=True).request(SEEN)
    assert json.loads(written.only["arguments"]) == SEEN.arguments


def test_long_arguments_are_cut_and_never_break_a_line(written: Written, subtests: pytest.Subtests) -> None:
    styles: list[LogFormat] = ["text", "json"]
    for character in ["x", "\n", "\u2028", "\U0001f600", "\ud800", "\x1b"]:
        for style in styles:
            with subtests.test(character=character, style=style):
                configure_logging(style)
                RequestLog(phrases=True).request(replace(SEEN, arguments={"capability": character * 5000}))
                (line,) = written.lines
                assert line.isascii()
                assert line.isprintable()
                assert LOGGED_ARGUMENTS < len(line) < LOGGED_ARGUMENTS + 1000


def test_without_arguments_none_are_logged(written: Written) -> None:
    configure_logging("json")
    RequestLog(phrases=True).request(replace(SEEN, method="ping", tool=None, arguments=None))
    assert "arguments" not in written.only


def test_a_refusal_is_logged_with_its_status(written: Written) -> None:
    for status in [0, 400, 401, 503]:
        configure_logging("text")
        RequestLog().refusal(HttpObservation("7", status, 0.001))
        assert written.lines == [
            f"INFO server.telemetry.middleware: refused request=7 status={status} milliseconds=1.0"
        ], status


def test_what_is_no_refusal_is_not_logged_as_one(written: Written) -> None:
    for status in [200, 202, 307]:
        configure_logging("text")
        RequestLog().refusal(HttpObservation("7", status, 0.001))
        assert written.lines == [], status
