"""The application of the page: its files, and the API that it asks."""

import gzip
import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, Router

from server.http.requests import request_id
from server.matching.label_service import LiveService
from server.telemetry.middleware import Observation, Observer, report
from server.toolset.toolset import token_name
from server.web import refusals
from server.web.access import Access
from server.web.endpoints import ENDPOINTS, QUICK, Endpoint, Lanes, PageRequest, read_body
from server.web.refusals import HANDLERS, RefusedError, answer_to

FOLDER: Final = Path(__file__).parent / "page"

SHELL: Final = "index.html"
"""The file at the page's own address; the others are below `page/`."""

TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
"""Kinds of files that are sent, with their media types; the system's own table of types may say something else."""


@dataclass(frozen=True)
class PageFile:
    """One file.

    Attributes:
        content: as it is.
        compressed: with gzip.
        media_type: what it is.
        tag: its entity tag, of either form.
    """

    content: bytes
    compressed: bytes
    media_type: str
    tag: str

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file.

        Raises:
            OSError: it cannot be read.
        """
        content = path.read_bytes()
        tag = f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'
        return cls(content, gzip.compress(content, mtime=0), TYPES[path.suffix], tag)

    def respond(self, request: Request) -> Response:
        """Respond to a request: with the file, compressed if the client takes that, or that it has not changed."""
        headers = {"ETag": self.tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if self.tag in map(str.strip, request.headers.get("If-None-Match", "").split(",")):
            return Response(status_code=304, headers=headers)
        if not _takes_gzip(request.headers.get("Accept-Encoding", "")):
            return Response(self.content, headers=headers, media_type=self.media_type)
        headers["Content-Encoding"] = "gzip"
        return Response(self.compressed, headers=headers, media_type=self.media_type)


def read_page(folder: Path = FOLDER) -> Mapping[str, PageFile]:
    """Return the page's files by name.

    Raises:
        OSError: a file cannot be read.
    """
    return {path.name: PageFile.read(path) for path in sorted(folder.iterdir()) if path.suffix in TYPES}


def _takes_gzip(accepted: str) -> bool:
    """Return whether an Accept-Encoding header names gzip, and not with the weight 0."""
    for item in accepted.casefold().split(","):
        coding, _, weight = item.partition(";")
        if coding.strip() == "gzip":
            return weight.strip() not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False


PAGE: Final = "page"
"""Method of the page's requests, to observers."""

Answers = Callable[[PageRequest], Mapping[str, Any]]

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
    observers: Sequence[Observer] = (),
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
        observers: called after each request to the API.

    Raises:
        OSError: a file of the page cannot be read.
    """
    files = read_page()
    lanes = Lanes(quick, {endpoint.lane for endpoint in ENDPOINTS} - {QUICK})
    api = _Api(live, answers, access, lanes, upload, observers)
    compress = Middleware(GZipMiddleware, minimum_size=SMALL, compresslevel=COMPRESSION)
    app = Starlette(
        routes=[
            Route(refusals.SHELL, partial(_send, files[SHELL]), methods=["GET"]),
            *(Route(f"{refusals.FILES}{name}", partial(_send, file)) for name, file in files.items() if name != SHELL),
            Mount(refusals.API.rstrip("/"), Router(api.routes(), redirect_slashes=False, middleware=[compress])),
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

    def __init__(
        self,
        live: LiveService[Any],
        answers: Answers,
        access: Access,
        lanes: Lanes,
        upload: int,
        observers: Sequence[Observer],
    ) -> None:
        self._live = live
        self._answers = answers
        self._access = access
        self._lanes = lanes
        self._upload = upload
        self._observers = observers

    def routes(self) -> list[Route]:
        return [Route(f"/{each.name}", partial(self._respond, each), methods=[each.method]) for each in ENDPOINTS]

    async def _respond(self, endpoint: Endpoint, request: Request) -> Response:
        start = time.perf_counter()
        response = await self._answered(endpoint, request)
        if self._observers:
            seen = Observation(
                request=request_id(request.scope),
                method=PAGE,
                tool=endpoint.name,
                caller=token_name(request.scope),
                outcome="ok" if response.status_code == 200 else str(response.status_code),
                decision=_decision(response) if endpoint.name == "match" else None,
                seconds=time.perf_counter() - start,
                arguments=dict(request.query_params),
            )
            report(seen, self._observers)
        return response

    async def _answered(self, endpoint: Endpoint, request: Request) -> Response:
        try:
            families = self._access.families(request)
            service = self._live.current
            endpoint.check(service, families)
            body = await read_body(request, self._upload) if endpoint.method == "POST" else b""
            asked = PageRequest(service, endpoint.name, dict(request.query_params), families, body)
            content = await self._lanes.run(request, endpoint.lane, lambda: self._worked_out(asked))
        except Exception as error:
            return answer_to(error)
        if content is None:
            return answer_to(RefusedError(499, "the client went away; an answer needs a reader; ask again"))
        return Response(content, media_type="application/json")

    def _worked_out(self, asked: PageRequest) -> bytes:
        value = self._answers(asked)
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _decision(response: Response) -> str | None:
    decision: str | None = json.loads(bytes(response.body)).get("decision")
    return decision
