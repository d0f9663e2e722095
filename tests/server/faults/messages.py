"""Requests of both protocol eras, as they stand on the wire."""

import json
from typing import Any, Final

import httpx2
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY
from mcp_types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

from tests.server.faults.clean import assert_clean

ERAS: Final = (LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION)

META: Final = {
    PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION,
    CLIENT_INFO_META_KEY: {"name": "tester", "version": "1"},
    CLIENT_CAPABILITIES_META_KEY: {},
}
HELLO: Final = {
    "protocolVersion": LATEST_HANDSHAKE_VERSION,
    "capabilities": {},
    "clientInfo": {"name": "tester", "version": "1"},
}

TOOL: Final = "lookup_capability"
PHRASE: Final = "can it undo what it did?"
MEANT: Final = "Checkpoints"
"""The capability that `PHRASE` means."""


def new_client() -> httpx2.Client:
    """Return a patient client without certificates, which take 70 ms to read and are of no use to plain HTTP."""
    return httpx2.Client(timeout=60, verify=False)


def headers_of(era: str, method: str, name: str | None = None) -> dict[str, str]:
    """Return the headers of a request; in protocol 2026-07-28 they repeat what the body says."""
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": era,
    }
    if era == LATEST_MODERN_VERSION:
        headers |= {"Mcp-Method": method} | ({"Mcp-Name": name} if name else {})
    return headers


def message(era: str, method: str, **params: Any) -> dict[str, Any]:
    """Return a JSON-RPC request."""
    meta = {"_meta": META} if era == LATEST_MODERN_VERSION else {}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | meta}


def call(tool: str = TOOL, **arguments: Any) -> dict[str, Any]:
    """Return the params of a call."""
    return {"name": tool, "arguments": arguments}


def lookup(phrase: str = PHRASE) -> dict[str, Any]:
    """Return the params of a call that asks for a capability of Claude Code."""
    return call(agent="claude-code", capability=phrase)


def post(client: httpx2.Client, address: str, era: str, content: Any, method: str = "tools/call") -> httpx2.Response:
    """Send text or bytes as they are, or any other value as JSON, with the headers of a right request."""
    text = content if isinstance(content, bytes | str) else json.dumps(content)
    body = text if isinstance(text, bytes) else text.encode()
    return client.post(address, content=body, headers=headers_of(era, method, TOOL if method == "tools/call" else None))


def post_call(
    client: httpx2.Client, address: str, era: str, params: dict[str, Any], headers: dict[str, str] | None = None
) -> httpx2.Response:
    """Call a tool."""
    sent = headers_of(era, "tools/call", params["name"]) | (headers or {})
    return client.post(address, json=message(era, "tools/call", **params), headers=sent)


def capability_in(response: httpx2.Response) -> str:
    """Return the capability that a lookup was resolved to, without the model's or the vectors' lack."""
    assert_clean(response.status_code, response.text)
    content = response.json()["result"]["structuredContent"]
    assert "degraded" not in content, content
    name: str = content["capability"]["name"]
    return name


def raw_call(era: str, params: dict[str, Any], **more: str) -> bytes:
    """Return a whole HTTP request that calls a tool, with more headers."""
    return raw_request(era, "tools/call", params, **more)


def raw_request(era: str, method: str, params: dict[str, Any] | bytes, **more: str) -> bytes:
    """Return a whole HTTP request of a method with its params, or with any body instead of what it should be."""
    body = params if isinstance(params, bytes) else json.dumps(message(era, method, **params)).encode()
    name = TOOL if isinstance(params, bytes) else params.get("name")
    return raw_head(headers_of(era, method, name) | {"Content-Length": str(len(body))} | more) + body


def raw_head(headers: dict[str, str], path: str = "/mcp", host: str = "127.0.0.1:1") -> bytes:
    """Return the head of an HTTP request."""
    lines = [f"POST {path} HTTP/1.1", f"Host: {host}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
