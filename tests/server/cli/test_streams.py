"""Commands whose standard streams are closed, broken or full."""

import subprocess
import sys

import pytest

from tests.server.faults.served import SECONDS
from tests.server.shell import ALL_CLOSED, CLOSED, FULL, broken_pipe, posix, shell, started, with_full_device

pytestmark = pytest.mark.processes

LIST = ("list", "--agent", "claude-code")
LOOKUP = ("lookup", "claude-code", "MCP Support")
UNKNOWN = ("lookup", "nobody", "MCP Support")
MISTAKES = [UNKNOWN, ("unheard-of",)]
ANSWERING = [LIST, (*LIST, "--json"), LOOKUP, ("--version",), ("--help",)]


@pytest.mark.parametrize("arguments", ANSWERING, ids=" ".join)
def test_a_reader_that_has_left_ends_a_command_without_a_fuss(arguments: tuple[str, ...]) -> None:
    with broken_pipe() as pipe, started(*arguments, out=pipe) as process:
        _, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, errors) == (0, "")


@posix
@pytest.mark.parametrize("arguments", ANSWERING, ids=" ".join)
def test_a_closed_output_ends_a_command_as_a_reader_that_has_left(arguments: tuple[str, ...]) -> None:
    assert shell(*arguments, redirected=CLOSED["output"]) == (0, "", "")


@posix
def test_a_closed_input_does_not_matter_to_a_command_that_does_not_read() -> None:
    ended = shell(*LIST, redirected=CLOSED["input"])
    assert (ended.status, ended.errors) == (0, "")
    assert "MCP Support" in ended.out


@posix
def test_nothing_is_read_from_a_closed_input() -> None:
    assert shell("match", "--batch", "-", redirected=CLOSED["input"]) == (0, "", "")


@posix
@pytest.mark.parametrize("arguments", MISTAKES, ids=" ".join)
def test_with_the_errors_closed_none_ends_up_among_the_answers(arguments: tuple[str, ...]) -> None:
    assert shell(*arguments, redirected=CLOSED["errors"]) == (2, "", "")


@posix
@pytest.mark.parametrize(("arguments", "status"), [(LIST, 0), (UNKNOWN, 2), (("serve",), 0)], ids=str)
def test_a_command_with_every_stream_closed_has_its_status(arguments: tuple[str, ...], status: int) -> None:
    assert shell(*arguments, redirected=ALL_CLOSED).status == status


@pytest.mark.parametrize("arguments", MISTAKES, ids=" ".join)
def test_a_mistake_that_nobody_reads_about_keeps_its_status(arguments: tuple[str, ...]) -> None:
    with broken_pipe() as pipe, started(*arguments, errors=pipe) as process:
        out, _ = process.communicate(timeout=SECONDS)
    assert (process.returncode, out) == (2, "")


@with_full_device
@pytest.mark.parametrize("arguments", ANSWERING, ids=" ".join)
def test_an_answer_that_does_not_fit_on_the_disk_is_a_fault_and_said_once(arguments: tuple[str, ...]) -> None:
    ended = shell(*arguments, redirected=f">{FULL}")
    assert ended.status == 1
    assert ended.errors.startswith('{"error": ' if "--json" in arguments else "error: ")
    assert "No space left on device" in ended.errors
    assert len(ended.errors.splitlines()) == 1


def test_an_error_is_one_line_whatever_it_repeats() -> None:
    code = "from server.cli.main import complain; complain('a\\x1b[31m\\nerror: b\\u202e')"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, encoding="utf-8")
    assert done.stderr == "error: a\\x1b[31m\\nerror: b\\u202e\n"
