import subprocess
import sys
from pathlib import Path

import pytest

from embeddings.engines.file_store import FileStore
from embeddings.engines.uri import check_uri, is_vector_file, open_store
from embeddings.errors import StoreError


def test_a_file_name_opens_the_store_in_a_file(tmp_path: Path) -> None:
    assert isinstance(open_store(str(tmp_path / "catalog.labels")), FileStore)


def test_what_names_no_store_is_refused_with_those_that_are_known() -> None:
    for uri in ["redis://host/0", "catalog.json", "foo:bar"]:
        with pytest.raises(StoreError, match=r"known are .*postgresql"):
            open_store(uri)


def test_a_vector_file_is_no_store_to_open(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"Matcher\.open"):
        open_store(str(tmp_path / "catalog.npz"))


def test_a_name_that_ends_with_npz_is_the_vector_file() -> None:
    cases = [
        ("a/b.npz", True),
        (r"C:\b.npz", True),
        ("b.labels", False),
        ("milvus:b.npz", False),
        ("postgresql://h/b.npz", False),
    ]
    for uri, expected in cases:
        assert is_vector_file(uri) is expected, uri


def test_a_missing_package_is_told_with_the_extra_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        raise ModuleNotFoundError("No module named 'psycopg'", name="psycopg")

    monkeypatch.setattr("embeddings.engines.uri.import_module", missing)
    with pytest.raises(StoreError, match=r"psycopg.*pip install 'agent-capabilities\[postgres\]'"):
        open_store("postgresql://localhost/x")


@pytest.mark.processes
def test_no_engine_is_imported_by_default() -> None:
    code = (
        "import sys, server.cli.main, embeddings.store_matcher, embeddings.training.store_build\n"
        "engines = {'psycopg', 'pgvector', 'pymilvus', 'milvus_lite', 'grpc', 'ray'}\n"
        "print(sorted(engines.intersection(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_uri_is_checked_before_anything_is_opened() -> None:
    for uri in ["redis://host/0", "catalog.json"]:
        with pytest.raises(StoreError, match="known are"):
            check_uri(uri)


def test_a_missing_package_is_told_before_anything_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("embeddings.engines.uri.find_spec", lambda _: None)
    with pytest.raises(StoreError, match=r"pip install 'agent-capabilities\[milvus\]'"):
        check_uri("milvus:a.db")
    check_uri("a.npz")
    check_uri("a.labels")
