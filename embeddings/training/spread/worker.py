"""A process that embeds batches for the one that started it."""

import multiprocessing
import signal
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Final

from embeddings.arrays import FloatArray
from embeddings.encoder.protocol import TextEncoder
from embeddings.errors import WorkerError

Load = Callable[[], TextEncoder]
"""Loads the encoder; pickled for other processes."""

_SECONDS_TO_END: Final = 5


class Worker:
    """A process with an encoder of its own. It ends with the process that started it, however that ends."""

    def __init__(self, load: Load) -> None:
        """Start the process."""
        # Not forked, because threads of onnxruntime and of BLAS do not survive that, and Windows has no fork.
        context = multiprocessing.get_context("spawn")
        # Each end is open in one process alone, so that each learns when the other ends.
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, load), daemon=True)
        _start(self._process.start)
        theirs.close()

    def encode(self, batch: Sequence[str]) -> FloatArray:
        """Embed a batch.

        Raises:
            WorkerError: the process ended, or cannot embed.
        """
        try:
            self._connection.send([*batch])
            answer: FloatArray | str = self._connection.recv()
        except (EOFError, OSError) as error:
            self._process.join(_SECONDS_TO_END)
            raise WorkerError(
                f"a process that embeds ended with status {self._process.exitcode} (negative: the number of the signal "
                "that ended it); all must run until the build is done; give fewer --workers if memory is short, and "
                "start the build again"
            ) from error
        if isinstance(answer, str):
            raise WorkerError(
                f"a process that embeds failed ({answer}); each needs the model, and memory for it; fix that, and "
                "start the build again"
            )
        return answer

    def stop(self) -> None:
        """End the process, whatever it does."""
        self._process.terminate()
        self._process.join(_SECONDS_TO_END)
        self._connection.close()


def _start(start: Callable[[], object]) -> None:
    """Start a process that ignores Ctrl-C from its first moment: the process that started it ends it then."""
    if threading.current_thread() is not threading.main_thread():
        start()
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        start()
    finally:
        signal.signal(signal.SIGINT, before)


def _serve(connection: Connection, load: Load) -> None:
    # Windows does not pass on what is ignored.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    encoder: TextEncoder | None = None
    while True:
        try:
            batch = connection.recv()
        except (EOFError, OSError):
            return
        answer: FloatArray | str
        try:
            encoder = encoder or load()
            answer = encoder.encode(batch)
        except Exception as error:  # Told to the process that asked, which ends the build.
            answer = f"{type(error).__name__}: {error}"
        try:
            connection.send(answer)
        except OSError:
            return
