"""URIs of Milvus, and what messages show of them."""

from pathlib import Path

import pytest

from embeddings.errors import StoreAwayError, StoreError
from embeddings.index.stores.milvus.address import CREDENTIAL, Address
from embeddings.index.stores.milvus.faults import told


class FailureError(Exception):
    """Like an error of the client."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__()
        self.code, self.message = code, message


def test_a_file_is_one_of_milvus_lite(tmp_path: Path) -> None:
    found = Address.parse(f"milvus:{tmp_path}/labels.db?prefix=team_a")
    assert (found.file, found.prefix, found.server) == (tmp_path / "labels.db", "team_a", "")


@pytest.mark.parametrize(
    ("uri", "server", "database"),
    [
        ("milvus+http://localhost:19531/labels", "http://localhost:19531", "labels"),
        ("milvus+https://db.example", "https://db.example:19530", ""),
        ("milvus+http://[::1]:19530/", "http://[::1]:19530", ""),
    ],
)
def test_a_server_has_a_port_and_may_have_a_database(uri: str, server: str, database: str) -> None:
    found = Address.parse(uri)
    assert (found.file, found.server, found.database, found.prefix) == (None, server, database, "agent_capabilities")


def test_the_token_comes_from_the_environment_and_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CREDENTIAL, "me:s3cret")
    found = Address.parse("milvus+http://db.example")
    assert found.secret == "me:s3cret"
    assert "s3cret" not in repr(found)
    assert found.hide("auth check failure for me:s3cret, s3cret") == "auth check failure for ***, ***"


@pytest.mark.parametrize(
    "uri",
    ["milvus:labels", "milvus://host", "milvus+http://", "milvus+http://me:s3cret@host:1", "milvus+http://h/a b"],
)
def test_other_uris_are_refused_without_showing_a_password(uri: str) -> None:
    with pytest.raises(StoreError, match="has the form") as caught:
        Address.parse(uri)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("prefix", ["", "1a", "a-b", 'a"', "a" * 64])
def test_a_prefix_that_milvus_does_not_take_is_refused(prefix: str) -> None:
    with pytest.raises(StoreError, match="prefix"):
        Address.parse(f"milvus:a.db?prefix={prefix}")


@pytest.mark.parametrize(
    ("code", "message", "away"),
    [
        (2, "Fail connecting to server on 127.0.0.1:1, illegal connection params or server unavailable", True),
        (1, "Retry run out of 75 retry times", True),
        (8, "request is rejected by the rate limiter", True),
        (65535, "auth check failure, please check username and password are correct", False),
        (1, "[Errno 28] No space left on device", False),
        (6, "cannot parse expression", False),
    ],
)
def test_only_an_engine_that_may_come_back_is_away(code: int, message: str, away: bool) -> None:
    found = told(FailureError(code, message), Address.parse("milvus+http://db.example"))
    assert isinstance(found, StoreAwayError) == away
    assert str(found).count(";") >= 2
