"""Errors of the package. Every message names the bad value, the rule, and the next step."""


class EmbeddingsError(Exception):
    """Base of all errors raised by `embeddings`."""


class ModelError(EmbeddingsError):
    """The model folder is missing, damaged, or does not agree with its manifest."""


class CoverageError(EmbeddingsError):
    """A set of candidates cannot be promised to hold the right one."""


class VectorFileError(EmbeddingsError):
    """A vector file is missing, damaged, stale, or was built with another model."""


class PhraseBookError(EmbeddingsError):
    """A catalog is unusable: it has the wrong structure, no labels, or duplicate names."""


class PhraseError(EmbeddingsError):
    """A phrase cannot be matched: it is not a string, or it is blank."""


class StoreError(EmbeddingsError):
    """A store cannot be used: nothing is stored, it does not fit, it is damaged, or its engine refuses."""


class StoreChangedError(StoreError):
    """Another writer changed a store since the caller read it; the change can be made again from what is there now."""


class StoreEmptyError(StoreError):
    """No catalog was ever published in a store."""


class StoreAwayError(StoreError):
    """The engine of a store does not answer, or not in time."""


class WorkerError(EmbeddingsError):
    """Other processes that embed texts cannot start, or one of them ended or failed."""
