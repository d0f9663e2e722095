"""A program for the rig: a script that answers as Copilot CLI does, in a folder as npm makes it."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from checks.home import Home
from checks.packages import Package
from checks.programs import Program
from tests.toy import entry

AGENT = "copilot-cli"

SCRIPT = """#!{python}
import sys
words = sys.argv[1:]
if words == ["--help"]:
    print("Usage: toy [options] [command]\\n\\nOptions:\\n  --model <name>  the model\\n")
    print("Commands:\\n  run     run a prompt")
elif words == ["run", "--help"]:
    print("Usage: toy run [options]\\n\\nOptions:\\n  --json  print JSON")
elif words == ["help", "commands"]:
    print("  /undo  take back the last change")
elif words == ["help", "config"]:
    print("  `colourTheme`: dark or light")
elif words[:1] == ["run"] and len(words) == 2:
    print(f"did {words[1]}")
else:
    print(f"error: unexpected argument {words}", file=sys.stderr)
    sys.exit(2)
"""


def nothing(_: Home) -> None:
    """Trust needs nothing."""


def connected(_: Home, address: str) -> dict[str, str]:
    """Return what lets the program reach a model."""
    return {"TOY_MODEL": address}


def toy_program(version: str = "1.0.0") -> Program:
    """Return the program, whose package has to be in the folder for packages."""
    package = Package("toy", version, "toy")
    shipped = ("node_modules/.bin/toy",)
    return Program(AGENT, package, connected, nothing, ("settings.json",), shipped=shipped, strict=True)


def install(hosts: Path, version: str = "1.0.0", without: str = "") -> None:
    """Put the program into the folder for packages; without a flag, command or key if one is named."""
    path = hosts / f"toy-{version}" / "node_modules" / ".bin" / "toy"
    path.parent.mkdir(parents=True)
    script = SCRIPT.replace("{python}", sys.executable)
    path.write_text(script.replace(without, "gone") if without else script, encoding="utf-8")
    path.chmod(0o755)


def agent_file(setup: str = "Type `toy run hello`", **more: Any) -> Mapping[str, Any]:
    """Return an agent's file with one entry."""
    details = [
        {"id": "flag", "text": "`toy run --json` prints JSON."},
        {"id": "undo", "text": "`/undo` takes back the last change."},
        {"id": "theme", "text": "`colourTheme` is a key in settings.json."},
        {"id": "no-redo", "text": "There is no `/redo` in Toy."},
    ]
    notes = {"setup": setup, "startUrl": "https://example.com"}
    found = entry("Checkpoints", "agent-orchestration", details=details, implementationNotes=notes)
    return {"agent": {"name": "Toy", "version": "1.0.0"}, "capabilities": [found], **more}


def write_agent(data: Path, content: Mapping[str, Any]) -> Path:
    """Write an agent's file into a data folder, and return where its record is."""
    path = data / "agents" / AGENT / "capabilities" / "current.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return data / "agents" / AGENT / "runs.json"
