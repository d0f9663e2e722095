import signal
import subprocess
import sys
import time

import pytest

from tests.server.faults.messages import ERAS, message
from tests.server.faults.served import SECONDS
from tests.server.stdio_process import answer_of, stdio_server

pytestmark = pytest.mark.processes

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send a process a signal")


@posix
@pytest.mark.parametrize(("told", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_server_over_stdio_stops_when_told_while_its_client_says_nothing(told: signal.Signals, status: int) -> None:
    with stdio_server() as process:
        answer_of(process, message(ERAS[1], "tools/list"))
        process.send_signal(told)
        assert process.wait(SECONDS) == status


@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.12, 0.15, 0.2, 0.3])
def test_a_client_that_leaves_while_the_matcher_is_being_loaded_ends_the_server_without_a_fuss(seconds: float) -> None:
    with stdio_server() as process:
        answer_of(process, message(ERAS[1], "tools/list"))
        time.sleep(seconds)
        _, errors = process.communicate(timeout=SECONDS)
        assert (process.returncode, errors) == (0, "")


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"from server.stopping import *\n{code}"]
    return subprocess.run(command, check=False, capture_output=True, encoding="utf-8", timeout=SECONDS)


def test_what_is_to_be_done_before_the_process_leaves_is_done() -> None:
    done = run_python("before_leaving(lambda: print('sent')); print('said', end=' '); leave(3); print('not reached')")
    assert (done.returncode, done.stdout) == (3, "said sent\n")


def test_an_action_that_never_ends_does_not_keep_the_process() -> None:
    done = run_python(
        "import server.stopping, threading\n"
        "server.stopping.SECONDS_TO_LEAVE = 0.1\n"
        "before_leaving(threading.Event().wait); leave(3)"
    )
    assert done.returncode == 3


def test_an_action_that_fails_does_not_keep_the_process() -> None:
    done = run_python("before_leaving(lambda: 1 / 0); leave(3)")
    assert done.returncode == 3


def test_a_process_that_is_told_to_leave_in_the_midst_of_writing_leaves() -> None:
    done = run_python(
        "import io\n"
        "class Writing(io.RawIOBase):\n"
        "    def writable(self): return True\n"
        "    def write(self, data): leave(3)\n"
        "sys.stdout = io.TextIOWrapper(io.BufferedWriter(Writing()), encoding='utf-8')\n"
        "print('said', flush=True)"
    )
    assert (done.returncode, done.stderr) == (3, "")
