"""A made upstream over stdio that lists the tools of one server: `... upstream.py --tools FILE --server NAME`.

It needs the standard library alone, so that starting ten of them says little of this process and much of the gateway.
Each call is answered with its own arguments.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final

VERSION: Final = "2025-11-25"
NO_METHOD: Final = -32601


def answer(message: dict[str, Any], tools: list[Any], name: str) -> dict[str, Any]:
    """Return the result of a request, or its error, under the key that JSON-RPC has for it."""
    method, params = message["method"], message.get("params") or {}
    if method == "initialize":
        info = {"name": name, "version": "1"}
        return {"result": {"protocolVersion": VERSION, "capabilities": {"tools": {}}, "serverInfo": info}}
    if method == "tools/list":
        return {"result": {"tools": tools}}
    if method == "tools/call":
        text = json.dumps(params.get("arguments") or {})
        return {"result": {"content": [{"type": "text", "text": text}]}}
    if method == "ping":
        return {"result": {}}
    return {"error": {"code": NO_METHOD, "message": f"no method {method!r}; this server has tools alone"}}


def main() -> None:
    """Serve until the input ends."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tools", type=Path, required=True, help='JSON: {"server": {"tools": [...]}}')
    options.add_argument("--server", required=True, help="whose tools are listed")
    chosen = options.parse_args()
    tools = json.loads(chosen.tools.read_text(encoding="utf-8"))[chosen.server]["tools"]
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" in message and "method" in message:
            reply = {"jsonrpc": "2.0", "id": message["id"], **answer(message, tools, chosen.server)}
            sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
