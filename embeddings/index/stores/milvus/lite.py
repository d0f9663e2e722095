"""Milvus Lite's server of a file, which runs in this process and is shared by all its stores of that file."""

import threading
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from embeddings.errors import StoreError

_lock: Final = threading.Lock()
_users: Final = Counter[Path]()


def acquire(file: Path) -> str:
    """Start the server unless it runs, and return its URI.

    Raises:
        StoreError: Milvus Lite is not installed, or another process uses the file.
    """
    if not file.parent.is_dir():
        raise StoreError(f"there is no folder {str(file.parent)!r}; a file of Milvus is in one that exists; make it")
    with _lock:
        uri = _servers().start_and_get_uri(str(file))
        if uri is None:
            raise StoreError(
                f"{str(file)!r} cannot be opened; one process at a time uses a file of Milvus Lite; "
                "end the other process, or start a server for several: milvus-lite server --host 127.0.0.1 "
                "--data-dir FILE.db"
            )
        _users[file] += 1
        return str(uri)


def release(file: Path) -> None:
    """End the server after its last user, so that another process can use the file."""
    with _lock:
        _users[file] -= 1
        if _users[file] <= 0:
            del _users[file]
            _servers().release_server(str(file))


def _servers() -> Any:
    try:
        return import_module("milvus_lite.server_manager").server_manager_instance
    except ModuleNotFoundError as error:
        raise StoreError(
            "the package 'milvus-lite' is missing; files of Milvus need the extra 'milvus'; install it with: pip "
            "install 'agent-capabilities[milvus]'"
        ) from error
