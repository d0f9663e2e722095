"""Where the gateway keeps what must outlive a cache."""

import os
from pathlib import Path
from typing import Final

from platformdirs import user_data_dir

from server import SERVER_NAME
from server.errors import CallerError, brief

USER_DATA_VARIABLE: Final = "AGENT_CAPABILITIES_USER_DATA"


def data_folder() -> Path:
    """The user's data folder: from the environment, else the platform's usual one.

    Raises:
        CallerError: the environment names none, and the user has no home folder.
    """
    chosen = os.environ.get(USER_DATA_VARIABLE)
    usual = Path(chosen or user_data_dir(SERVER_NAME, appauthor=False))
    folder = Path(os.path.expanduser(usual))  # noqa: PTH111 -- Path's own raises where there is no home folder
    if folder.is_absolute() or chosen:
        return folder
    raise CallerError(f"no home folder for {brief(str(usual))}; data need a folder; set {USER_DATA_VARIABLE}")
