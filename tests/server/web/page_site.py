"""The application of the page over the toy catalog, with answers that a test can foresee."""

import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx2
from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware import Middleware

from server.errors import CallerError
from server.http.app import HttpOptions, security_settings
from server.matching.label_service import LiveService
from server.web.access import Access, Everyone, OwnSite
from server.web.app import Answers, web_app
from server.web.endpoints import PageRequest
from server.web.refusals import SecurityHeaders

SITE: Final = "http://127.0.0.1:8000"
UPLOAD: Final = 2_000


def echoed(asked: PageRequest) -> dict[str, Any]:
    """A request that the server received."""
    return {
        "endpoint": asked.endpoint,
        "params": dict(asked.params),
        "families": list(asked.families),
        "body": len(asked.body),
    }


def mistaken(asked: PageRequest) -> dict[str, Any]:
    """Nothing: the caller is told a mistake."""
    raise CallerError("the thing is 'x'; it must be y; correct it")


def broken(asked: PageRequest) -> dict[str, Any]:
    """Nothing: a fault whose text nobody else may read."""
    raise RuntimeError("secret state")


class Held:
    """Answers when it is let go."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.go = threading.Event()

    def __call__(self, asked: PageRequest) -> dict[str, Any]:
        self.begun.append(asked.params.get("q", asked.endpoint))
        assert self.go.wait(30)
        return {}


def own_site(options: HttpOptions | None = None) -> Middleware:
    """Return the guard of `serve`, whose options may allow more."""
    return Middleware(OwnSite, settings=security_settings(options or HttpOptions()))


def only(*hosts: str) -> Middleware:
    """Return the guard that allows these hosts alone."""
    return Middleware(OwnSite, settings=TransportSecuritySettings(allowed_hosts=list(hosts)))


@asynccontextmanager
async def page_client(
    service: Any,
    answers: Answers = echoed,
    access: Access | None = None,
    *,
    quick: int = 1,
    guards: Sequence[Middleware] | None = None,
    around: Callable[[Any], Any] = lambda app: app,
) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield a client of the page of a service."""
    chosen = [own_site()] if guards is None else guards
    app = web_app(
        LiveService(service),
        answers,
        access or Everyone(),
        quick=quick,
        upload=UPLOAD,
        middleware=[Middleware(SecurityHeaders), *chosen],
    )
    transport = httpx2.ASGITransport(app=around(app), raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url=SITE) as client:
        yield client
