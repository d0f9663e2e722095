"""A server over stdio whose client takes no answers, or says nothing at all."""

import json

import pytest

from tests.server.faults.messages import ERAS, message
from tests.server.faults.served import SECONDS
from tests.server.shell import ALL_CLOSED, CLOSED, FULL, broken_pipe, posix, shell, started, with_full_device

pytestmark = pytest.mark.processes

ASKED = json.dumps(message(ERAS[1], "tools/list")) + "\n"


def test_a_client_that_takes_no_answer_ends_the_server_while_its_input_is_open() -> None:
    with broken_pipe() as pipe, started("serve", out=pipe) as process:
        assert process.stdin
        assert process.stderr
        process.stdin.write(ASKED)
        process.stdin.flush()
        assert process.wait(SECONDS) == 0
        assert process.stderr.read() == ""


def test_a_client_that_closes_the_output_after_an_answer_ends_the_server() -> None:
    with started("serve") as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(ASKED)
        process.stdin.flush()
        assert "tools" in json.loads(process.stdout.readline())["result"]
        process.stdout.close()
        process.stdin.write(ASKED)
        process.stdin.flush()
        assert process.wait(SECONDS) == 0
        assert process.stderr.read() == ""


def test_a_client_that_asks_much_and_leaves_ends_the_server() -> None:
    with broken_pipe() as pipe, started("serve", out=pipe) as process:
        _, errors = process.communicate(ASKED * 50, timeout=SECONDS)
    assert (process.returncode, errors) == (0, "")


@posix
@pytest.mark.parametrize("said", ["", ASKED], ids=["nothing", "a question"])
@pytest.mark.parametrize("redirected", [CLOSED["input"], CLOSED["output"], ALL_CLOSED])
def test_a_server_that_is_started_with_a_closed_stream_ends_without_a_fuss(redirected: str, said: str) -> None:
    assert shell("serve", redirected=redirected, said=said) == (0, "", "")


@posix
def test_a_server_without_errors_to_write_to_answers() -> None:
    ended = shell("serve", redirected=CLOSED["errors"], said=ASKED)
    assert ended.status == 0
    assert "tools" in json.loads(ended.out)["result"]


@with_full_device
def test_answers_that_cannot_be_written_are_a_fault_that_is_logged_in_one_line() -> None:
    ended = shell("serve", redirected=f">{FULL}", said=ASKED)
    assert (ended.status, ended.out) == (1, "")
    (line,) = ended.errors.splitlines()
    assert line.startswith("ERROR server.protocol.stdio: standard output cannot be written to: [Errno 28] ")
