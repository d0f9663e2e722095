"""A model folder: the ONNX file, the tokenizer, and the manifest with the digests of both.

A tuned model has a file of the tensors that differ from another model's, whose folder lies beside its own and whose
other files it uses.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from embeddings.errors import ModelError
from embeddings.files import read_text, sha256_of

MANIFEST_FILE: Final = "MANIFEST.json"
_MIN_TOKENS: Final = 3
"""One word between the two special tokens, [CLS] and [SEP], that every text gets."""

OFFICIAL_MODEL: Final = "all-MiniLM-L6-v2"
"""Embeds the catalog of agents."""

TUNED_MODEL: Final = "all-MiniLM-L6-v2-tools"
"""Embeds every other catalog: it is tuned on requests and the tools that serve them; see `models/README.md`."""


@dataclass(frozen=True)
class ModelFiles:
    """A model folder as its manifest describes it.

    Attributes:
        folder: where the files are.
        model: path of the ONNX file.
        tokenizer: path of the tokenizer file.
        sha256: expected digest by file name.
        dimensions: length of a vector.
        max_tokens: longest input; longer texts are truncated.
        languages: languages that the model reads, as ISO 639 codes; empty if the manifest does not say.
        tensors: path of the tensors that replace those of the same name in the ONNX file; None if it is used as it is.
    """

    folder: Path
    model: Path
    tokenizer: Path
    sha256: dict[str, str]
    dimensions: int
    max_tokens: int
    languages: tuple[str, ...] = ()
    tensors: Path | None = None

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Read the manifest of a folder; `verify` checks the files themselves.

        Raises:
            ModelError: the manifest is missing, unreadable or incomplete.
        """
        path = folder / MANIFEST_FILE
        try:
            manifest: dict[str, Any] = json.loads(read_text(path))
            files = manifest["files"]
            if "base" in manifest:
                return cls._tuned(folder, manifest["base"], files["tensors"])
            found = cls(
                folder=folder,
                model=folder / files["model"]["name"],
                tokenizer=folder / files["tokenizer"]["name"],
                sha256={file["name"]: file["sha256"] for file in files.values()},
                dimensions=int(manifest["dimensions"]),
                max_tokens=int(manifest["maxTokens"]),
                languages=_languages(manifest.get("languages", [])),
            )
            if found.dimensions < 1 or found.max_tokens < _MIN_TOKENS:
                raise ValueError(f"dimensions {found.dimensions}, maxTokens {found.max_tokens}")
            return found
        except FileNotFoundError as error:
            raise ModelError(
                f"no model in {str(folder)!r}; a model folder holds {MANIFEST_FILE} and the files it names; "
                "reinstall agent-capabilities or give another folder"
            ) from error
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise ModelError(
                f"{str(path)!r} cannot be used ({type(error).__name__}: {error}); it must have 'files', 'dimensions' "
                "and 'maxTokens' as the build writes them; rebuild the model or reinstall agent-capabilities"
            ) from error

    @classmethod
    def _tuned(cls, folder: Path, base: str, tensors: Mapping[str, str]) -> Self:
        if Path(base).name != base:
            raise ValueError(f"base {base!r}")
        name = tensors["name"]
        found = cls.open(folder.parent / base)
        return replace(found, folder=folder, sha256=found.sha256 | {name: tensors["sha256"]}, tensors=folder / name)

    @property
    def used(self) -> tuple[Path, ...]:
        """The files that an encoder reads."""
        return (self.model, self.tokenizer, *([self.tensors] if self.tensors else []))

    @property
    def fingerprint(self) -> str:
        """Identifies the model; changes whenever a model file changes."""
        return "-".join(self.sha256[path.name][:16] for path in self.used)

    def check_regular(self, path: Path) -> None:
        """Check that one of the files exists.

        Raises:
            ModelError: it is missing or not a regular file.
        """
        if not path.is_file():
            raise ModelError(
                f"model file {str(path)!r} is missing; {MANIFEST_FILE} names it; "
                "reinstall agent-capabilities or rebuild the model"
            )

    def verify(self, path: Path) -> None:
        """Check one of the files against its digest in the manifest.

        Raises:
            ModelError: the file is missing, truncated or different.
        """
        self.check_regular(path)
        found, expected = sha256_of(path), self.sha256[path.name]
        if found != expected:
            raise ModelError(
                f"model file {str(path)!r} has sha256 {found} ({path.stat().st_size} bytes); "
                f"{MANIFEST_FILE} says {expected}; reinstall agent-capabilities or rebuild the model"
            )


def _languages(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(code, str) for code in value):
        raise ValueError(f"languages {value!r}")
    return tuple(value)


def official_model_folder() -> Path:
    """Return the folder of the official model."""
    return _shipped(OFFICIAL_MODEL)


def tuned_model_folder() -> Path:
    """Return the folder of the tuned model."""
    return _shipped(TUNED_MODEL)


def _shipped(name: str) -> Path:
    """Return the folder of a model: beside the packages in a checkout, inside `embeddings` in an install."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "_models" / name
    return installed if installed.is_dir() else package.parent / "models" / name
