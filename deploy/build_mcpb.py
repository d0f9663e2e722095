"""Builds the .mcpb bundle with the official tool: `python -m deploy.build_mcpb --wheel FILE [--repository OWNER/NAME]`.

The bundle holds the wheel, so its hash covers code, model and data. This needs npx, which downloads the tool.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from deploy.mcpb_manifest import ENTRY_POINT, bundled_project, manifest
from deploy.project import DEPLOY, ROOT, metadata

TOOL: Final = "@anthropic-ai/mcpb@2.1.2"


def main() -> None:
    """Build the bundle and print its path."""
    parser = argparse.ArgumentParser(description="Build the .mcpb bundle.")
    parser.add_argument("--wheel", type=Path, required=True, help="wheel of this version")
    parser.add_argument("--repository", metavar="OWNER/NAME", help="repository on GitHub")
    parser.add_argument("--out", type=Path, default=Path("dist"), help="output folder (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder)
        lay_out(bundle, options.wheel, options.repository)
        print(pack(bundle, options.out))


def lay_out(bundle: Path, wheel: Path, repository: str | None) -> None:
    """Put the bundle's files into a folder."""
    entry = bundle / ENTRY_POINT
    entry.parent.mkdir(parents=True)
    shutil.copyfile(DEPLOY / "mcpb" / "main.py", entry)
    shutil.copyfile(wheel, bundle / wheel.name)
    for name in ("LICENSE", "NOTICE"):
        shutil.copyfile(ROOT / name, bundle / name)
    (bundle / "pyproject.toml").write_text(bundled_project(wheel.name), encoding="utf-8", newline="\n")
    text = json.dumps(manifest(repository), indent=2, ensure_ascii=False) + "\n"
    (bundle / "manifest.json").write_text(text, encoding="utf-8", newline="\n")


def pack(bundle: Path, out: Path) -> Path:
    """Validate and pack the folder of a bundle."""
    project = metadata()
    packed = out.resolve() / f"{project['name']}-{project['version']}.mcpb"
    npx = shutil.which("npx")
    if not npx:
        sys.exit("error: npx was not found; it downloads and runs the bundling tool; install Node.js")
    for command in (["validate", str(bundle / "manifest.json")], ["pack", str(bundle), str(packed)]):
        subprocess.run([npx, "--yes", TOOL, *command], check=True, stdout=sys.stderr)
    return packed


if __name__ == "__main__":
    main()
