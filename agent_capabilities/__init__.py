"""Match any phrase against a catalog of labels, offline; the `agent-capabilities` server is built on it.

Each name is imported when it is first used, so that `import agent_capabilities` costs next to nothing.
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from embeddings.encoder.encoder import Encoder
    from embeddings.encoder.model_files import official_model_folder
    from embeddings.encoder.protocol import TextEncoder
    from embeddings.errors import (
        CoverageError,
        EmbeddingsError,
        ModelError,
        PhraseBookError,
        PhraseError,
        VectorFileError,
    )
    from embeddings.labels.label import Label
    from embeddings.labels.phrase_book import PhraseBook
    from embeddings.matcher import Matcher
    from embeddings.ranking.decision import NAMED_COSTS, Costs
    from embeddings.ranking.explanation import CandidateExplanation, Explanation
    from embeddings.ranking.match_result import CoverageSet, Decision, Match, MatchedBy, MatchResult

__all__ = [
    "NAMED_COSTS",
    "CandidateExplanation",
    "Costs",
    "CoverageError",
    "CoverageSet",
    "Decision",
    "EmbeddingsError",
    "Encoder",
    "Explanation",
    "Label",
    "Match",
    "MatchResult",
    "MatchedBy",
    "Matcher",
    "ModelError",
    "PhraseBook",
    "PhraseBookError",
    "PhraseError",
    "TextEncoder",
    "VectorFileError",
    "official_model_folder",
]

_MODULES: Final = {
    "embeddings.encoder.encoder": ("Encoder",),
    "embeddings.encoder.model_files": ("official_model_folder",),
    "embeddings.encoder.protocol": ("TextEncoder",),
    "embeddings.errors": (
        "CoverageError",
        "EmbeddingsError",
        "ModelError",
        "PhraseBookError",
        "PhraseError",
        "VectorFileError",
    ),
    "embeddings.labels.label": ("Label",),
    "embeddings.labels.phrase_book": ("PhraseBook",),
    "embeddings.matcher": ("Matcher",),
    "embeddings.ranking.decision": ("Costs", "NAMED_COSTS"),
    "embeddings.ranking.explanation": ("CandidateExplanation", "Explanation"),
    "embeddings.ranking.match_result": ("CoverageSet", "Decision", "Match", "MatchResult", "MatchedBy"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used; `__version__` is the installed release.

    Raises:
        AttributeError: there is no such name.
        ImportError: another `embeddings` comes before this project's own on Python's path.
    """
    if name == "__version__":
        from server import package_version

        return package_version()

    from importlib import import_module

    from agent_capabilities.own_packages import check_own

    for module, names in _MODULES.items():
        if name in names:
            check_own("embeddings")
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'agent_capabilities' has no attribute {name!r}; it has {', '.join(__all__)}")
