"""The encoder for routers of semantic-router (aurelio-labs): local, and fast on a processor."""

import asyncio
from pathlib import Path
from typing import Any

from agent_capabilities.integrations import needs

try:
    from semantic_router.encoders.base import DenseEncoder
except ImportError as error:
    raise needs(__name__, error) from error

from pydantic import PrivateAttr

from embeddings.encoder.encoder import Encoder
from embeddings.encoder.model_files import TUNED_MODEL


class LocalEncoder(DenseEncoder):
    """Embeds utterances and queries with all-MiniLM-L6-v2, tuned on requests, or with the model of a folder.

    Attributes:
        folder: a model folder (default: the shipped model).
        threads: how many texts of one call run in parallel.
    """

    name: str = TUNED_MODEL
    type: str = "agent-capabilities"
    folder: Path | None = None
    threads: int = 1
    _encoder: Encoder = PrivateAttr()

    def model_post_init(self, _: Any) -> None:
        """Load the model.

        Raises:
            ModelError: a file is missing, damaged or not a model.
        """
        self._encoder = Encoder.load(self.folder, self.threads)

    def __call__(self, docs: list[Any]) -> list[list[float]]:
        """Embed texts: unit vectors of 384 numbers.

        Raises:
            PhraseError: one of them is not a string.
        """
        vectors: list[list[float]] = self._encoder.encode(docs).tolist()
        return vectors

    async def acall(self, docs: list[Any]) -> list[list[float]]:
        """Embed texts in a thread; see `__call__`."""
        return await asyncio.to_thread(self, docs)
