"""The baseline over HTTP: the SDK's server with one trivial tool and nothing else; takes `--port PORT`."""

import argparse
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from benchmarks.bare_server import call_tool, list_tools


async def ready(_: Request) -> PlainTextResponse:
    """Answer that the server is ready; it is as soon as it listens."""
    return PlainTextResponse("ok")


def main() -> None:
    """Serve without sessions, like the server that it is compared with."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--port", type=int, required=True, help="port to listen on")
    server: Server[Any] = Server("bare", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    routes = [Route("/readyz", ready)]
    app = server.streamable_http_app(stateless_http=True, json_response=True, custom_starlette_routes=routes)
    uvicorn.run(app, port=options.parse_args().port, log_level="warning")


if __name__ == "__main__":
    main()
