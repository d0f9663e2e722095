"""URIs of databases, and what messages show of them."""

import pytest

pytest.importorskip("psycopg")
pytest.importorskip("pgvector")

import psycopg

from embeddings.engines.postgres_address import Address
from embeddings.engines.postgres_connections import told
from embeddings.engines.postgres_store import PostgresStore
from embeddings.errors import StoreAwayError, StoreError

SECRET = "s3cr:t@/%&"
QUOTED = "s3cr%3At%40%2F%25%26"


def test_the_schema_is_taken_out_and_other_parameters_stay() -> None:
    found = Address.parse(f"postgresql://me:{QUOTED}@db.example:5433/labels?schema=team_a&sslmode=require")
    assert found.schema == "team_a"
    settings = psycopg.conninfo.conninfo_to_dict(found.connection)
    assert settings == {
        "user": "me",
        "password": SECRET,
        "host": "db.example",
        "port": "5433",
        "dbname": "labels",
        "sslmode": "require",
    }


def test_without_a_schema_it_is_the_own_one() -> None:
    assert Address.parse("postgresql://db.example/labels").schema == "agent_capabilities"


def test_a_host_can_be_a_socket_folder() -> None:
    settings = psycopg.conninfo.conninfo_to_dict(Address.parse("postgresql:///labels?host=/run/pg").connection)
    assert settings == {"host": "/run/pg", "dbname": "labels"}


def test_what_is_shown_has_no_password() -> None:
    found = Address.parse(f"postgresql://me:{QUOTED}@db.example/labels?schema=team_a")
    assert found.shown == "postgresql://me@db.example/labels?schema=team_a"
    assert SECRET not in repr(found)
    assert QUOTED not in repr(found)


def test_a_malformed_uri_is_refused_without_its_password() -> None:
    cases = [
        "postgresql://me:s3cret%zz@db.example/labels",
        "postgresql://me:s3cret@db.example/labels?nonsense=1",
        "postgresql://me:s3cret@db.example/labels?schema",
        "postgresql://me:s3cret@[db.example/labels",
        "postgresql://db.example/labels?password=s3cret&nonsense=1",
        "postgresql://me:p@s3cret@db.example/labels",
        "me:s3cret@db.example",
        "postgresql:me:s3cret@db.example",
    ]
    for uri in cases:
        with pytest.raises(StoreError, match="is not the URI of a database") as caught:
            Address.parse(uri)
        assert "s3cret" not in str(caught.value), uri
        assert caught.value.__cause__ is None, uri
        assert caught.value.__suppress_context__, uri


def test_a_schema_that_needs_quotes_is_refused() -> None:
    for schema in ["", "Team", "a;drop table x", "a" * 64, "1a"]:
        with pytest.raises(StoreError, match="a to z"):
            Address.parse(f"postgresql://db.example/labels?schema={schema.replace(';', '%3B')}")


def test_a_password_within_an_error_is_hidden() -> None:
    address = Address.parse(f"postgresql://me:{QUOTED}@db.example/labels")
    said = told(psycopg.OperationalError(f"connection failed with {SECRET}"), address)
    assert isinstance(said, StoreAwayError)
    assert SECRET not in str(said)


def test_a_host_that_refuses_connections_is_away() -> None:
    store = PostgresStore(f"postgresql://me:{QUOTED}@127.0.0.1:1/labels")
    with pytest.raises(StoreAwayError, match="does not answer") as caught:
        store.revision()
    assert SECRET not in f"{caught.value} {caught.value.__cause__} {store!r}"


def test_a_failing_statement_of_another_kind_is_refused() -> None:
    address = Address.parse("postgresql://db.example/labels")
    for error, expected in (
        (psycopg.errors.DiskFull("full"), "room"),
        (psycopg.errors.InsufficientPrivilege("no"), "grant"),
        (psycopg.errors.FeatureNotSupported("no vector"), "pgvector"),
    ):
        said = told(error, address)
        assert expected in str(said)
        assert not isinstance(said, StoreAwayError)
