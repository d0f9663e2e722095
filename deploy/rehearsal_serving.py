"""Runs what was built as an engine would: `python -m deploy.rehearsal_serving ROOT`, in a network of its own.

The ENTRYPOINT of the last stage, as its USER, without a capability, as the first process, on a root that cannot be
written to but for /tmp, without a network. Says how long it took until it was ready, had answered, and was gone.
"""

import http.client
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any, Final

from deploy.dockerfile import DOCKERFILE, Stage, read_dockerfile
from deploy.stage_root import BASE_ENVIRONMENT

PHRASE: Final = "can it undo what it did?"
ANSWER: Final = "Checkpoints"
PATIENCE: Final = 120.0
"""Seconds for anything."""


def unprivileged(root: str, stage: Stage, command: list[str]) -> list[str]:
    """A command line that runs a command in a root, as the stage's user."""
    user, _, group = stage.last("USER").text.partition(":")
    limits = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--clear-groups"]
    return [
        *("unshare", "--pid", "--fork", "--kill-child", f"--root={root}", "--mount-proc"),
        *("setpriv", f"--reuid={user}", f"--regid={group}", *limits, *command),
    ]


def ready(process: subprocess.Popen[bytes]) -> None:
    """Returns when /readyz says so."""
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        if process.poll() is not None:
            sys.exit(f"the server ended with status {process.returncode}")
        try:
            if _ask("GET", "/readyz")[0] == 200:
                return
        except OSError:
            pass
        time.sleep(0.01)
    sys.exit("the server does not get ready")


def first_lookup() -> None:
    """Ask one vague question over MCP, and check the answer."""
    params = {"name": "lookup_capability", "arguments": {"agent": "claude-code", "capability": PHRASE}}
    status, answer = _ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    found = answer.get("result", {}).get("structuredContent", {}).get("capability", {}).get("name")
    if status != 200 or found != ANSWER:
        sys.exit(f"{PHRASE!r} was answered with {status}: {answer}")


def _ask(method: str, path: str, message: object = None) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", 8000, timeout=PATIENCE)
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    connection.request(method, path, json.dumps(message) if message else None, headers)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def first_process(outer: int) -> int:
    """The server itself, as this machine numbers it; `unshare` waits for it."""
    return int(Path(f"/proc/{outer}/task/{outer}/children").read_text(encoding="utf-8").split()[0])


def resident(process: int) -> str:
    """Memory of a process."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return next(line.removeprefix("VmRSS:").strip() for line in status.splitlines() if line.startswith("VmRSS:"))


def start_and_stop(root: str, stage: Stage, log: IO[bytes]) -> None:
    """One life of the server."""
    environment = stage.environment(BASE_ENVIRONMENT)
    began = time.monotonic()
    command = unprivileged(root, stage, stage.last("ENTRYPOINT").words)
    process = subprocess.Popen(command, env=environment, stderr=log)
    try:
        ready(process)
        is_ready = time.monotonic() - began
        first_lookup()
        answered = time.monotonic() - began
        server = first_process(process.pid)
        probe = subprocess.run(["chroot", root, *stage.probe()], env=environment, check=False)
        memory = resident(server)
        stopping = time.monotonic()
        subprocess.run(["kill", f"-{signal.SIGTERM}", str(server)], check=True)
        status = process.wait(PATIENCE)
    finally:
        process.kill()
    print(
        f"  ready after {is_ready:.2f} s, first vague lookup answered after {answered:.2f} s, {memory} resident; "
        f"HEALTHCHECK {probe.returncode}; SIGTERM: status {status} after {time.monotonic() - stopping:.2f} s",
        flush=True,
    )
    if probe.returncode or status not in (0, -signal.SIGTERM, 128 + signal.SIGTERM):
        sys.exit("it did not stop as it should")


def main() -> None:
    """Start, ask and stop three times: the first start finds nothing in memory that an earlier one left."""
    stage = read_dockerfile(DOCKERFILE.read_text(encoding="utf-8"))[-1]
    with tempfile.TemporaryFile() as log:
        try:
            for _ in range(3):
                start_and_stop(sys.argv[1], stage, log)
        except BaseException:
            log.seek(0)
            sys.stderr.write(log.read().decode("utf-8", "replace"))
            raise


if __name__ == "__main__":
    main()
