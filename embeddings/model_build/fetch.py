"""Downloads the official files from the Hugging Face Hub, at the pinned revision, and checks their digests.

huggingface-hub resumes interrupted downloads, shows progress, and honours HF_ENDPOINT, HF_HUB_OFFLINE and HF_HOME.
"""

from pathlib import Path

from huggingface_hub import hf_hub_download
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

from embeddings.errors import ModelError
from embeddings.model_build.weights import REPOSITORY, REVISION, SOURCE_SHA256, check_source


def fetch_source(out: Path | None = None) -> Path:
    """Download the official weights and tokenizer; files that exist already are not downloaded again.

    Args:
        out: destination folder (default: the Hub's cache).

    Returns:
        The folder that holds both.

    Raises:
        ModelError: the Hub cannot be reached, lacks a file, or sends wrong content twice.
    """
    folder = _download(out, force=False)
    try:
        check_source(folder)
    except ModelError:
        # An earlier download may have left damaged files, so download once more.
        folder = _download(out, force=True)
        check_source(folder)
    return folder


def _download(out: Path | None, *, force: bool) -> Path:
    paths: list[Path] = []
    for name in SOURCE_SHA256:
        try:
            path = hf_hub_download(REPOSITORY, name, revision=REVISION, local_dir=out, force_download=force)
        except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:
            cause = error.__cause__ or error
            raise ModelError(
                f"{name} of {REPOSITORY} at {REVISION} could not be fetched ({type(cause).__name__}: {cause}); "
                "this needs a connection to the Hugging Face Hub, or a folder with the official files; check "
                "HF_ENDPOINT, unset HF_HUB_OFFLINE and try again, or pass that folder"
            ) from error
        paths.append(Path(path))
    return paths[0].parent
