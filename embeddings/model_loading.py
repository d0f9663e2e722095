"""From a model folder to what runs it: the graph and the tokenizer, each compared with its digest before it is read."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import onnxruntime as ort
from tokenizers import Tokenizer

from embeddings.errors import ModelError
from embeddings.model_files import ModelFiles
from embeddings.session import open_session


def load_model(files: ModelFiles, threads: int) -> tuple[ort.InferenceSession, Tokenizer]:
    """Load both files of a model; the tokenizer cuts texts at the model's limit and pads none.

    Args:
        files: where they are, and what they must be.
        threads: that share one run.

    Raises:
        ModelError: a file is missing, truncated, swapped, or not a model.
    """
    files.verify(files.model)
    # onnxruntime lets go of Python's lock while it opens a model: time enough to read the vocabulary. Measured on two
    # cores: 43 ms for all instead of 50.
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(_read_tokenizer, files)
        with _explained(files):
            session = open_session(str(files.model), threads)
        return session, reading.result()


def _read_tokenizer(files: ModelFiles) -> Tokenizer:
    files.verify(files.tokenizer)
    with _explained(files):
        tokenizer = Tokenizer.from_file(str(files.tokenizer))
    tokenizer.enable_truncation(files.max_tokens)
    tokenizer.no_padding()
    return tokenizer


@contextmanager
def _explained(files: ModelFiles) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # Both libraries raise bare exceptions of many kinds for a file they cannot read.
        raise ModelError(
            f"the model in {str(files.folder)!r} cannot be loaded ({error}); it must be an ONNX file and a "
            "tokenizer that this machine's onnxruntime and tokenizers read; reinstall or rebuild the model"
        ) from error
