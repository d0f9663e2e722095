"""Phrases to unit vectors to ranked, calibrated matches, for any catalog of labels."""

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embeddings.encoder import Encoder
    from embeddings.matcher import Matcher
    from embeddings.phrase_book import PhraseBook

# onnxruntime reads it when it is loaded. Without it, from 1.29 on, it keeps an identifier in the user's home and
# reports to its makers; nobody is told of anything here, and no network is needed.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

__all__ = ["Encoder", "Matcher", "PhraseBook"]

_HOMES = {"Encoder": "encoder", "Matcher": "matcher", "PhraseBook": "phrase_book"}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: onnxruntime is only loaded by those who encode."""
    if name not in _HOMES:
        raise AttributeError(f"module 'embeddings' has no attribute {name!r}; it has {', '.join(__all__)}")
    from importlib import import_module

    return getattr(import_module(f"embeddings.{_HOMES[name]}"), name)
