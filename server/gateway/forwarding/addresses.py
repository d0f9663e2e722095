"""Addresses of upstreams' resources: `gateway://SERVER/` and the address that the upstream gave.

The upstream's own address follows unchanged, so an upstream's template stays a template: what it expands to has the
address that the upstream's own template expands to. Only the server's name is percent-encoded.
"""

from collections.abc import Iterable
from typing import Final
from urllib.parse import quote, unquote

LEAD: Final = "gateway://"


def address(server: str, uri: str) -> str:
    """The gateway's address, or template, of an upstream's."""
    return f"{LEAD}{quote(server, safe='')}/{uri}"


def located(address: str, servers: Iterable[str]) -> tuple[str, str] | None:
    """The server and its own address; None if the address is not of this form, or the server is unknown.

    Programs may write the part with the server's name in lower case; then it is found if no other differs only by that.
    """
    if address[: len(LEAD)].lower() != LEAD:
        return None
    encoded, _, uri = address[len(LEAD) :].partition("/")
    wanted, known = unquote(encoded), list(servers)
    alike = [wanted] if wanted in known else [name for name in known if name.casefold() == wanted.casefold()]
    return (alike[0], uri) if uri and len(alike) == 1 else None
