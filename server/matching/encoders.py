"""Loads the encoder with a chosen number of threads, and shares it.

The catalog of agents is embedded with the official model, every other one with the tuned model.
"""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from embeddings.encoder.model_files import official_model_folder

# onnxruntime is imported only to load an encoder, so that a server can list its tools before that.
if TYPE_CHECKING:
    from embeddings.encoder.protocol import TextEncoder

EncoderLoader = Callable[[int], "TextEncoder"]
"""Loads the encoder with a number of threads."""


def load_encoder(threads: int, folder: Path | None = None) -> "TextEncoder":
    """Return the encoder of a model folder (default: the tuned one).

    With one thread, for one query at a time, it splits each query over up to two cores.
    """
    from embeddings.encoder.encoder import Encoder

    return Encoder.load(folder, threads=threads, split=min(2, os.cpu_count() or 1) if threads == 1 else 1)


def load_encoder_for_many(threads: int, folder: Path | None = None) -> "TextEncoder":
    """Load the encoder of a model folder, for many clients: each core has a query of its own, so no query is split."""
    from embeddings.encoder.encoder import Encoder

    return Encoder.load(folder, threads=threads)


def load_agents_encoder(threads: int) -> "TextEncoder":
    """Return the official encoder, with which the catalog of agents is embedded."""
    return load_encoder(threads, official_model_folder())


class SharedEncoder:
    """A loader that loads the encoder for queries once and shares it; each build gets an encoder of its own."""

    def __init__(self, loader: EncoderLoader) -> None:
        """Share what `loader` loads."""
        self._loader = loader
        self._lock = threading.Lock()
        self._kept: TextEncoder | None = None

    @classmethod
    def of(cls, loader: EncoderLoader) -> "SharedEncoder":
        """Return the loader itself if it shares already, else one that shares what it loads."""
        return loader if isinstance(loader, SharedEncoder) else cls(loader)

    def __call__(self, threads: int) -> "TextEncoder":
        """Return the encoder for a number of threads."""
        if threads != 1:
            return self._loader(threads)
        with self._lock:
            if self._kept is None:
                self._kept = self._loader(threads)
            return self._kept

    def __reduce__(self) -> tuple[type["SharedEncoder"], tuple[EncoderLoader]]:
        """Pickle only the loader: the other process gets a new instance, which has loaded no encoder yet."""
        return type(self), (self._loader,)
