"""Lists what a release ships: `python -m deploy.sbom --wheel FILE` writes sbom.cdx.json and THIRD-PARTY.md.

The wheel is installed with the exact versions in requirements.txt; cyclonedx-bom lists them, and the model is added.
The command fails if a licence is not allowed. The same inputs give the same bytes. It needs the cyclonedx-bom that
tools.txt pins.
"""

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any, Final

from deploy.licences import LicenceError, check, table
from deploy.project import DEPLOY, ROOT

MODEL: Final = ROOT / "models" / "all-MiniLM-L6-v2" / "MANIFEST.json"


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description="Write the SBOM and the list of licences.")
    parser.add_argument("--wheel", type=Path, required=True, help="wheel of this version")
    parser.add_argument("--out", type=Path, default=Path("dist"), help="output folder (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bill = with_model(
            installed(Path(folder), options.wheel.resolve()), json.loads(MODEL.read_text(encoding="utf-8"))
        )
    text = json.dumps(bill, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    validate(text)
    try:
        for component in bill["components"]:
            check(component)
    except LicenceError as error:
        sys.exit(f"error: {error}")
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "sbom.cdx.json").write_text(text, encoding="utf-8", newline="\n")
    (options.out / "THIRD-PARTY.md").write_text(table(bill["components"]), encoding="utf-8", newline="\n")


def installed(folder: Path, wheel: Path) -> dict[str, Any]:
    """Return the bill of materials of a wheel and its dependencies, without the model.

    Args:
        folder: an empty folder, in which the environment is created.
        wheel: wheel of this version.
    """
    venv.create(folder, with_pip=False)
    install = [sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet"]
    subprocess.run([*install, "--requirement", str(DEPLOY / "requirements.txt")], check=True)
    subprocess.run([*install, "--no-deps", str(wheel)], check=True)
    tool = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "--spec-version", "1.6"]
    listed = subprocess.run(
        [*tool, "--pyproject", str(ROOT / "pyproject.toml"), str(folder)], check=True, capture_output=True
    )
    bill: dict[str, Any] = json.loads(listed.stdout)
    return bill


def with_model(bill: dict[str, Any], manifest: dict[str, Any]) -> dict[str, Any]:
    """Add the model, whose files are inside the wheel, to a bill of materials.

    Args:
        bill: the packages' bill of materials.
        manifest: the model's MANIFEST.json.
    """
    source = manifest["source"]
    licences = [{"license": {"id": source["license"]}}]
    name, reference = manifest["name"], f"model:{manifest['name']}"
    original = {
        "type": "machine-learning-model",
        "name": source["repository"],
        "version": source["revision"],
        "purl": f"pkg:huggingface/{source['repository']}@{source['revision']}",
        "hashes": [_sha256(source["sha256"]["model.safetensors"])],
        "licenses": licences,
    }
    model = {
        "type": "machine-learning-model",
        "bom-ref": reference,
        "name": name,
        "version": source["revision"],
        "description": f"converted to ONNX; {manifest['precision']}",
        "licenses": licences,
        "hashes": [_sha256(manifest["files"]["model"]["sha256"])],
        "pedigree": {"ancestors": [original]},
        "components": [
            {"type": "file", "name": file["name"], "hashes": [_sha256(file["sha256"])]}
            for file in manifest["files"].values()
        ],
    }
    root = bill["metadata"]["component"]["bom-ref"]
    depends = [
        entry | {"dependsOn": sorted([*entry.get("dependsOn", []), reference])} if entry["ref"] == root else entry
        for entry in bill["dependencies"]
    ]
    return bill | {"components": [*bill["components"], model], "dependencies": [*depends, {"ref": reference}]}


def validate(text: str) -> None:
    """Check a bill of materials against the schema of CycloneDX 1.6; exit if it is not valid."""
    # Installed only where releases are built, so the type checker cannot see these modules.
    validation = importlib.import_module("cyclonedx.validation.json")
    schema = importlib.import_module("cyclonedx.schema").SchemaVersion.V1_6
    fault = validation.JsonStrictValidator(schema).validate_str(text)
    if fault:
        sys.exit(f"error: the bill is not valid: {fault}")


def _sha256(digest: str) -> dict[str, str]:
    return {"alg": "SHA-256", "content": digest}


if __name__ == "__main__":
    main()
