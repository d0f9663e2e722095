"""Judges a catalog in a process of its own, because fitting a large one takes over a minute and two gigabytes."""

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from typing import IO, TYPE_CHECKING, Any, Final, cast

from embeddings.ranking.decision import Costs
from server.errors import CallerError
from server.matching.encoders import EncoderLoader

if TYPE_CHECKING:
    from embeddings.preflight.finding import Report
    from embeddings.preflight.names import LimitedEncoder

POLITE: Final = 10
"""Added to the process's niceness, so that queries that come meanwhile go first."""

_JUDGE: Final = "from server.web.answers.judging import judge_what_is_sent as judge; judge()"
_COMMAND: Final = [sys.executable, "-c", _JUDGE]


def judged_apart(loader: EncoderLoader, content: Any, costs: Costs) -> "Report":
    """Judge a catalog's JSON value; the process ends when this one does, however that ends.

    Args:
        loader: loads the encoder; it is sent to the process, so it must be picklable.
        content: the catalog's JSON value.
        costs: what mistakes cost the caller.

    Raises:
        Exception: what judging raises, or CallerError if the process is killed.
    """
    sent = pickle.dumps((loader, content, costs))
    with subprocess.Popen(  # noqa: S603 -- this Python
        _COMMAND, env=_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin  # noqa: S101 -- both are pipes
        assert process.stdout  # noqa: S101
        try:
            # It stays open: when it closes, the process knows that nobody waits for it.
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(sent)
                process.stdin.flush()
            answer = process.stdout.read()
        finally:
            process.kill()
    if not answer:
        raise CallerError(
            f"the process of the preflight ended with status {process.returncode}; it takes up to three gigabytes of "
            "memory; run `agent-capabilities preflight` where there is more"
        )
    found = pickle.loads(answer)  # noqa: S301 -- from our own process
    if isinstance(found, Exception):
        raise found
    return cast("Report", found)


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def judge_what_is_sent() -> None:
    """Judge what stands on standard input, and write the report, or the error, to standard output."""
    # Imported here because it imports training, which serving does not need.
    from embeddings.preflight.preflight import preflight

    loader, content, costs = pickle.load(sys.stdin.buffer)  # noqa: S301 -- from the process that started this one
    threading.Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()
    found: Report | Exception
    try:
        if hasattr(os, "nice"):
            os.nice(POLITE)
        # A core is left to queries that come meanwhile.
        encoder = loader(max(1, (os.cpu_count() or 1) - 1))
        found = preflight(content, cast("LimitedEncoder", encoder), costs=costs)
    except Exception as error:
        found = error
    sys.stdout.buffer.write(pickle.dumps(found))
    sys.stdout.buffer.flush()
    os._exit(0)


def _end_with(pipe: IO[bytes]) -> None:
    """End this process when the other end of a pipe closes."""
    pipe.read()
    os._exit(1)
