"""Memory given back to the system."""

import ctypes


def release_freed_memory() -> None:
    """Return what was freed to the system, where the C library can be told to (glibc); elsewhere do nothing.

    Loading a model and a vector file leaves some 25 MB of freed memory that glibc keeps for later.
    """
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, TypeError, AttributeError):  # Windows has no such handle, other C libraries no such function.
        return
