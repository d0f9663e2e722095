"""The keys in a JWKS (RFC 7517) that verify signatures."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import jwt
from jwt.algorithms import AllowedPublicKeys

from server.http.oauth.issuer import IssuerError

RSA_ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
ALGORITHMS: Final = (*RSA_ALGORITHMS, "ES256", "ES384", "ES512", "EdDSA")
"""Only signatures made with a private key; never "none", nor an algorithm whose secret this server must share."""


class KeyName(NamedTuple):
    """Which key a token's header asks for.

    Attributes:
        kid: the key's id.
        algorithm: the signature algorithm, one of `ALGORITHMS`.
    """

    kid: str
    algorithm: str


KeySet = Mapping[KeyName, AllowedPublicKeys]


def read_key_set(document: Any) -> KeySet:
    """Every key of a JWKS, under each name by which a token may ask for it; unusable keys are skipped.

    Raises:
        IssuerError: there is no usable key.
    """
    listed = document.get("keys") if isinstance(document, dict) else None
    keys: dict[KeyName, AllowedPublicKeys] = {}
    for entry in listed if isinstance(listed, list) else ():
        for name, key in _named(entry):
            keys.setdefault(name, key)
    if not keys:
        raise IssuerError("the issuer's key set holds no key that verifies signatures")
    return keys


def _named(entry: Any) -> Iterator[tuple[KeyName, AllowedPublicKeys]]:
    """A key under each of its names; nothing for an entry that is not a public key for signatures."""
    if not isinstance(entry, dict) or entry.get("use") not in (None, "sig"):
        return
    kid = entry.get("kid")
    # Skip a private key: anyone who can read the key set could sign with it.
    if not isinstance(kid, str) or not kid or "d" in entry:
        return
    try:
        key = jwt.PyJWK(entry)
        too_short = key.Algorithm.check_key_length(key.key)
    except Exception:  # PyJWT raises nearly anything for members of wrong types; the other keys stay usable.
        return
    if too_short:
        return
    # An RSA key works with several algorithms unless it names one; other keys have one, given by their curve.
    any_rsa = key.key_type == "RSA" and not entry.get("alg")
    for algorithm in RSA_ALGORITHMS if any_rsa else (key.algorithm_name,):
        if algorithm in ALGORITHMS:
            yield KeyName(kid, algorithm), key.key
