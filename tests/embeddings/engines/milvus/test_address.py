"""URIs of Milvus."""

from pathlib import Path

import pytest

from embeddings.engines.milvus_address import CREDENTIAL, Address
from embeddings.errors import StoreError


def test_a_file_is_one_of_milvus_lite(tmp_path: Path) -> None:
    found = Address.parse(f"milvus:{tmp_path}/labels.db?prefix=team_a")
    assert (found.file, found.prefix, found.server) == (tmp_path / "labels.db", "team_a", "")


def test_a_server_has_a_port_and_may_have_a_database() -> None:
    cases = [
        ("milvus+http://localhost:19531/labels", "http://localhost:19531", "labels"),
        ("milvus+https://db.example", "https://db.example:19530", ""),
        ("milvus+http://[::1]:19530/", "http://[::1]:19530", ""),
    ]
    for uri, server, database in cases:
        found = Address.parse(uri)
        assert (found.file, found.server, found.database, found.prefix) == (
            None,
            server,
            database,
            "agent_capabilities",
        ), uri


def test_the_token_comes_from_the_environment_and_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CREDENTIAL, "me:s3cret")
    found = Address.parse("milvus+http://db.example")
    assert found.secret == "me:s3cret"
    assert "s3cret" not in repr(found)
    assert found.hide("auth check failure for me:s3cret, s3cret") == "auth check failure for ***, ***"


def test_other_uris_are_refused_without_showing_a_password() -> None:
    for uri in [
        "milvus:labels",
        "milvus://host",
        "milvus+http://",
        "milvus+http://me:s3cret@host:1",
        "milvus+http://h/a b",
    ]:
        with pytest.raises(StoreError, match="has the form") as caught:
            Address.parse(uri)
        assert "s3cret" not in str(caught.value), uri


def test_a_prefix_that_milvus_does_not_take_is_refused() -> None:
    for prefix in ["", "1a", "a-b", 'a"', "a" * 64]:
        with pytest.raises(StoreError, match="prefix"):
            Address.parse(f"milvus:a.db?prefix={prefix}")
