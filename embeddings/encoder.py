"""Texts to unit vectors, with ONNX Runtime."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, Protocol, Self

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from tokenizers import Tokenizer

from embeddings.errors import PhraseError
from embeddings.model_files import ModelFiles, shipped_model_folder
from embeddings.model_loading import load_model

Vectors = npt.NDArray[np.float32]

CACHED_QUERIES: Final = 256
"""Vectors kept of texts encoded one by one: 256 * 384 * 4 bytes, under half a megabyte."""


class TextEncoder(Protocol):
    """What the matcher needs of an encoder."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    @property
    def fingerprint(self) -> str:
        """Identity of the model; vectors of two encoders compare only when it is the same."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Texts to float32 (n, dimensions), each row of unit length."""


class Encoder:
    """all-MiniLM-L6-v2, or another model folder of the same shape. Safe to share between threads."""

    def __init__(
        self, files: ModelFiles, session: ort.InferenceSession, tokenizer: Tokenizer, threads: int = 1
    ) -> None:
        """Use `Encoder.load`."""
        self._threads = threads
        self._files = files
        self._session = session
        self._tokenizer = tokenizer
        self._cache: OrderedDict[str, Vectors] = OrderedDict()
        self._cache_lock = threading.Lock()

    @classmethod
    def load(cls, folder: Path | str | None = None, threads: int = 1, split: int = 1) -> Self:
        """Load a model folder, its files checked against the manifest first.

        Args:
            folder: a folder with a MANIFEST.json; the shipped model when left out.
            threads: texts of one call of `encode` that are run at once; give a build all cores.
            split: threads that share each text; two answer a phrase of 10 tokens in 1.2 ms instead of 2.1 ms.

        Raises:
            ModelError: a file is missing, truncated, swapped, or not a model.
        """
        files = ModelFiles.open(Path(folder) if folder is not None else shipped_model_folder())
        session, tokenizer = load_model(files, split)
        return cls(files, session, tokenizer, threads)

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._files.dimensions

    @property
    def fingerprint(self) -> str:
        """Identity of the model, from the digests of its files."""
        return self._files.fingerprint

    def knows(self, word: str) -> bool:
        """Whether a word, in lower case, is one token of the model and so not misspelt."""
        return self._tokenizer.token_to_id(word) is not None

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Embed texts; the rest of a text past the model's limit (256 tokens) is cut off.

        Args:
            texts: any strings, the empty one too. A single string is refused, as it would be read letter by letter.

        Returns:
            float32 (len(texts), dimensions), each row of unit length.

        Raises:
            PhraseError: `texts` is a string, or holds something that is not one.
        """
        if isinstance(texts, str):
            raise PhraseError(f"got the string {texts[:40]!r}; encode takes a sequence of strings; wrap it in a list")
        cleaned = [_clean(text) for text in texts]
        if len(cleaned) == 1:
            return self._encode_one(cleaned[0]).copy()
        return self._encode_many(cleaned)

    def _encode_one(self, text: str) -> Vectors:
        with self._cache_lock:
            if text in self._cache:
                self._cache.move_to_end(text)
                return self._cache[text]
        vector = self._run(text)
        with self._cache_lock:
            self._cache[text] = vector
            if len(self._cache) > CACHED_QUERIES:
                self._cache.popitem(last=False)
        return vector

    def _encode_many(self, texts: Sequence[str]) -> Vectors:
        """Each text by itself, so none is padded, and none moved by the others, with which it would share its scales.

        Batches would gain nothing: on one core, 529 phrases a second run so, and 372 in float32 in batches of 32.
        """
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)

        def run(row: int) -> None:
            vectors[row] = self._run(texts[row])

        if self._threads == 1:
            for row in range(len(texts)):
                run(row)
        else:
            with ThreadPoolExecutor(self._threads) as pool:
                list(pool.map(run, range(len(texts))))
        return vectors

    def _run(self, text: str) -> Vectors:
        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        (vectors,) = self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        return np.asarray(vectors, dtype=np.float32)


def _clean(text: object) -> str:
    """The text as valid Unicode: a lone surrogate, which no tokenizer takes, becomes a question mark."""
    if not isinstance(text, str):
        raise PhraseError(f"got {text!r} of type {type(text).__name__}; a text is a string; convert it first")
    return text.encode("utf-8", "replace").decode("utf-8")
