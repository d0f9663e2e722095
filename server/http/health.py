"""Two health checks for supervisors: is the process alive, and is it ready to answer?"""

from collections.abc import Awaitable, Callable
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from server.http.addresses import HEALTH, READY
from server.matching.phrase_service import LiveService, Matchers
from server.matching.store_provider import StoreProvider


def health_checks(readyz: Callable[[Request], Awaitable[JSONResponse]]) -> list[Route]:
    """`GET /healthz`: the process is alive. `GET /readyz`: what `readyz` answers."""

    async def healthz(_: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    return [Route(HEALTH, healthz, methods=["GET"]), Route(READY, readyz, methods=["GET"])]


def health_routes(live: LiveService[Any]) -> list[Route]:
    """The health checks of a catalog; ready once catalog, model and vectors are loaded, until then 503."""

    async def readyz(_: Request) -> JSONResponse:
        service = live.current
        service.matchers.start()
        # In a thread, because a store may be asked whether it is there.
        trouble = await to_thread.run_sync(_store_trouble, service.matchers)
        if not service.matchers.ready:
            return JSONResponse({"status": "starting", **trouble}, status_code=503, headers={"Retry-After": "1"})
        if trouble or service.matchers.get().is_degraded:
            return JSONResponse({"status": "degraded", **trouble}, status_code=503)
        return JSONResponse({"status": "ok", **service.size})

    return health_checks(readyz)


def _store_trouble(matchers: Matchers) -> dict[str, str]:
    trouble = matchers.trouble if isinstance(matchers, StoreProvider) else None
    return {"store": trouble} if trouble else {}
