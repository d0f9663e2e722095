"""A server over stdio that lists the tools of a JSON file, and adds a line to `starts` beside it when it is started."""

import json
import sys
from pathlib import Path

path = Path(sys.argv[1])
with path.with_name("starts").open("a") as starts:
    starts.write(f"{path.name}\n")

for line in sys.stdin:
    message = json.loads(line)
    answers = {
        "initialize": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": path.stem, "version": "1"},
        },
        "tools/list": {"tools": json.loads(path.read_text(encoding="utf-8"))},
    }
    if "id" in message:
        method = message["method"]
        found = {"result": answers[method]} if method in answers else {"error": {"code": -32601, "message": method}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **found}), flush=True)
