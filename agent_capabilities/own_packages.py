"""Finds this project's packages `embeddings` and `server`, even if a user's own files have the same names."""

import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Final

OWN: Final = ("embeddings", "server")

_HOME: Final = Path(__file__).resolve().parents[1]
"""The folder that contains this package and those of `OWN`: a checkout, or where packages are installed."""


def load_own() -> None:
    """Import this project's packages from the folder of this one, whatever comes first on Python's path.

    Only for the command's own process: from here on, a user's files with these names cannot be imported.

    Raises:
        ImportError: a package is missing.
    """
    for name in OWN:
        spec = PathFinder.find_spec(name, [str(_HOME)])
        if spec is None or spec.loader is None:
            raise ImportError(f"no package {name!r} in {str(_HOME)!r}; it is part of agent-capabilities; reinstall it")
        module = module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)


def check_own(name: str) -> None:
    """Check that a name means this project's package.

    Raises:
        ImportError: another package of that name comes first on Python's path.
    """
    loaded = sys.modules.get(name)
    spec = loaded.__spec__ if loaded else find_spec(name)
    origin = spec.origin if spec else None
    if origin is None or Path(origin).resolve().parents[1] != _HOME:
        raise ImportError(
            f"{name!r} is {origin or 'no package'}, not the package of agent-capabilities in {str(_HOME)!r}; Python "
            "imports the first one on its path; rename yours, or run from another folder"
        )
