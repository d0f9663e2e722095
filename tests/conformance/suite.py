"""The official conformance suite, run against a server, and what of it is expected here."""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

SCRIPT_VARIABLE: Final = "MCP_CONFORMANCE"
NODE_VARIABLE: Final = "MCP_CONFORMANCE_NODE"
NOT_INSTALLED: Final = (
    f"the conformance suite is not installed: `.ci/conformance PYTHON FOLDER` installs it and runs these tests; or set "
    f"{SCRIPT_VARIABLE} to dist/index.js of the npm package and {NODE_VARIABLE} to a node of 22 or newer"
)
SECONDS: Final = 120
"""For one scenario, the start of node included."""


@dataclass(frozen=True)
class Expected:
    """An entry of `scenarios.json`.

    Attributes:
        package: npm package and its exact version.
        passed: by scenario, the starts of the server with which it passes.
        not_applicable: by scenario, why it says nothing of this server, and a part of its report that shows so.
    """

    package: str
    passed: dict[str, list[str]]
    not_applicable: dict[str, dict[str, str]]

    @classmethod
    def read(cls) -> Self:
        content = json.loads(Path(__file__).with_name("scenarios.json").read_text(encoding="utf-8"))
        return cls(content["package"], content["passed"], content["notApplicable"])


@dataclass(frozen=True)
class Report:
    """The suite's report on one scenario."""

    status: int
    checks: list[dict[str, Any]]
    output: str

    def count(self, status: str) -> int:
        return sum(check["status"] == status for check in self.checks)

    def __str__(self) -> str:
        return f"exit status {self.status}\n{json.dumps(self.checks, indent=1)}\n{self.output}"


@dataclass(frozen=True)
class Suite:
    """The installed suite: a node binary and the script that it runs."""

    node: str
    script: str

    @classmethod
    def installed(cls) -> Self | None:
        script, node = os.environ.get(SCRIPT_VARIABLE), os.environ.get(NODE_VARIABLE)
        return cls(node, script) if node and script else None

    def version(self) -> str:
        return self._run("--version").stdout.strip()

    def server_scenarios(self) -> list[str]:
        return re.findall(r"^ +- (\S+)", self._run("list", "--server").stdout, re.MULTILINE)

    def run(self, scenario: str, address: str, folder: Path) -> Report:
        ran = self._run("server", "--url", address, "--scenario", scenario, "--output-dir", str(folder), check=False)
        checks = [check for path in folder.glob("*/checks.json") for check in json.loads(path.read_text("utf-8"))]
        return Report(ran.returncode, checks, ran.stdout + ran.stderr)

    def _run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = [self.node, self.script, *arguments]
        return subprocess.run(command, capture_output=True, check=check, encoding="utf-8", timeout=SECONDS)
