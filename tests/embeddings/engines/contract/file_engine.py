"""The store in one file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from embeddings.engines.file_sqlite import seal
from embeddings.engines.file_store import FileStore
from tests.embeddings.engines.contract.engine import Engine, Places
from tests.embeddings.engines.contract.small_disk import small_disk


@contextmanager
def started() -> Iterator[Places]:
    yield place


def place(folder: Path) -> Engine:
    path = folder / "catalog.labels"

    def damage(key: str) -> None:
        content = path.read_bytes()
        # The key is in the table of keys, and in the JSON value of its record.
        spoilt = content.replace(f'"key":"{key}"'.encode(), f'"yek":"{key}"'.encode())
        assert spoilt != content
        path.write_bytes(spoilt)
        # As somebody would who writes the file anew.
        seal(path)

    @contextmanager
    def on_small_disk() -> Iterator[FileStore]:
        with small_disk(folder / "small", 4) as small:
            yield FileStore(small / "catalog.labels")

    return Engine(open=lambda: FileStore(path), uri=str(path), damage=damage, small_disk=on_small_disk)
