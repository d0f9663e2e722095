import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.evals.recording import read_recordings
from tests.server.cli.commands import Commands
from tests.server.evals.asking import GOOD, INPUTS, MODEL, write_prompts
from tests.server.providers.model_server import Hang, ModelServer


@pytest.fixture
def interruptible() -> Iterator[None]:
    """As in the foreground of a terminal: shells let what they start with `&` ignore Ctrl-C."""
    found = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, found)


def interrupt_once_it_hangs(server: ModelServer) -> threading.Thread:
    """Sends what Ctrl-C sends, while the command waits for the model."""

    def interrupt() -> None:
        if server.hanging.wait(60):
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    return thread


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_command_keeps_what_is_done_and_can_be_taken_up(
    command: Commands, model_server: ModelServer, vendor: str, toy_data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    model = ["--model", MODEL, "--provider", vendor, "--base-url", model_server.base_url(vendor)]
    files = ["--data", str(toy_data), "--prompts", str(write_prompts(tmp_path)), "--out", str(out)]
    eval_llm = ["eval", "llm", *model, *files, "--concurrency", "1", "--json"]
    model_server.script.update(GOOD | {INPUTS[1]: [Hang(), *GOOD[INPUTS[1]]]})
    interrupting = interrupt_once_it_hangs(model_server)
    assert command(*eval_llm) == 130
    interrupting.join()
    assert "Traceback" not in command.err
    assert [each.input for each in read_recordings(out)] == INPUTS[:1]
    assert command(*eval_llm) == 0
    assert command.objects()[0]["argumentAccuracy"] == 1.0
    assert [each.input for each in read_recordings(out)] == INPUTS
