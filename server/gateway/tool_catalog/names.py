"""Names of tools as the model sees them: `server__tool`, of the characters that hosts allow, unique and short."""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Final

from server.gateway.configuration.upstream_config import UpstreamConfig

LONGEST: Final = 64
"""Maximum characters of a tool's name; vendors of models allow no more."""

LONGEST_SERVER: Final = 30
"""Maximum characters of the server's part; at least 32 are left for the tool's own."""

SEPARATOR: Final = "__"

_ALLOWED: Final = re.compile(r"[A-Za-z0-9_-]+")
_OTHERS: Final = re.compile(r"[^A-Za-z0-9_-]+")
_DIGEST: Final = 8
_SPELLED: Final = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"}
)
"""Letters that do not decompose into an ASCII letter and a mark."""


def gateway_names(lists: Mapping[str, Iterable[str]]) -> dict[tuple[str, str], str]:
    """Return the name of each tool, by its server and its own name.

    Names depend on which servers and tools there are, not on their order. A server's part never holds the separator,
    so that no server can take the name of another's tool.

    Args:
        lists: own names of the tools by server. Name servers without known tools, too: then no name changes when they
            connect.
    """
    prefixes = server_prefixes(lists)
    names: dict[tuple[str, str], str] = {}
    for server, own in lists.items():
        lead = prefixes[server] + SEPARATOR
        cleaned = _shortened(own, LONGEST - len(lead), lambda name: _ALLOWED.fullmatch(name) is not None)
        names |= {(server, name): lead + short for name, short in cleaned.items()}
    return names


def server_prefixes(servers: Iterable[str]) -> dict[str, str]:
    """Return the first part, before the separator, of the names of each server's tools."""
    return _shortened(servers, LONGEST_SERVER, _is_prefix)


def _is_prefix(name: str) -> bool:
    return _ALLOWED.fullmatch(name) is not None and SEPARATOR not in name and not name.endswith("_")


def _shortened(names: Iterable[str], most: int, allowed: Callable[[str], bool]) -> dict[str, str]:
    """Return a form of each name that is allowed, has at most `most` characters, and that no other name has.

    An allowed name stays as it is. Another is cleaned, and gets a short hash if it lost letters or its end, or if
    another name has the cleaned form.
    """
    wanted = sorted(set(names))
    found = {name: name for name in wanted if len(name) <= most and allowed(name)}
    taken = set(found)
    groups: dict[str, list[str]] = {}
    for name in wanted:
        if name not in found:
            groups.setdefault(_readable(name), []).append(name)
    for plain, group in groups.items():
        alone = len(group) == 1 and plain not in taken and 0 < len(plain) <= most and not _loses_letters(group[0])
        found |= {group[0]: plain} if alone else _hashed(plain, group, most, taken)
        taken |= {found[name] for name in group}
    return found


def _readable(name: str) -> str:
    """Return the name in ASCII, without marks on letters; other characters become single underscores."""
    plain = "".join(part for part in _decomposed(name) if not unicodedata.combining(part))
    return re.sub(r"__+", "_", _OTHERS.sub("_", plain)).strip("_-")


def _loses_letters(name: str) -> bool:
    return any(part.isalnum() and not part.isascii() for part in _decomposed(name))


def _decomposed(name: str) -> str:
    return unicodedata.normalize("NFKD", name[: 4 * LONGEST].translate(_SPELLED))


def _hashed(plain: str, group: Sequence[str], most: int, taken: set[str]) -> dict[str, str]:
    """Return each name of the group as its readable beginning and a hash of all of it."""
    found: dict[str, str] = {}
    for name in group:
        turn = 0
        while (short := _with_digest(plain, name, turn, most)) in taken or short in found.values():
            turn += 1  # Another tool is called just like this.
        found[name] = short
    return found


def _with_digest(plain: str, name: str, turn: int, most: int) -> str:
    digest = hashlib.sha256(f"{turn}:{name}".encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return "_".join(part for part in (plain[: most - _DIGEST - 1].strip("_-"), digest) if part)


OWN: Final = "gateway"
"""The family of the gateway's own tools. No server's tools have this name before the separator."""


def told_apart(configs: Sequence[UpstreamConfig]) -> dict[str, UpstreamConfig]:
    """Return the configurations by the names that they have in their files.

    A configuration that would be called `OWN` gets another name.
    """
    taken = {config.name for config in configs}
    found = {}
    for config in configs:
        name = config.name if not _is_own(config.name) else _another(taken)
        taken.add(name)
        found[config.name] = config if name == config.name else replace(config, name=name)
    return found


def _is_own(name: str) -> bool:
    return server_prefixes([name])[name].casefold() == OWN


def _another(taken: set[str]) -> str:
    names = (f"{OWN}-server{'' if number == 1 else f'-{number}'}" for number in count(1))
    return next(name for name in names if name not in taken)
