import json
from pathlib import Path

import pytest

from embeddings.labels.label import Label
from embeddings.labels.phrase_book import PhraseBook
from server.enrichment.catalog_file import refuse_same_file, write_catalog
from server.errors import CallerError
from tests.toy import BOOK


def test_a_catalog_is_written_so_that_it_is_read_back(tmp_path: Path) -> None:
    book = PhraseBook((*BOOK.labels, Label("a\u2028line", description="née\\", phrasings=("\u2028",))))
    write_catalog(tmp_path / "new" / "out.json", book)
    assert PhraseBook.from_json(tmp_path / "new" / "out.json") == book


def test_the_same_catalog_is_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        write_catalog(tmp_path / name, BOOK)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert json.loads((tmp_path / "a").read_bytes()) == BOOK.to_dict()


def test_a_catalog_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CallerError, match=r"out.json' cannot be written \(.*\); answers .* are kept"):
        write_catalog(tmp_path / "file" / "out.json", BOOK)


def test_a_file_that_is_read_is_not_written(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for kind in ["itself", "dots", "symlink", "hardlink", "not-there"]:
        with subtests.test(kind=kind):
            folder = tmp_path / kind
            (folder / "x").mkdir(parents=True)
            read, other = folder / "catalog.json", folder / "other.json"
            if kind != "not-there":
                read.touch()
            if kind == "symlink":
                other.symlink_to(read)
            if kind == "hardlink":
                other.hardlink_to(read)
            written = {"itself": read, "not-there": read, "dots": folder / "." / "x" / ".." / read.name}.get(
                kind, other
            )
            with pytest.raises(CallerError, match=r"--out .* is .*catalog.json', which is read; "):
                refuse_same_file(written, "--out", read)


def test_another_file_may_be_written(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    refuse_same_file(tmp_path / "b", "--out", tmp_path / "a")
