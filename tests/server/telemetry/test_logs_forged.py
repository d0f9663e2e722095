"""Text of clients in log records, and how the log keeps it from looking like records or steering a terminal."""

import json
import logging
import sys
import unicodedata
from typing import Final

from embeddings.text.invisible import all_visible
from server.telemetry.logs import configure_logging
from tests.server.telemetry.written import Written

HIDDEN: Final = [
    "\n",
    "\r",
    "\t",
    "\x00",
    "\x1b",
    "\x7f",
    "\x85",
    "\u2028",
    "\u2029",
    "\u202e",
    "\u200b",
    "\ufeff",
    "\u3164",
]
FORGED: Final = "\nERROR server: forged status=7"
STYLES: Final = ("text", "json")


def test_a_hidden_character_of_a_message_or_a_field_is_spelled_out(written: Written) -> None:
    for character in HIDDEN:
        for style in STYLES:
            configure_logging(style)
            logging.getLogger("server").warning("of %s", f"a{character}b", extra={"caller": f"c{character}d"})
            (line,) = written.raw.removesuffix("\n").split("\n")
            assert all_visible(line), (character, style)
            if style == "text":
                shown = character.encode("unicode_escape").decode()
                assert line == f"WARNING server: of a{shown}b caller=c{shown}d", (character, style)


def test_every_control_character_keeps_a_record_in_one_line(written: Written) -> None:
    configure_logging("text")
    controls = "".join(chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cc")
    assert len(controls) == 65
    logging.getLogger("server").warning(controls)
    assert len(written.raw.splitlines()) == 1


def test_a_json_line_gives_back_what_was_said(written: Written) -> None:
    configure_logging("json")
    logging.getLogger("server").warning("a%sb", "".join(HIDDEN))
    line = written.raw
    assert line.isascii()
    assert json.loads(line)["message"] == f"a{''.join(HIDDEN)}b"


def test_visible_text_is_logged_as_it_is(written: Written) -> None:
    configure_logging("text")
    logging.getLogger("server").warning("naïve 日本語 C:\\new \u00a0 👍")
    assert written.raw == "WARNING server: naïve 日本語 C:\\new \u00a0 👍\n"


def test_the_words_of_an_error_forge_no_record(written: Written) -> None:
    for separator in ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028"]:
        for style in STYLES:
            configure_logging(style)
            try:
                raise RuntimeError(f"first{separator}ERROR server: forged\x1b[31m")
            except RuntimeError:
                logging.getLogger("server").exception("broken", extra={"status": 7})
            text = written.raw
            assert "\x1b" not in text, (separator, style)
            assert [line for line in text.splitlines() if line.startswith("ERROR")] == (
                ["ERROR server: broken status=7"] if style == "text" else []
            ), (separator, style)


def test_a_traceback_stands_indented_under_its_record(written: Written) -> None:
    configure_logging("text")
    try:
        raise RuntimeError("why")
    except RuntimeError:
        logging.getLogger("server").exception("broken", extra={"status": 7})
    head, *trace = written.lines
    assert head == "ERROR server: broken status=7"
    assert trace[0] == "  Traceback (most recent call last):"
    assert trace[-1] == "  RuntimeError: why"
    assert all(line.startswith("  ") for line in trace)


def test_where_a_record_was_made_stands_indented_under_it(written: Written) -> None:
    configure_logging("text")
    logging.getLogger("server").warning("here", stack_info=True)
    head, *stack = written.lines
    assert head == "WARNING server: here"
    assert stack[0] == "  Stack (most recent call last):"
    assert all(line.startswith("  ") for line in stack)


def test_a_value_that_is_no_text_is_shown_without_hidden_characters(written: Written) -> None:
    for style in STYLES:

        class Odd:
            def __str__(self) -> str:
                return f"odd{FORGED}"

        configure_logging(style)
        logging.getLogger("server").warning(Odd(), extra={"caller": Odd(), "callers": [Odd.__name__, FORGED]})
        assert len(written.lines) == 1, style
