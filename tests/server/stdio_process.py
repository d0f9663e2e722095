"""A server over stdio in a process of its own, spoken to line by line."""

import json
import os
import subprocess
import sys
from typing import Any


def stdio_server(*options: str, **environment: str) -> subprocess.Popen[str]:
    """Return a server over stdio; leaving its context closes its input, which ends it."""
    command, own, pipe = (
        [sys.executable, "-m", "agent_capabilities", "serve", *options],
        os.environ | environment,
        subprocess.PIPE,
    )
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=own, encoding="utf-8")


def answer_of(process: subprocess.Popen[str], asked: dict[str, Any]) -> Any:
    """Send a message to a server over stdio, and return its answer."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(asked) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())
