"""Loads a model folder: opens an ONNX Runtime session for its graph, and its tokenizer."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from embeddings.encoder.model_files import ModelFiles
from embeddings.encoder.session import open_session
from embeddings.encoder.tokenizer import open_tokenizer
from embeddings.errors import ModelError

_LARGE: Final = 4 << 20
"""Bytes of the block allocated before loading; larger than most tensors of a model."""


def load_model(files: ModelFiles, threads: int) -> tuple[ort.InferenceSession, Tokenizer]:
    """Load the files of a model; the tokenizer truncates texts at the model's limit and does not pad.

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
            session = open_session(str(files.model), threads)
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
    return session, tokenizer


def _read_tokenizer(files: ModelFiles) -> Tokenizer:
    files.verify(files.tokenizer)
    return open_tokenizer(files.tokenizer, files.max_tokens)
