"""The labels that changed since a version was published, and the manifest after that, in a small file beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np

from embeddings.checks import require
from embeddings.files import write_atomically
from embeddings.index.stores import arrays_blob
from embeddings.index.stores.manifest import Manifest
from embeddings.index.stores.record import StoredLabel


@dataclass(frozen=True)
class Changes:
    """What was put and removed.

    Attributes:
        version: the version that was changed; changes of another one no longer count.
        manifest: after the changes; None if there are none.
        records: by key, the labels that were put; None for those that were removed.
    """

    version: str
    manifest: Manifest | None = None
    records: Mapping[str, StoredLabel | None] = field(default_factory=dict)

    def put(self, records: Sequence[StoredLabel], manifest: Manifest) -> Self:
        """The changes with some more labels put."""
        return type(self)(self.version, manifest, {**self.records, **{record.key: record for record in records}})

    def remove(self, keys: Sequence[str], manifest: Manifest) -> Self:
        """The changes with some more labels removed."""
        return type(self)(self.version, manifest, {**self.records, **dict.fromkeys(keys)})

    def write(self, path: Path) -> None:
        """Write them, atomically.

        Raises:
            OSError: the folder cannot be written, or is full.
        """
        packed = {key: record.pack() for key, record in self.records.items() if record}
        arrays = {f"record {place}": np.frombuffer(content, np.uint8) for place, content in enumerate(packed.values())}
        if self.manifest:
            arrays["manifest"] = np.frombuffer(self.manifest.pack(), np.uint8)
        gone = [key for key, record in self.records.items() if record is None]
        write_atomically(path, arrays_blob.pack({"version": self.version, "put": [*packed], "gone": gone}, arrays))

    @classmethod
    def read(cls, path: Path, version: str) -> Self:
        """Read the changes of a version; none if there is no file, or it is of another version.

        Raises:
            ValueError: the file is damaged.
            OSError: it cannot be read.
        """
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return cls(version)
        value, arrays = arrays_blob.unpack(content)
        require(isinstance(value, dict) and {"version", "put", "gone"} <= value.keys(), "the changes say what they are")
        if value["version"] != version:
            return cls(version)
        found: dict[str, StoredLabel | None] = dict.fromkeys(value["gone"])
        for place, key in enumerate(value["put"]):
            found[key] = StoredLabel.unpack(arrays[f"record {place}"].tobytes())
        return cls(version, Manifest.unpack(arrays["manifest"].tobytes()) if "manifest" in arrays else None, found)
