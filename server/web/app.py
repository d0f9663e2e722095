"""The application of the page: its files, and the API that it asks."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, Router

from server.matching.phrase_service import LiveService
from server.web import paths
from server.web.access import Access
from server.web.asked import Asked
from server.web.endpoints import ENDPOINTS, Endpoint
from server.web.page_files import SHELL, PageFile, read_page
from server.web.refusals import HANDLERS, RefusedError, answer_to
from server.web.work import QUICK, Lanes, read_body

Answers = Callable[[Asked], Mapping[str, Any]]

SMALL: Final = 1000
"""Bytes of an answer that is not worth compressing."""

COMPRESSION: Final = 6
"""zlib's own default: the map of 15,000 phrases shrinks to a tenth more at level 9, which takes three times as long."""


def web_app(
    live: LiveService[Any],
    answers: Answers,
    access: Access,
    *,
    quick: int = 2,
    upload: int,
    middleware: Sequence[Middleware] = (),
    lifespan: Callable[[Starlette], AbstractAsyncContextManager[None]] | None = None,
) -> Starlette:
    """Build the application.

    Args:
        live: holds the service that answers.
        answers: answers requests to the API.
        access: what each caller may use.
        quick: quick answers that are worked out at the same time.
        upload: maximum bytes of a body.
        middleware: around everything, the outermost first.
        lifespan: is open while requests are served.

    Raises:
        OSError: a file of the page cannot be read.
    """
    files = read_page()
    api = _Api(live, answers, access, Lanes(quick, {endpoint.lane for endpoint in ENDPOINTS} - {QUICK}), upload)
    compress = Middleware(GZipMiddleware, minimum_size=SMALL, compresslevel=COMPRESSION)
    app = Starlette(
        routes=[
            Route(paths.SHELL, partial(_send, files[SHELL]), methods=["GET"]),
            *(Route(f"{paths.FILES}{name}", partial(_send, file)) for name, file in files.items() if name != SHELL),
            Mount(paths.API.rstrip("/"), Router(api.routes(), redirect_slashes=False, middleware=[compress])),
        ],
        middleware=middleware,
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    # Answer 404 to a path with an extra slash: a redirect would repeat the Host header before it is checked.
    app.router.redirect_slashes = False
    return app


async def _send(file: PageFile, request: Request) -> Response:
    return file.respond(request)


class _Api:
    """Answers requests to the API in threads."""

    def __init__(self, live: LiveService[Any], answers: Answers, access: Access, lanes: Lanes, upload: int) -> None:
        self._live = live
        self._answers = answers
        self._access = access
        self._lanes = lanes
        self._upload = upload

    def routes(self) -> list[Route]:
        return [Route(f"/{each.name}", partial(self._respond, each), methods=[each.method]) for each in ENDPOINTS]

    async def _respond(self, endpoint: Endpoint, request: Request) -> Response:
        try:
            families = self._access.families(request)
            service = self._live.current
            endpoint.check(service, families)
            body = await read_body(request, self._upload) if endpoint.method == "POST" else b""
            asked = Asked(service, endpoint.name, dict(request.query_params), families, body)
            content = await self._lanes.run(request, endpoint.lane, lambda: self._worked_out(asked))
        except Exception as error:
            return answer_to(error)
        if content is None:
            return answer_to(RefusedError(499, "the client went away; an answer needs a reader; ask again"))
        return Response(content, media_type="application/json")

    def _worked_out(self, asked: Asked) -> bytes:
        value = self._answers(asked)
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
