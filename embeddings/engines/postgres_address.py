"""The address of a PostgreSQL database, shown without its password."""

import re
from dataclasses import dataclass, field
from typing import Final, Self
from urllib.parse import parse_qsl, quote

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from embeddings.arrays import require
from embeddings.errors import StoreError

DEFAULT_SCHEMA: Final = "agent_capabilities"

_SCHEMA: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_SCHEMES: Final = ("postgresql://", "postgres://")
_HIDDEN: Final = "***"


@dataclass(frozen=True)
class Address:
    """A database and a schema in it.

    Attributes:
        shown: names the database in messages; has no password.
        schema: holds all tables of the store.
        connection: connection string of libpq, with the password if one was given.
        secret: the password, which no message may have; empty if none was given.
    """

    shown: str
    schema: str
    connection: str = field(repr=False)
    secret: str = field(repr=False)

    @classmethod
    def parse(cls, uri: str) -> Self:
        """Read `postgresql://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME` and other parameters of libpq.

        Raises:
            StoreError: it is not such a URI.
        """
        try:
            place, _, query = uri.partition("?")
            require(place.startswith(_SCHEMES), "it is a URI")
            given = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
            others = [f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in given if name != "schema"]
            found = conninfo_to_dict("?".join([place, *filter(None, ["&".join(others)])]))
            settings = {name: str(value) for name, value in found.items() if value is not None}
            # libpq ends the password at the first "@"; the rest of one that has another would be taken for a host.
            require("@" not in settings.get("host", "")[1:], "a host has no user")
        except (ValueError, psycopg.Error):
            # What the parser says may have a part of the password.
            raise StoreError(
                f"{_without_user(uri)!r} is not the URI of a database; it has the form "
                "'postgresql://USER@HOST:PORT/DATABASE?schema=NAME', special characters as in '%40'; correct it"
            ) from None
        schema = dict(given).get("schema", DEFAULT_SCHEMA)
        if not _SCHEMA.fullmatch(schema):
            raise StoreError(
                f"schema {schema!r} is not usable; a schema's name has a to z, 0 to 9 and '_', 63 characters at most; "
                "choose another"
            )
        return cls(_shown(settings, schema), schema, make_conninfo("", **settings), settings.get("password", ""))

    def hide(self, text: str) -> str:
        """Return the text without the password."""
        return text.replace(self.secret, _HIDDEN) if self.secret else text


def _shown(settings: dict[str, str], schema: str) -> str:
    user = f"{settings['user']}@" if "user" in settings else ""
    host = settings.get("host", settings.get("hostaddr", ""))
    port = f":{settings['port']}" if "port" in settings else ""
    more = "" if schema == DEFAULT_SCHEMA else f"?schema={schema}"
    return f"postgresql://{user}{host}{port}/{settings.get('dbname', '')}{more}"


def _without_user(uri: str) -> str:
    """Return the URI without user, password and parameters, whatever else is wrong with it."""
    scheme, found, rest = uri.partition("://")
    return f"{scheme.split('?')[0] if found else 'postgresql'}://{rest.rsplit('@', 1)[-1].split('?')[0]}"
