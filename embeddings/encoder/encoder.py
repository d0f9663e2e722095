"""Encodes texts as unit vectors with ONNX Runtime."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from embeddings.arrays import FloatArray
from embeddings.cache import LruCache
from embeddings.encoder.model_files import ModelFiles, tuned_model_folder
from embeddings.errors import ModelError, PhraseError

Session = ort.InferenceSession

_ERRORS_ONLY: Final = 3


Tensors = Mapping[str, ort.OrtValue]
"""Tensors by name. Sessions that use them do not keep them alive."""


def open_session(model: str | bytes, threads: int = 1, tensors: Tensors | None = None) -> ort.InferenceSession:
    """Open a model on the CPU.

    Args:
        model: path of an ONNX file, or its content.
        threads: how many threads share one run.
        tensors: replace those of the same names in the model; whoever passes them keeps them while the session is used.

    Raises:
        Exception: of many types, if onnxruntime cannot read the model.
    """
    # On Windows, the environment variable does not switch telemetry off.
    ort.disable_telemetry_events()
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    for name, value in (tensors or {}).items():
        options.add_initializer(name, value)
    # The graphs already use the fastest operators; higher levels would fuse operators that are faster unfused.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    # There is no other provider to fall back to, and a fallback attempt prints to stdout, which carries the protocol.
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"], enable_fallback=0)


def open_tokenizer(path: Path, max_tokens: int) -> Tokenizer:
    """Open a tokenizer that truncates texts at `max_tokens` and does not pad.

    Raises:
        Exception: of many types, if the file is not a tokenizer.
    """
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(max_tokens)
    tokenizer.no_padding()
    return tokenizer


def with_limits(path: Path, max_tokens: int) -> bytes:
    """Return a tokenizer file's content, set to truncate at `max_tokens` and to pad to the longest text of a batch."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(max_tokens)
    tokenizer.enable_padding()
    return tokenizer.to_str().encode()


_LARGE: Final = 4 << 20
"""Bytes of the block allocated before loading; larger than most tensors of a model."""


class LoadedModel(NamedTuple):
    """A session, the tensors that it uses, and the tokenizer, which truncates at the model's limit and never pads."""

    session: ort.InferenceSession
    tensors: Tensors
    tokenizer: Tokenizer


def load_model(files: ModelFiles, threads: int) -> LoadedModel:
    """Load the files of a model.

    Args:
        files: the paths and expected digests.
        threads: how many threads share one run.

    Raises:
        ModelError: a file is missing, truncated, replaced by another, or not a model.
    """
    # If the model's path were a FIFO, onnxruntime would block on it.
    files.check_regular(files.model)
    # Until a large block has been freed, glibc maps each one as fresh pages, with a page fault each. Freeing one first
    # makes a load in a new process take 39 ms instead of 47.
    np.empty(_LARGE, dtype=np.uint8)
    # onnxruntime releases the GIL while it opens a model, so another thread compares the digests and reads the
    # vocabulary meanwhile: 47 ms instead of 65 on two cores.
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(_read_tokenizer, files)
        verifying = pool.submit(files.verify, files.model)
        try:
            tensors = _read_tensors(files)
            session = open_session(str(files.model), threads, tensors)
            tokenizer = reading.result()
        except ModelError:
            raise
        except Exception as error:  # Both libraries raise many exception types for files they cannot read.
            # A digest that differs explains more, so it is reported first.
            verifying.result()
            raise ModelError(
                f"the model in {str(files.folder)!r} cannot be loaded ({error}); it must be an ONNX file and a "
                "tokenizer that this machine's onnxruntime and tokenizers can read; reinstall agent-capabilities or "
                "rebuild the model"
            ) from error
        verifying.result()
    return LoadedModel(session, tensors, tokenizer)


def _read_tensors(files: ModelFiles) -> Tensors:
    if files.tensors is None:
        return {}
    files.verify(files.tensors)
    with np.load(files.tensors, allow_pickle=False) as arrays:
        return {name: ort.OrtValue.ortvalue_from_numpy(arrays[name]) for name in arrays.files}


def _read_tokenizer(files: ModelFiles) -> Tokenizer:
    files.verify(files.tokenizer)
    return open_tokenizer(files.tokenizer, files.max_tokens)


CACHED_QUERIES: Final = 256
"""Vectors cached from calls that encode a single text: 256 * 384 * 4 bytes, under half a megabyte."""


class Encoder:
    """Sentence encoder: all-MiniLM-L6-v2, or a model folder of the same layout. Safe to share between threads."""

    def __init__(self, files: ModelFiles, loaded: LoadedModel, threads: int = 1, split: int = 1) -> None:
        """Use `Encoder.load`."""
        self._threads, self._split = threads, split
        self._files = files
        self._session, self._tensors, self._tokenizer = loaded
        self._cache: LruCache[str, FloatArray] = LruCache(CACHED_QUERIES)

    @classmethod
    def load(cls, folder: Path | str | None = None, threads: int = 1, split: int = 1) -> Self:
        """Load a model folder and check its files against the manifest.

        Args:
            folder: a folder with a MANIFEST.json (default: the shipped model that is tuned on requests for tools; the
                catalog of agents uses the official one, `official_model_folder()`).
            threads: how many texts of one `encode` call run in parallel. To build a catalog, pass the number of
                cores.
            split: how many threads work on each text. With 2, a phrase of 10 tokens takes 1.2 ms instead of 2.1 ms.

        Raises:
            ModelError: a file is missing, truncated, replaced by another, or not a model.
        """
        files = ModelFiles.open(Path(folder) if folder is not None else tuned_model_folder())
        return cls(files, load_model(files, split), threads, split)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle where the model is; whoever unpickles it loads the same model from there."""
        return _load_again, (type(self), str(self._files.folder), self._threads, self._split, self.fingerprint)

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._files.dimensions

    @property
    def fingerprint(self) -> str:
        """Identifies the model, by the digests of its files."""
        return self._files.fingerprint

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages that the model reads, as ISO 639 codes; empty if its manifest does not say."""
        return self._files.languages

    def knows(self, word: str) -> bool:
        """Return whether a lower-case word is a single token of the model, and so assumed to be spelled correctly."""
        return self._tokenizer.token_to_id(word) is not None

    def unread(self, text: str) -> str:
        """Return the end of a text that is beyond the model's limit and so not read; empty if all of it is read."""
        encoding = self._tokenizer.encode(_clean(text))
        if not encoding.overflowing:
            return ""
        return _clean(text)[max(end for _, end in encoding.offsets) :].strip()

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """Embed texts; each is truncated at the model's limit (256 tokens).

        Args:
            texts: any strings, including empty ones. A single string is refused, because iterating over it would give
                its letters.

        Returns:
            float32 (len(texts), dimensions), each row of unit length.

        Raises:
            PhraseError: `texts` is a string, or an item is not a string.
        """
        if isinstance(texts, str):
            raise PhraseError(f"got the string {texts[:40]!r}; encode takes a sequence of strings; wrap it in a list")
        cleaned = [_clean(text) for text in texts]
        if len(cleaned) == 1:
            return self._encode_one(cleaned[0]).copy()
        return self._encode_many(cleaned)

    def _encode_one(self, text: str) -> FloatArray:
        vector = self._cache.get(text)
        if vector is None:
            vector = self._run(text)
            self._cache.put(text, vector)
        return vector

    def _encode_many(self, texts: Sequence[str]) -> FloatArray:
        """Run each text separately.

        In a batch, texts would be padded, and would change each other's vectors because they share quantization scales.
        Batches are also not faster: one core runs 529 phrases a second this way, and 372 in float32 in batches of 32.
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

    def _run(self, text: str) -> FloatArray:
        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        (vectors,) = self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        return np.asarray(vectors, dtype=np.float32)


def _load_again(kind: type[Encoder], folder: str, threads: int, split: int, fingerprint: str) -> Encoder:
    """Load the model that was pickled.

    Raises:
        ModelError: the folder cannot be used, or has another model now.
    """
    encoder = kind.load(folder, threads, split)
    if encoder.fingerprint != fingerprint:
        raise ModelError(
            f"the model in {folder!r} is {encoder.fingerprint!r}, what was pickled used {fingerprint!r}; an encoder is "
            "pickled without its model; put the same model there, or load the encoder and the vectors by themselves"
        )
    return encoder


def _clean(text: object) -> str:
    """Return valid Unicode: a lone surrogate, which tokenizers reject, becomes a question mark."""
    if not isinstance(text, str):
        raise PhraseError(f"got {text!r} of type {type(text).__name__}; a text is a string; convert it first")
    return text.encode("utf-8", "replace").decode("utf-8")
