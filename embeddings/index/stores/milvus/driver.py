"""Milvus's client, imported without what its import does to a process."""

import logging
import os
from importlib import import_module
from types import ModuleType
from typing import Final


def _imported() -> ModuleType:
    # The import would read a file `.env` into the environment, and the logger prints each failed call with its stack.
    said = os.environ.get("PYTHON_DOTENV_DISABLED")
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"
    try:
        found = import_module("pymilvus")
    finally:
        if said is None:
            del os.environ["PYTHON_DOTENV_DISABLED"]
        else:
            os.environ["PYTHON_DOTENV_DISABLED"] = said
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL + 1)
    return found


pymilvus: Final = _imported()

Failures: Final[tuple[type[Exception], ...]] = (pymilvus.MilvusException, import_module("grpc").RpcError)
"""What the client raises; a server that hangs is an error of gRPC alone."""
