"""Execute the debugging notebook and store its outputs: `python notebooks/run.py --help`."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, Final

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

NOTEBOOK: Final = Path(__file__).resolve().parent / "similarity_debugging.ipynb"
TIMEOUT: Final = 300
"""Time limit for one cell, in seconds."""

METADATA: Final = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def main() -> int:
    """Execute the notebook from top to bottom; return 0 if every cell ran, else 1."""
    parser = argparse.ArgumentParser(description="Execute the notebook and write its outputs into it.")
    parser.add_argument("--check", action="store_true", help="execute the notebook without writing the file")
    options = parser.parse_args()
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(NOTEBOOK.parent)}},
    )
    # The kernel starts in the notebook's folder. The packages are in the folder above; they may not be installed.
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, (str(NOTEBOOK.parent.parent), os.environ.get("PYTHONPATH")))
    )
    try:
        client.execute()
    except CellExecutionError as error:
        print(error, file=sys.stderr)
        return 1
    content = normalised(notebook)
    if json.dumps(str(NOTEBOOK.parent.parent))[1:-1] in content:
        print(
            "an output contains the path of this checkout; outputs must be portable; print relative paths",
            file=sys.stderr,
        )
        return 1
    if not options.check:
        NOTEBOOK.write_text(content, encoding="utf-8", newline="\n")
    return 0


def normalised(notebook: Any) -> str:
    """Return a notebook as text that depends only on its cells: numbered ids, no metadata of the machine or the run."""
    notebook.metadata = METADATA
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{number:02}"
        cell.metadata = {}
        for output in cell.get("outputs", []):
            if "metadata" in output:
                output.metadata = {}
    nbformat.validate(notebook)
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    return text.rstrip("\n") + "\n"


if __name__ == "__main__":
    sys.exit(main())
