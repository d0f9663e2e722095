"""The application of `serve --transport http` in this process, called without a network."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import httpx2

from server.cli.main import parser
from server.cli.serve_http import application


@asynccontextmanager
async def application_client(*options: str) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield a client of the application with these options, its matcher loaded."""
    app = application(parser().parse_args(["serve", "--transport", "http", *options]))
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client,
    ):
        with anyio.fail_after(60):
            while (await client.get("/readyz")).status_code == 503:
                await anyio.sleep(0.01)
        yield client
