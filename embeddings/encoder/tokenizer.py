"""Opens the tokenizer of a model folder, set to the model's token limit."""

from pathlib import Path

from tokenizers import Tokenizer


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
