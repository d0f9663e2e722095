"""The official files from the Hugging Face Hub, at the pinned revision, checked by digest.

huggingface-hub resumes what was cut off, shows progress, and honours HF_ENDPOINT, HF_HUB_OFFLINE and HF_HOME.
"""

from pathlib import Path

from huggingface_hub import hf_hub_download
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

from embeddings.errors import ModelError
from embeddings.model_build.weights import REPOSITORY, REVISION, SOURCE_SHA256, check_source


def fetch_source(out: Path | None = None) -> Path:
    """Download the official weights and tokenizer; what is there already is not downloaded again.

    Args:
        out: folder to put them in; the Hub's own cache when left out.

    Returns:
        The folder that holds both.

    Raises:
        ModelError: the Hub cannot be reached, lacks a file, or twice answers with other content.
    """
    folder = _download(out, force=False)
    try:
        check_source(folder)
    except ModelError:
        # What an earlier, damaged download left behind is worth one fresh try.
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
                f"{name} of {REPOSITORY} at {REVISION} could not be fetched ({type(cause).__name__}: {cause}); a "
                "connection to the Hub (HF_ENDPOINT, HF_HUB_OFFLINE unset) or the official files are needed; try "
                "again, or pass the folder that holds them"
            ) from error
        paths.append(Path(path))
    return paths[0].parent
