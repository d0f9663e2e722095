"""Matches phrases against any catalog of labels: embeds them, ranks the labels and calibrates the confidences."""

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from embeddings.encoder.encoder import Encoder
    from embeddings.labels.phrase_book import PhraseBook
    from embeddings.matcher import Matcher
    from embeddings.ranking.decision import Costs

# onnxruntime reads this variable when it is loaded. Without it, versions from 1.29 on keep an identifier in the user's
# home folder and send telemetry. This project sends no telemetry and needs no network.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

__all__ = ["Costs", "Encoder", "Matcher", "PhraseBook"]

_HOMES = {
    "Costs": "ranking.decision",
    "Encoder": "encoder.encoder",
    "Matcher": "matcher",
    "PhraseBook": "labels.phrase_book",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that onnxruntime is loaded only where `Encoder` is used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'embeddings' has no attribute {name!r}; it has {', '.join(__all__)}")
    from importlib import import_module

    return getattr(import_module(f"embeddings.{_HOMES[name]}"), name)
