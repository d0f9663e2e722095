"""Goes through the Dockerfile without an engine: `python3.13 -m deploy.rehearse`, as root on Linux.

Every step is read from the Dockerfile and done in a root of its own, in which this machine's /usr and the Python that
runs this stand for the base image. Then the server is run as the image would run it. Prints what was found: seconds to
the first answer, and what the image adds to its base.
"""

import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from deploy.build_context import ROOT
from deploy.dockerfile import DOCKERFILE, Stage, read_dockerfile
from deploy.stage_root import StageRoot


def main() -> None:
    """Make the namespaces in which the rest runs."""
    stages = read_dockerfile(DOCKERFILE.read_text(encoding="utf-8"))
    if len(sys.argv) > 1:
        rehearse(stages, Path(sys.argv[1]))
        return
    _check_machine(stages[-1].base)
    with tempfile.TemporaryDirectory() as folder:
        command = ["unshare", "--mount", sys.executable, "-m", "deploy.rehearse", folder]
        sys.exit(subprocess.run(command, cwd=ROOT, check=False).returncode)


def rehearse(stages: list[Stage], folder: Path) -> None:
    """Build the stages in the folder, say what is added, and run the last one."""
    roots: dict[str, StageRoot] = {}
    for number, stage in enumerate(stages):
        print(f"stage {number + 1} of {len(stages)}, from {stage.base}", flush=True)
        root = StageRoot(folder / str(number))
        root.carry_out(stage, roots)
        roots[stage.name or str(number)] = root
    print_added(root.added)
    root.make_read_only()
    print("three starts, each without a network:", flush=True)
    alone = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "alone"]
    subprocess.run([*alone, sys.executable, "-m", "deploy.rehearsal_serving", str(root.path)], cwd=ROOT, check=True)


def print_added(folder: Path) -> None:
    """How large the layers are above the base, and what of them is large."""
    files = {path: path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}
    with tempfile.TemporaryFile() as packed:
        with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=6) as archive:
            archive.add(folder, arcname="/")
        print(
            f"adds {sum(files.values()) / 1e6:.1f} MB to the base, {packed.tell() / 1e6:.1f} MB compressed; of these:"
        )
    packages = next(folder.glob("**/site-packages"))
    sizes: dict[str, int] = {}
    for path, size in files.items():
        if path.is_relative_to(packages):
            name = path.relative_to(packages).parts[0]
            sizes[name] = sizes.get(name, 0) + size
    for name, size in sorted(sizes.items(), key=lambda item: -item[1])[:12]:
        print(f"  {size / 1e6:6.1f} MB  {name}")


def _check_machine(base: str) -> None:
    wanted = re.search(r"python:(\d+\.\d+)", base)
    running = f"{sys.version_info.major}.{sys.version_info.minor}"
    if not wanted or wanted[1] != running:
        sys.exit(f"the image is made from {base}; run this with that Python, not with {running}")
    if sys.platform != "linux" or os.geteuid() != 0:
        sys.exit("needs root on Linux, for mounts and for another user")
    if sys.base_prefix == "/usr":
        sys.exit("needs a Python in a folder of its own, which can stand at /usr/local")


if __name__ == "__main__":
    main()
