"""Ctrl-C while the command starts."""

import signal
import subprocess
import sys
import time

import pytest

from server.paths import shipped_data
from server.stopping import INTERRUPTED

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal for one process"),
]

START = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "print('begun', flush=True)\n"
    "from agent_capabilities.command import command\n"
    "command(['lookup', 'claude-code', 'can it undo what it did?'])"
)


@pytest.mark.parametrize("milliseconds", range(20, 420, 40))
def test_an_interrupt_at_the_start_ends_the_command_quietly(milliseconds: int) -> None:
    command = [sys.executable, "-c", START]
    root = shipped_data().parent
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "begun\n"
        time.sleep(milliseconds / 1000)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors, errors
    assert process.returncode in (0, INTERRUPTED)
