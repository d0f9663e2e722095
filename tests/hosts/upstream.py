"""An MCP server with one tool, which takes a while to start: `upstream.py NAME SECONDS`.

Only the standard library, so that its start costs nothing else.
"""

import json
import sys
import time
from typing import Any


def main(name: str, seconds: str) -> None:
    """Answer one message a line until the input ends."""
    time.sleep(float(seconds))
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked and "method" in asked:
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **_answer(name, asked)}), flush=True)


def _answer(name: str, asked: dict[str, Any]) -> dict[str, Any]:
    parameters = asked.get("params", {})
    if asked["method"] == "initialize":
        information = {"name": name, "version": "1"}
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": information}
        return {"result": result}
    if asked["method"] == "tools/list":
        schema = {"type": "object", "properties": {"text": {"type": "string"}}}
        tool = {"name": f"{name}_note", "description": f"Writes a note into the {name}", "inputSchema": schema}
        return {"result": {"tools": [tool]}}
    if asked["method"] == "tools/call":
        return {"result": {"content": [{"type": "text", "text": f"noted in the {name}: {parameters['arguments']}"}]}}
    return {"error": {"code": -32601, "message": f"no method {asked['method']}"}}


if __name__ == "__main__":
    main(*sys.argv[1:])
