"""Where vectors are cached for catalogs that have no vector file."""

import os
from pathlib import Path
from typing import Final

from platformdirs import user_cache_dir

from server import SERVER_NAME

CACHE_VARIABLE: Final = "AGENT_CAPABILITIES_CACHE"


def cache_folder() -> Path:
    """The folder of cached vectors: from the environment, else the platform's usual cache folder.

    Raises:
        OSError: the environment names none, and the user has no home folder.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(os.path.expanduser(chosen))  # noqa: PTH111 -- Path's own raises where there is no home folder
    usual = Path(user_cache_dir(SERVER_NAME, appauthor=False))
    if not usual.is_absolute():
        raise FileNotFoundError(f"no home folder for {str(usual)!r}; a cache needs a folder; set {CACHE_VARIABLE}")
    return usual
