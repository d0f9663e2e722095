"""However a gateway ends, the processes of its servers end."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.gateway.processes.running_gateway import FAULTS, RawGateway, raw_entry, written
from tests.server.gateway.upstreams.test_processes import lives, wait_until

pytestmark = [pytest.mark.processes, pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")]


def close_input(gateway: RawGateway) -> None:
    assert gateway.process.stdin
    gateway.process.stdin.close()


def terminate(gateway: RawGateway) -> None:
    gateway.process.terminate()


def interrupt(gateway: RawGateway) -> None:
    """As Ctrl-C does: every process of the terminal's group gets the signal."""
    os.killpg(gateway.process.pid, signal.SIGINT)


@pytest.mark.parametrize(
    ("end", "status", "flag"), [(close_input, 0, "plain"), (terminate, 0, "stubborn"), (interrupt, 130, "plain")]
)
def test_no_process_is_left(end: Callable[[RawGateway], None], status: int, flag: str, tmp_path: Path) -> None:
    file = written(
        tmp_path,
        parent=raw_entry(FAULTS, "child"),
        other=raw_entry(FAULTS, flag),
        silent=raw_entry("silent"),
    )
    with RawGateway(file) as gateway:
        running = [int(gateway.call("parent__pid")), int(gateway.call("other__pid"))]
        running += [int(name.rpartition("-")[2]) for name in gateway.families() if "child-" in name]
        end(gateway)
        assert gateway.process.wait(30) == status
    assert len(running) == 3
    assert not any(map(lives, running))


def test_processes_that_end_with_their_input_end_when_the_gateway_is_killed(tmp_path: Path) -> None:
    with RawGateway(written(tmp_path, plain=raw_entry(FAULTS))) as gateway:
        server = int(gateway.call("plain__pid"))
        assert lives(server)
    wait_until(lambda: not lives(server))
