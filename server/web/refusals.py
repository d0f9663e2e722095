"""What the page's requests are refused with: a status, and JSON with one message in three parts."""

import logging
from collections.abc import Mapping
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from embeddings.errors import PhraseBookError, PhraseError, StoreError
from server.errors import CallerError, brief

logger = logging.getLogger(__name__)

CALLER_MISTAKES: Final = (CallerError, PhraseError, PhraseBookError)


class RefusedError(Exception):
    """A request is not answered.

    Attributes:
        status: of the response.
        headers: of the response.
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers


def refusal(status: int, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """The response to a request that is refused."""
    return JSONResponse({"error": message}, status_code=status, headers=headers)


def answer_to(error: Exception) -> Response:
    """The response to a request that failed; a fault of the server is logged."""
    if isinstance(error, RefusedError):
        return refusal(error.status, str(error), error.headers)
    if isinstance(error, CALLER_MISTAKES):
        return refusal(400, str(error))
    if isinstance(error, StoreError):
        return refusal(503, str(error), {"Retry-After": "5"})
    logger.error("the page's request failed", exc_info=error)
    return refusal(500, "the server failed; a request that it can answer does not fail; its log says why")


async def refuse_path(request: Request, error: Exception) -> Response:
    """The response to a path or a method that there is not."""
    if not isinstance(error, HTTPException):
        return answer_to(error)
    if error.status_code == 405:
        known = (error.headers or {}).get("Allow", "GET")
        message = f"the method {request.method} is not for this address; it takes {known}; use one of these"
    else:
        message = f"there is nothing at {brief(request.url.path)}; the page is at the base of these addresses; open it"
    return refusal(error.status_code, message, error.headers)


HANDLERS: Final[Any] = {HTTPException: refuse_path}
"""Exception handlers of the application."""
