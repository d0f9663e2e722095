"""An encoder that spreads batches over processes of this machine."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Final, Self

from embeddings.arrays import FloatArray
from embeddings.encoder.passed_on import PassedOn
from embeddings.encoder.protocol import TextEncoder
from embeddings.training.spread.worker import Load, Worker

AHEAD: Final = 4
"""Batches for each process that are embedded or wait, so that none is idle while the caller writes."""


class WorkersEncoder(PassedOn):
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
        """The encoder itself."""
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
