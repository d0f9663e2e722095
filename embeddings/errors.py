"""What can go wrong in matching. Every message names the bad value, the rule, and the next step."""


class EmbeddingsError(Exception):
    """Base of all errors raised by `embeddings`."""


class ModelError(EmbeddingsError):
    """The model folder is missing, damaged, or not what its manifest says."""


class VectorFileError(EmbeddingsError):
    """A vector file is missing, damaged, stale, or made with another model."""


class PhraseBookError(EmbeddingsError):
    """A catalog cannot be matched against: wrong shape, no labels, duplicate names."""


class PhraseError(EmbeddingsError):
    """A phrase cannot be matched: not text, or empty."""
