"""Two addresses for whoever supervises the server: is the process alive, and can it answer as it should?"""

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from server.http.addresses import HEALTH, READY
from server.live_service import LiveService


def health_routes(live: LiveService) -> list[Route]:
    """`GET /healthz`: the process answers. `GET /readyz`: catalog, model and vectors are there; 503 until they are."""

    async def healthz(_: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    async def readyz(_: Request) -> JSONResponse:
        service = live.current
        service.matchers.start()
        if not service.matchers.ready:
            return JSONResponse({"status": "starting"}, status_code=503, headers={"Retry-After": "1"})
        if service.matchers.get().is_degraded:
            return JSONResponse({"status": "degraded"}, status_code=503)
        return JSONResponse({"status": "ok", "capabilities": len(service.catalog.capabilities)})

    return [Route(HEALTH, healthz, methods=["GET"]), Route(READY, readyz, methods=["GET"])]
