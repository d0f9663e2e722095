"""Where to find the data that ship with the project."""

from pathlib import Path


def shipped_data() -> Path:
    """Return the shipped data folder: beside the packages in a checkout, inside `server` in an install."""
    package = Path(__file__).resolve().parent
    installed = package / "_data"
    return installed if installed.is_dir() else package.parent / "data"
