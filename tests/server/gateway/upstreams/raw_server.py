"""A legacy server over stdio that speaks JSON-RPC by hand, so that it can break every rule. It knows no SDK."""

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

FLAGS = set(sys.argv[1:])
SCHEMA = {"type": "object"}
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}

calls: list[str] = []
tools = ["echo", *(name for flag in FLAGS if flag.startswith("lists=") for name in flag[6:].split(","))]
cancelled: list[Any] = []
waiting: dict[str, Any] = {}


def say(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0"} | message), flush=True)


def text(value: object) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": str(value)}]}


def listed() -> list[Any]:
    entries: list[Any] = [{"name": name, "inputSchema": SCHEMA} for name in tools]
    entries.append({"name": "mismatch", "inputSchema": SCHEMA, "outputSchema": NUMBER})
    if "untyped" in FLAGS:
        entries.append({"name": "untyped", "inputSchema": {"properties": {"n": {"type": "integer"}}}})
    return [*entries, {"name": 5}] if "bad_tool" in FLAGS else entries


def list_tools(params: dict[str, Any]) -> dict[str, Any]:
    if "endless" in FLAGS:
        at = int(params.get("cursor", "0"))
        page = [{"name": f"t{at + more}", "inputSchema": SCHEMA} for more in range(1000)]
        return {"tools": page, "nextCursor": str(at + 1000)}
    if "circle" in FLAGS:
        return {"tools": listed(), "nextCursor": "again"}
    return {"tools": listed()}


def call(request: Any, params: dict[str, Any]) -> None:  # noqa: C901, PLR0912, PLR0915 -- a branch for each fault
    calls.append(params["name"])
    arguments = params.get("arguments") or {}
    match params["name"]:
        case "echo":
            say({"id": request, "result": text(arguments.get("text", ""))})
        case "count":
            say({"id": request, "result": text(len(calls))})
        case "cancelled":
            say({"id": request, "result": text(len(cancelled))})
        case "environment":
            say({"id": request, "result": text(os.environ.get(arguments["name"]))})
        case "pid":
            say({"id": request, "result": text(os.getpid())})
        case "die":
            print("fatal: token-1234567 is wrong", file=sys.stderr, flush=True)
            os._exit(3)
        case "hang":
            pass
        case "garbage":
            print("this is not JSON", flush=True)
            print(json.dumps({"id": request, "result": "text"}), flush=True)
        case "malformed":
            say({"id": request, "result": {"content": [{"type": "nonsense", "value": "x" * arguments.get("size", 1)}]}})
        case "mismatch":
            say({"id": request, "result": text("seen") | {"structuredContent": {"n": "no number"}}})
        case "refused":
            say({"id": request, "error": {"code": -32602, "message": "token-1234567 is not permitted", "data": [1]}})
        case "huge":
            size = arguments["size"]
            head = '{"result":{"content":[{"type":"text","text":"'
            print(head + "x" * size + f'"}}]}},"jsonrpc":"2.0","id":{request}}}', flush=True)
        case "progress":
            token = params.get("_meta", {}).get("progressToken")
            for step in range(arguments["steps"]):
                time.sleep(arguments["pause"])
                progress = {"progressToken": token, "progress": step + 1, "total": arguments["steps"], "message": "on"}
                say({"method": "notifications/progress", "params": progress})
            say({"id": request, "result": text("done")})
        case "log":
            say({"method": "notifications/message", "params": {"level": "info", "data": "noted"}})
            say({"id": request, "result": text("logged")})
        case "ask":
            waiting["elicit"] = request
            asked = {"message": "Which?", "requestedSchema": {"type": "object", "properties": {}}}
            say({"id": "elicit", "method": "elicitation/create", "params": asked})
        case "ping":
            waiting["ping"] = request
            say({"id": "ping", "method": "ping"})
        case "sample":
            waiting["sample"] = request
            say({"id": "sample", "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}})
        case "rename":
            tools[:] = arguments["to"]
            say({"method": "notifications/tools/list_changed"})
            say({"id": request, "result": text("renamed")})
        case "meta":
            say({"id": request, "result": text("x") | {"_meta": {"got": params.get("_meta", {}).get("mine")}}})


def answer(message: dict[str, Any]) -> None:
    method, request, params = message.get("method"), message.get("id"), message.get("params") or {}
    if method is None:
        own = waiting.pop(str(request))
        say({"id": own, "result": text(json.dumps(message.get("result", message.get("error"))))})
    elif method == "notifications/cancelled":
        cancelled.append(params["requestId"])
    elif method == "initialize":
        capabilities = {"tools": {"listChanged": True}, "logging": {}}
        about = {"name": "raw", "version": "1.2"}
        result = {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": about}
        say({"id": request, "result": result | {"instructions": json.dumps(params["capabilities"])}})
    elif method == "tools/list":
        say({"id": request, "result": list_tools(params)})
    elif method == "tools/call":
        call(request, params)
    elif request is not None:
        if "ends_at_discover" in FLAGS:
            os._exit(1)
        say({"id": request, "error": {"code": -32601, "message": "Method not found"}})


def main() -> None:
    for flag in FLAGS:
        if flag.startswith("late="):
            time.sleep(float(flag.removeprefix("late=")))
    if "banner" in FLAGS:
        print("Welcome to the server\n\n  v1", flush=True)
    if "noise" in FLAGS:
        print("using token-1234567\nready", file=sys.stderr, flush=True)
    if "child" in FLAGS:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        tools.append(f"child-{child.pid}")
    if "stubborn" in FLAGS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        if "silent" not in FLAGS:
            answer(json.loads(line))
    while "stubborn" in FLAGS:
        time.sleep(600)


main()
