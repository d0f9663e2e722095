"""From a model folder to what runs it: the session of its graph, and its tokenizer."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from embeddings.errors import ModelError
from embeddings.model_files import ModelFiles
from embeddings.session import open_session

_LARGE: Final = 4 << 20
"""Bytes; more than most tensors of a model have."""


def load_model(files: ModelFiles, threads: int) -> tuple[ort.InferenceSession, Tokenizer]:
    """Load the files of a model; the tokenizer cuts texts at the model's limit and pads none.

    Args:
        files: where they are, and what they must be.
        threads: that share one run.

    Raises:
        ModelError: a file is missing, truncated, swapped, or not a model.
    """
    # glibc hands large blocks out as fresh pages, each a fault, until one was freed: 39 ms in a new process, not 47.
    np.empty(_LARGE, dtype=np.uint8)
    # onnxruntime opens a model without holding Python's lock: time to compare digests and read the vocabulary.
    # On two cores 47 ms instead of 65.
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(_read_tokenizer, files)
        verifying = pool.submit(files.verify, files.model)
        try:
            session = open_session(str(files.model), threads)
            tokenizer = reading.result()
        except ModelError:
            raise
        except Exception as error:  # Both libraries raise bare exceptions of many kinds for a file they cannot read.
            # That the file is not what it must be is the better reason.
            verifying.result()
            raise ModelError(
                f"the model in {str(files.folder)!r} cannot be loaded ({error}); it must be an ONNX file and a "
                "tokenizer that this machine's onnxruntime and tokenizers read; reinstall or rebuild the model"
            ) from error
        verifying.result()
    return session, tokenizer


def _read_tokenizer(files: ModelFiles) -> Tokenizer:
    files.verify(files.tokenizer)
    tokenizer = Tokenizer.from_file(str(files.tokenizer))
    tokenizer.enable_truncation(files.max_tokens)
    tokenizer.no_padding()
    return tokenizer
