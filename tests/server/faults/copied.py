"""A copy of the project, whose files a test may spoil."""

import shutil
from pathlib import Path

import agent_capabilities
import embeddings
import server
from embeddings.encoder.model_files import OFFICIAL_MODEL, official_model_folder
from server.paths import shipped_data


def copy_of_the_project(folder: Path) -> Path:
    """Copy the packages, the data and the model, laid out as in a checkout; run from there, the copy is what runs."""
    for package in (agent_capabilities, embeddings, server):
        source = Path(package.__file__ or "").parent
        skipped = shutil.ignore_patterns("__pycache__", "_data", "_models")
        shutil.copytree(source, folder / source.name, ignore=skipped)
    shutil.copytree(shipped_data(), folder / "data")
    shutil.copytree(official_model_folder(), folder / "models" / OFFICIAL_MODEL)
    return folder


def model_folder(root: Path) -> Path:
    """Return the model of a copy."""
    return root / "models" / OFFICIAL_MODEL
