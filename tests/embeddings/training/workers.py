"""Encoders that go wrong in the processes that load them, and a build that says which processes it has started."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Sequence

from embeddings.arrays import FloatArray
from embeddings.training.workers_encoder import WorkersEncoder
from tests.toy import ToyEncoder

DEADLY = "deadly"


class Mortal(ToyEncoder):
    """Ends its process when it meets a deadly text."""

    def encode(self, texts: Sequence[str]) -> FloatArray:
        if DEADLY in texts:
            os.kill(os.getpid(), signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        return super().encode(texts)


class Failing(ToyEncoder):
    """Has no memory left."""

    def encode(self, texts: Sequence[str]) -> FloatArray:
        raise MemoryError("none is left")


def without_model() -> ToyEncoder:
    raise FileNotFoundError("no such model")


def run() -> None:
    """Start two processes, say so, and wait for the end."""
    with WorkersEncoder(ToyEncoder(), ToyEncoder, 2) as spread:
        list(spread.encode_batches([["undo"]] * 20))
        print(*(child.pid for child in multiprocessing.active_children()), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    run()
