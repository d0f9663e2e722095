"""An issuer, who takes its tokens, and a clock that can be put forward."""

import time
from collections.abc import Iterator

import pytest

from server.http.oauth import OAuthOptions, OAuthTokens
from tests.server.http.oauth.issuer import RESOURCE, Issuer, issuing
from tests.server.http.oauth.over_http import server_of


class Clock:
    """A monotonic clock that can be put forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing(Issuer()) as issuer:
        yield issuer


@pytest.fixture
def tokens(issuer: Issuer) -> OAuthTokens:
    return OAuthTokens(OAuthOptions(issuer.address, RESOURCE))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("server.http.issuer_keys.time", clock)
    return clock


@pytest.fixture(scope="module")
def team() -> Iterator[Issuer]:
    """Yield the issuer of the server at `address`."""
    with issuing(Issuer(path="/team")) as issuer:
        yield issuer


@pytest.fixture(scope="module")
def address(team: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield a server in a process of its own."""
    with server_of(team, tmp_path_factory.mktemp("oauth")) as address:
        yield address
