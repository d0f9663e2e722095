"""The official weights: their source, how to check and how to read them."""

from pathlib import Path
from typing import Final

from safetensors.numpy import load_file

from embeddings.arrays import FloatArray
from embeddings.errors import ModelError
from embeddings.files import sha256_of

REPOSITORY: Final = "sentence-transformers/all-MiniLM-L6-v2"
REVISION: Final = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
LICENSE: Final = "Apache-2.0"
WEIGHTS_FILE: Final = "model.safetensors"
TOKENIZER_FILE: Final = "tokenizer.json"
SOURCE_SHA256: Final = {
    WEIGHTS_FILE: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER_FILE: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""sha256 of the official files at `REVISION`."""


def check_source(folder: Path) -> None:
    """Check that the files of a folder are the official ones, byte for byte.

    Raises:
        ModelError: a file is missing, truncated or different.
    """
    for name, expected in SOURCE_SHA256.items():
        path = folder / name
        if not path.is_file():
            raise ModelError(
                f"no {name} in {str(folder)!r}; the build needs {' and '.join(SOURCE_SHA256)}; "
                "give the folder that holds both, or omit --source to fetch them"
            )
        found = sha256_of(path)
        if found != expected:
            raise ModelError(
                f"{str(path)!r} has sha256 {found} ({path.stat().st_size} bytes); the official file of {REPOSITORY} "
                f"at {REVISION} has {expected}; download it again"
            )


def read_weights(folder: Path) -> dict[str, FloatArray]:
    """Read the float32 tensors of a checked folder, by name."""
    return load_file(folder / WEIGHTS_FILE)
