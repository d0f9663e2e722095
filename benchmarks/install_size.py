"""Measures what an install brings: `python -m benchmarks.install_size [--write]`.

Installs this project into an empty environment, and prints the size of each package that it names, and of what these
need together. Takes a minute, and needs a package index.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
RESULTS: Final = Path(__file__).parent / "results" / "install_size.json"

PURPOSES: Final[Mapping[str, str]] = {
    "agent-capabilities": "code, catalog, vectors and both models",
    "filelock": "one writer at a time of files in the user's folders",
    "httpx2": "keys of an OAuth issuer; upstreams of the gateway; cited pages",
    "huggingface-hub": "`model fetch`, which alone imports it",
    "jsonschema": "checks of data and of upstreams' arguments",
    "mcp": "the protocol",
    "numpy": "vectors and the ranking",
    "onnxruntime": "runs the encoder",
    "platformdirs": "the user's folders for cache and data",
    "pydantic": "models of arguments and answers",
    "pyjwt": "tokens of an OAuth issuer, with cryptography",
    "pystemmer": "stems of words",
    "python-json-logger": "logs in JSON",
    "pyyaml": "the frontmatter of skills",
    "rapidfuzz": "spelling",
    "referencing": "references within JSON schemas",
    "starlette": "HTTP",
    "tokenizers": "the encoder's tokens",
    "tqdm": "progress on a terminal",
    "typing-extensions": "types of Python 3.13",
    "uvicorn": "HTTP",
}
"""What each package is for; a test compares it with the dependencies."""

_LISTED: Final = """
import importlib.metadata, json, os, re
def size(found):
    paths = {os.path.realpath(found.locate_file(file)) for file in found.files or ()}
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path))
found = importlib.metadata.distributions()
print(json.dumps({re.sub(r"[-_.]+", "-", each.metadata["Name"]).lower(): size(each) for each in found}))
"""


def measure(root: Path) -> dict[str, int]:
    """Install the project in `root` into an empty environment. Returns the bytes of each package."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder, "Scripts" if sys.platform == "win32" else "bin", "python")
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-compile", str(root)], check=True)
        listed = subprocess.run([python, "-c", _LISTED], check=True, capture_output=True, encoding="utf-8").stdout
    found: dict[str, int] = json.loads(listed)
    return {name: size for name, size in found.items() if name not in {"pip", "setuptools"}}


def dependencies(root: Path) -> list[str]:
    """Return the names of the packages that the project needs."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [text.partition("[")[0].partition(">")[0].partition("=")[0].strip() for text in project["dependencies"]]


def table(sizes: Mapping[str, int]) -> str:
    """Format sizes as a Markdown table, the largest first."""
    named = sorted(PURPOSES, key=lambda name: -sizes.get(name, 0))
    rows = [f"| {name} | {_megabytes(sizes.get(name, 0))} | {PURPOSES[name]} |" for name in named]
    rest = sum(size for name, size in sizes.items() if name not in PURPOSES)
    rows.append(f"| what these need | {_megabytes(rest)} | {len(sizes.keys() - PURPOSES.keys())} more packages |")
    rows.append(f"| together | {_megabytes(sum(sizes.values()))} | |")
    return "\n".join(["| package | MB | for |", "|---|---:|---|", *rows])


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f}"


def main() -> None:
    """Measure and print; with --write, store the figures for the docs."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help=f"store {RESULTS.name}")
    sizes = measure(ROOT)
    if options.parse_args().write:
        RESULTS.write_text(json.dumps(sizes, indent=1, sort_keys=True) + "\n", encoding="utf-8", newline="\n")
    print(table(sizes))


if __name__ == "__main__":
    main()
