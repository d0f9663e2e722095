"""What the largest inputs cost that the limits let pass: `python -m benchmarks.worst_cases [--write]`.

Each case runs in a process of its own, which prints the seconds of the processor and the megabytes of memory that the
input took. While an upstream's message is read, nothing else is answered; a query gives way to others all the time.
"""

import argparse
import gzip
import io
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

RESULTS: Final = Path(__file__).parent / "results" / "worst_cases.json"
MEGABYTE: Final = 1 << 20
ANSWER: Final = 20 * MEGABYTE
"""Bytes of the largest message of an upstream, `server.gateway.upstreams.states.Limits.message`."""

COSTLY: Final = "\ufdfa"
"""One character that is normalized to eighteen."""


@contextmanager
def measured() -> Iterator[dict[str, float]]:
    """Yield what the block took, once it has ended: seconds of the processor, and megabytes."""
    found: dict[str, float] = {}
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    yield found
    found["seconds"] = round(time.process_time() - began, 2)
    # Kilobytes, except on macOS.
    unit = 1 << 10 if sys.platform == "darwin" else 1
    found["megabytes"] = round((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / unit / 1024)


def answer(**result: Any) -> dict[str, float]:
    """Read and check an upstream's answer to a call, and write the gateway's own with it."""
    from mcp_types.methods import serialize_server_result
    from mcp_types.version import LATEST_MODERN_VERSION

    from server.gateway.upstreams.messages import RESULT_ADAPTER

    # Loaded and made once in a process.
    passed_on("tools/call", content=[])
    RESULT_ADAPTER.validate_python({"content": []}, by_name=False)
    line = response(**result)
    with measured() as found:
        read = RESULT_ADAPTER.validate_python(passed_on("tools/call", line), by_name=False)
        written = serialize_server_result(
            "tools/call", LATEST_MODERN_VERSION, read.model_dump(by_alias=True, mode="json", exclude_none=True)
        )
        types.JSONRPCResponse(jsonrpc="2.0", id=1, result=written).model_dump_json()
    return found


def response(**result: Any) -> bytes:
    """Return the line of an answer."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}, separators=(",", ":")).encode()


def passed_on(method: str, line: bytes = b"", **result: Any) -> dict[str, Any]:
    """Return the result of a line as the gateway takes it from a connection."""
    from server.gateway.upstreams.messages import MessageInspector, read_message

    inspector = MessageInspector()
    inspector.sent(SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=1, method=method)))
    message = read_message(line or response(**result), ANSWER)
    received = inspector.received(message).message if message else None
    if not isinstance(received, types.JSONRPCResponse):
        raise ValueError("the answer is refused; it must be just below the limit; make it smaller")
    return received.result


def values() -> dict[str, float]:
    """Answer with as many values as one may have."""
    from server.gateway.upstreams.message_costs import MAX_RESULT_VALUES

    return answer(content=[], structuredContent={"values": [[]] * (MAX_RESULT_VALUES - 5)})


def read_values() -> dict[str, float]:
    """List tools with as many values as a message may have."""
    from server.gateway.upstreams.message_costs import MAX_VALUES

    schema = {"type": "object", "examples": [{}] * 90}
    line = response(tools=[{"name": str(number), "inputSchema": schema} for number in range(MAX_VALUES // 200)])
    passed_on("tools/list", tools=[])
    with measured() as found:
        passed_on("tools/list", line)
    return found


def entries() -> dict[str, float]:
    """Answer with as many parts as one may have."""
    from server.gateway.upstreams.message_costs import MAX_ENTRIES

    return answer(content=[{"type": "text", "text": "part"}] * MAX_ENTRIES)


def one_text() -> dict[str, float]:
    """Answer with a text of as many bytes as one may have."""
    return answer(content=[{"type": "text", "text": ",[{" * (ANSWER // 3 - 50)}])


def compressed() -> dict[str, float]:
    """Read a compressed answer that has ten times as many bytes as one may have."""
    from server.gateway.upstreams.http import TooLargeError, _Limited, _Unpacked

    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb") as file:
        for _ in range(10):
            file.write(bytes(ANSWER))

    async def body() -> AsyncIterator[bytes]:
        yield packed.getvalue()

    async def read() -> None:
        async for _ in _Limited(_Unpacked(body()), ANSWER):
            raise ValueError("the answer was read; it is beyond the limit; lower the limit")

    with measured() as found:
        try:
            anyio.run(read)
        except TooLargeError:
            return found
    raise ValueError("the answer was not refused; it is beyond the limit; lower the limit")


def needs() -> dict[str, float]:
    """Recommend an agent for twenty needs of as many windows as a call may have."""
    from server.matching.service import open_service
    from server.paths import shipped_data
    from server.tools.recommend_agent import RecommendRequest, recommend

    service = open_service(shipped_data())
    service.matchers.load().match("warm up")
    with measured() as found:
        recommend(service, RecommendRequest(needs=[f"{number} " + "a-" * 1300 for number in range(20)]))
    return found


def pins() -> dict[str, float]:
    """Pin as many tools as a server may have, with the longest names that its messages can hold."""
    from server.gateway.tool_catalog.gateway_tool import gateway_tools
    from server.gateway.tool_catalog.pins import MAX_TOOLS, Pins

    tools = [
        types.Tool(name=f"{number}" + "x" * 3500, description="x" * 500, input_schema={"type": "object"})
        for number in range(MAX_TOOLS)
    ]
    offered = gateway_tools({"server": tools})
    with tempfile.TemporaryDirectory() as folder, measured() as found:
        Pins(Path(folder), hold=True).see(offered)
    return found


CASES: Final[Mapping[str, tuple[str, Callable[[], dict[str, float]]]]] = {
    "values": ("values of a result that is passed on: 100,000", values),
    "read values": ("values of an upstream's message, here a list of tools: 400,000", read_values),
    "entries": ("entries of a list in an upstream's answer: 5,000", entries),
    "bytes": ("bytes of an upstream's answer: 20 MiB", one_text),
    "compressed": ("bytes that a compressed answer unpacks to: 20 MiB, of ten times as many", compressed),
    "pins": ("tools of a server that are pinned: 5,000", pins),
    "needs": ("windows of 256 tokens of a call: 320", needs),
}
"""By name: the limit, and what measures an input just below it."""


def main() -> int:
    """Measure all cases, or one in this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", choices=CASES, help="measure this case alone, in this process")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    if options.case:
        print(json.dumps(CASES[options.case][1]()))
        return 0
    rows = []
    for name, (limit, _) in CASES.items():
        command = [sys.executable, "-m", "benchmarks.worst_cases", "--case", name]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        rows.append({"limit": limit, **found})
        print(json.dumps(rows[-1]), flush=True)
    if options.write:
        RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
