"""Tells a page which catalog answered, so that it notices when another one is served."""

from server.matching.phrase_service import PhraseService


def catalog_id(service: PhraseService, *, degraded: bool | None = None) -> str:
    """The catalog's fingerprint, marked while it is matched in degraded mode.

    Args:
        service: the catalog.
        degraded: whether the answer was found in degraded mode (default: whether the service is in it now).
    """
    is_degraded = service.matchers.get().is_degraded if degraded is None else degraded
    return f"{service.matchers.fingerprint}{'-degraded' if is_degraded else ''}"
