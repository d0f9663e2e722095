"""An encoder that spreads batches over processes of this machine."""

import multiprocessing
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Final, Protocol, Self, runtime_checkable

from embeddings.arrays import FloatArray
from embeddings.encoder.caching import EncoderWrapper
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
    """Start a process that ignores Ctrl-C from its first moment: the process that started it ends it then.

    Ctrl-C is blocked meanwhile, which a new process inherits, and not ignored, which would lose it.
    """
    if sys.platform == "win32":
        start()
        return
    # It unblocks Ctrl-C when it starts.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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


AHEAD: Final = 4
"""Batches for each process that are embedded or wait, so that none is idle while the caller writes."""


class WorkersEncoder(EncoderWrapper):
    """Embeds batches in several processes, each with an encoder of its own. Use it in a `with` statement."""

    def __init__(self, encoder: TextEncoder, load: Load, workers: int) -> None:
        """Spread batches; processes are started with the first of them.

        Args:
            encoder: the same model in this process, for single calls of `encode`.
            load: loads it in each of the others; a function that can be pickled.
            workers: number of processes.
        """
        super().__init__(encoder)
        self._load, self._count = load, workers
        self._workers: list[Worker] = []
        self._idle: SimpleQueue[Worker] = SimpleQueue()
        # A thread for each process waits for its answers.
        self._threads = ThreadPoolExecutor(workers, "worker")

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Embed texts as float32 (n, dimensions), in this process."""
        return self._encoder.encode(texts)

    def encode_batches(self, batches: Iterable[Sequence[str]]) -> Iterator[FloatArray]:
        """Embed batches, several at a time, and yield the vectors of each in their order.

        Raises:
            WorkerError: a process ended, or cannot embed.
        """
        self._start()
        waiting: deque[Future[FloatArray]] = deque()
        for batch in batches:
            waiting.append(self._threads.submit(self._encode, batch))
            if len(waiting) >= AHEAD * self._count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def __enter__(self) -> Self:
        """Return the encoder itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.stop()
        self._threads.shutdown(cancel_futures=True)

    def _start(self) -> None:
        while len(self._workers) < self._count:
            worker = Worker(self._load)
            self._workers.append(worker)
            self._idle.put(worker)

    def _encode(self, batch: Sequence[str]) -> FloatArray:
        worker = self._idle.get()
        try:
            return worker.encode(batch)
        finally:
            self._idle.put(worker)


@runtime_checkable
class BatchEncoder(TextEncoder, Protocol):
    """An encoder that embeds several batches at a time."""

    def encode_batches(self, batches: Iterable[Sequence[str]]) -> Iterator[FloatArray]:
        """Embed batches, and yield the vectors of each in their order; batches are read ahead of what is yielded."""


def encoded(batches: Iterable[Sequence[str]], encoder: TextEncoder) -> Iterator[FloatArray]:
    """Yield the vectors of each batch, in order.

    They are the same whichever encoder of a model embeds them, and where.
    """
    return encoder.encode_batches(batches) if isinstance(encoder, BatchEncoder) else map(encoder.encode, batches)
