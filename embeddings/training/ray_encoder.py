"""An encoder that spreads texts over the machines of a Ray cluster, with Ray Data."""

import logging
import os
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, Final, Self

import numpy as np

from embeddings.arrays import FloatArray
from embeddings.encoder.caching import EncoderWrapper
from embeddings.encoder.protocol import TextEncoder
from embeddings.errors import WorkerError
from embeddings.training.workers_encoder import Load

LOCAL: Final = "local"
"""Address of a cluster that is started here, and ends with the encoder."""

MAX_TEXTS: Final = 200_000
"""Texts of one run of Ray Data: what is read ahead of what is yielded, and held in memory. Each run starts its actors
again, which takes seconds."""

FEW: Final = 2048
"""Texts that are embedded in this process, because it takes seconds to start actors."""

_AT_A_TIME: Final = 512
"""Texts that an actor embeds in one call."""

_OBJECT_BYTES: Final = 512 << 20
"""Memory for texts and vectors on their way, of a cluster that is started here; 512 vectors have 0.8 MB."""

_SECONDS_TO_CONNECT: Final = 10

Columns = Mapping[str, Any]


class RayEncoder(EncoderWrapper):
    """Embeds batches in actors, each with an encoder of its own. Use it in a `with` statement."""

    def __init__(
        self, encoder: TextEncoder, load: Load, address: str, actors: int | None = None, few: int = FEW
    ) -> None:
        """Connect to a cluster, or start one.

        Args:
            encoder: the same model in this process.
            load: loads it in an actor; pickled, so that it must exist on each machine of the cluster.
            address: `LOCAL`, "auto" for the cluster of this machine, HOST:PORT, or ray://HOST:PORT.
            actors: number of actors (default: one for each core of the cluster).
            few: with fewer texts than this, no actors are started.

        Raises:
            WorkerError: Ray is not installed, or there is no cluster.
        """
        super().__init__(encoder)
        self._ray = _imported(address)
        self._load, self._few = load, few
        with _told():
            _connect(self._ray, address, actors)
            self._actors = actors or max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Embed texts as float32 (n, dimensions), in this process."""
        return self._encoder.encode(texts)

    def encode_batches(self, batches: Iterable[Sequence[str]]) -> Iterator[FloatArray]:
        """Embed batches, and yield the vectors of each in their order.

        Raises:
            WorkerError: the cluster is gone, or an actor cannot embed.
        """
        waiting = iter(batches)
        while window := _window(waiting):
            texts = [text for batch in window for text in batch]
            if len(texts) < self._few:
                yield from map(self._encoder.encode, window)
                continue
            with _told():
                yield from _cut(self._spread(texts), [len(batch) for batch in window], self.dimensions)

    def __enter__(self) -> Self:
        """Return the encoder itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the cluster; one that was started here ends."""
        self._ray.shutdown()

    def _spread(self, texts: Sequence[str]) -> Iterator[FloatArray]:
        """Yield the vectors of texts, in their order, in parts of any length."""
        # As bytes, because Arrow takes no lone surrogates.
        blocks = -(-len(texts) // _AT_A_TIME)
        rows = [{"row": row, "text": text.encode("utf-8", "surrogatepass")} for row, text in enumerate(texts)]
        data = self._ray.data
        found = data.from_items(rows, override_num_blocks=blocks).map_batches(
            _Actor,
            fn_constructor_args=(self._load, self.fingerprint),
            batch_size=_AT_A_TIME,
            batch_format="numpy",
            compute=data.ActorPoolStrategy(size=min(self._actors, blocks)),
            num_cpus=1,
        )
        expected = count()
        for part in found.iter_batches(batch_size=None, batch_format="numpy"):
            if problem := next(filter(None, part["problem"].tolist()), ""):
                raise _failed(problem)
            if any(row != next(expected) for row in part["row"].tolist()):
                raise _failed("it answered in another order than it was asked")
            yield np.ascontiguousarray(part["vector"], dtype=np.float32)


class _Actor:
    """Embeds texts in a process of the cluster.

    It says what is wrong in its answers, because Ray would make one that raises an error again and again.
    """

    def __init__(self, load: Load, fingerprint: str) -> None:
        self._load, self._fingerprint = load, fingerprint
        self._encoder: TextEncoder | None = None

    def __call__(self, columns: Columns) -> Columns:
        try:
            problem, vectors = "", self._encode(columns["text"])
        except Exception as error:  # Told to the process that asked, which ends the build.
            problem, vectors = f"{type(error).__name__}: {error}", np.zeros((len(columns["row"]), 1), np.float32)
        return {"row": columns["row"], "vector": vectors, "problem": [problem] * len(vectors)}

    def _encode(self, texts: Iterable[bytes]) -> FloatArray:
        self._encoder = self._encoder or self._load()
        if self._encoder.fingerprint != self._fingerprint:
            raise WorkerError(f"the model there is {self._encoder.fingerprint!r}, not {self._fingerprint!r}")
        return self._encoder.encode([text.decode("utf-8", "surrogatepass") for text in texts])


def _window(batches: Iterator[Sequence[str]]) -> list[Sequence[str]]:
    """Return the next batches, together at most as many texts as one run takes."""
    window: list[Sequence[str]] = []
    size = 0
    while size < MAX_TEXTS and (batch := next(batches, None)) is not None:
        window.append(batch)
        size += len(batch)
    return window


def _cut(parts: Iterator[FloatArray], sizes: Sequence[int], width: int) -> Iterator[FloatArray]:
    """Cut rows that come in parts of any length into parts of given lengths."""
    held = np.zeros((0, width), dtype=np.float32)
    for size in sizes:
        while len(held) < size:
            held = np.concatenate([held, next(parts)])
        yield held[:size]
        held = held[size:]


def _imported(address: str) -> Any:
    if address == LOCAL:
        # Ray listens on all interfaces unless there can be no other machines, as on Windows and macOS. It reads this
        # when it is imported.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    # Nothing is told to Ray's makers, and what its parts log does not go between the lines of the command.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    try:
        import ray
        import ray.data
    except ModuleNotFoundError as error:
        raise WorkerError(
            f"the package {error.name!r} is missing; embedding with Ray needs the extra 'ray'; install it with: "
            "pip install 'agent-capabilities[ray]'"
        ) from error
    return ray


def _connect(ray: Any, address: str, actors: int | None) -> None:
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == LOCAL:
        ray.init(
            address=LOCAL,
            num_cpus=actors or os.cpu_count(),
            include_dashboard=False,
            object_store_memory=_OBJECT_BYTES,
            _node_ip_address="127.0.0.1",
            **quiet,
        )
    else:
        _knock(address)
        ray.init(address=address, **quiet)
    logging.getLogger("ray.data").setLevel(logging.CRITICAL + 1)
    context = ray.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False


def _knock(address: str) -> None:
    """Raise OSError if nothing listens at an address, because Ray would go on trying for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), _SECONDS_TO_CONNECT).close()


@contextmanager
def _told() -> Iterator[None]:
    """Tell what is wrong with a cluster in the words of this package."""
    try:
        yield
    except WorkerError:
        raise
    except Exception as error:  # Ray raises errors of its own, of Python, and of gRPC.
        lines = str(error).strip().splitlines() or [""]
        raise _failed(f"{type(error).__name__}: {lines[-1]}") from error


def _failed(why: str) -> WorkerError:
    return WorkerError(
        f"Ray cannot embed ({why}); the cluster must run, and each of its machines needs agent-capabilities and the "
        "same model; check that, and start the build again"
    )
