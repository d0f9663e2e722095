"""A server over stdio that does its worst: answers of every costly shape, and floods. It knows no SDK."""

import json
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

LARGEST: Final = 20 * (1 << 20) - 2_000
"""Bytes of an answer that pass the limit of 20 MiB, its frame included."""

SECONDS: Final = 5.0
"""For which a flood lasts."""


def say(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def message(**parts: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0"} | parts, separators=(",", ":")).encode()


def result(request: Any, body: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%s,"result":{%s}}' % (json.dumps(request).encode(), body)


def repeated(unit: bytes, size: int = LARGEST) -> bytes:
    return unit * (size // len(unit))


def values(unit: bytes, size: int = LARGEST) -> bytes:
    return b'"content":[],"structuredContent":{"v":[%s]}' % repeated(unit + b",", size)[:-1]


def texts(count: int, text: bytes) -> bytes:
    return b'"content":[%s]' % b",".join([b'{"type":"text","text":"%s"}' % text] * count)


def keys(count: int) -> bytes:
    fields = b",".join(b'"%d":0' % number for number in range(count))
    return b'"content":[],"structuredContent":{%s}' % fields


PASSED_ON: Final[dict[str, Callable[[], bytes]]] = {
    "one text": lambda: texts(1, repeated(b"x")),
    "one text of escapes": lambda: texts(1, repeated(rb"\u00e9")),
    "one text of quotes": lambda: texts(1, repeated(rb"\"")),
    "5,000 texts": lambda: texts(5_000, b"x" * 4_000),
    "97,000 lists": lambda: values(b"[]", 290_000),
    "99,000 keys": lambda: keys(99_000),
    "470 long numbers": lambda: values(b"9" * 4_000, 1_900_000),
}
REFUSED: Final[dict[str, Callable[[], bytes]]] = {
    "100,000 texts": lambda: texts(100_000, b"x"),
    "500,000 texts": lambda: texts(500_000, b"x"),
    "399,000 keys": lambda: keys(399_000),
    "1,500,000 lists": lambda: values(b"[]", 4_500_000),
    "long numbers": lambda: values(b"9" * 4_000),
    "one number": lambda: b'"content":[],"structuredContent":{"v":%s}' % repeated(b"9", 1_000_000),
    "deep": lambda: b'"content":[],"structuredContent":{"v":%s}' % (b"[" * 150_000 + b"]" * 150_000),
    "strings": lambda: values(b'"' + b"x" * 50 + b'"'),
    "mixed": lambda: values(b'{"a":[null,-0.0,"\\u0000",1e999,{"":[]}]}'),
}
ANSWERS: Final = PASSED_ON | REFUSED
"""By name: the body of a result, within the limits or beyond them."""

NOTICES: Final[dict[str, Callable[[Any], Iterable[bytes]]]] = {
    "log": lambda _: [message(method="notifications/message", params={"level": "emergency", "data": "x" * 100})],
    "progress": lambda token: [
        message(method="notifications/progress", params={"progressToken": token, "progress": 1.0, "message": "x"})
    ],
    "changes": lambda _: [message(method=f"notifications/{kind}/list_changed") for kind in ("tools", "prompts")],
    "pings": lambda _: [message(id="ping", method="ping")],
    "questions": lambda _: [
        message(id="ask", method="elicitation/create", params={"message": "x", "requestedSchema": {"type": "object"}})
    ],
    "answers to nobody": lambda _: [message(id=987_654_321, result={"content": []})],
    "garbage": lambda _: [b"x" * 1000, b"{", b"[]", b"\xff\xfe"],
    "unknown": lambda _: [message(method="notifications/" + "x" * 500, params={"x": ["y"] * 50})],
}
"""By name: messages that are sent again and again, given the token of progress."""


def flood(lines: Iterable[bytes]) -> None:
    block = b"\n".join(lines) + b"\n"
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        sys.stdout.buffer.write(block * 50)
    sys.stdout.buffer.flush()


def noise() -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        print("x" * 10_000, file=sys.stderr, flush=True)


def do_worst(request: Any, params: dict[str, Any]) -> None:
    kind = params.get("arguments", {}).get("kind", "")
    if kind in ANSWERS:
        say(result(request, ANSWERS[kind]()))
        return
    if kind in NOTICES:
        flood(NOTICES[kind](params.get("_meta", {}).get("progressToken", 0)))
    elif kind == "noise":
        noise()
    say(result(request, texts(1, b"done")))


def tools() -> list[dict[str, Any]]:
    schema = {"type": "object", "properties": {"kind": {"type": "string"}}}
    more = [{"name": f"{number}-" + "x" * 3_500, "inputSchema": {"type": "object"}} for number in range(4_900)]
    listed = [{"name": name, "description": "Do the worst", "inputSchema": schema} for name in ("worst", "echo")]
    return [*listed, *(more if "names" in sys.argv else [])]


def main() -> None:
    about = {"name": "worst", "version": "1"}
    offers = {"tools": {"listChanged": True}, "prompts": {"listChanged": True}, "logging": {}}
    known = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": offers, "serverInfo": about},
        "tools/list": {"tools": tools()},
        "prompts/list": {"prompts": []},
    }
    for line in sys.stdin:
        asked = json.loads(line)
        method, request = asked.get("method"), asked.get("id")
        if method == "tools/call":
            do_worst(request, asked["params"])
        elif method in known:
            say(message(id=request, result=known[method]))
        elif method is not None and request is not None:
            say(message(id=request, error={"code": -32601, "message": "Method not found"}))


if __name__ == "__main__":
    main()
