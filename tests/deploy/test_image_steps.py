"""The Dockerfile's steps, done on this machine in a folder that stands for `/`. No container engine is needed."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

from deploy.project import ROOT, metadata
from tests.deploy.dockerfile import exec_form, settings, stages

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="needs sh")]

BUILD, LAST = stages()
IMAGE = dict(LAST)

SECONDS_TO_GET_READY: Final = 120
"""A start takes a few seconds; more than that on a busy machine."""

ASK: Final = """
import asyncio, mcp
async def ask():
    async with mcp.Client("http://127.0.0.1:8000/mcp") as client:
        return await client.call_tool("lookup_capability", {"agent": "claude-code", "capability": "undo what it did"})
print(asyncio.run(ask()).structured_content["capability"]["name"])
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder after the steps of the build stage, with a Python that has nothing installed but pip."""
    root = here = tmp_path_factory.mktemp("image")
    subprocess.run([sys.executable, "-m", "venv", str(root / "python")], check=True)
    environment = os.environ | {"PATH": f"{root / 'python' / 'bin'}:{os.environ['PATH']}"}
    for keyword, value in BUILD:
        if keyword == "ENV":
            environment |= settings(value)
        elif keyword == "WORKDIR":
            here = root / value.removeprefix("/")
            here.mkdir()
        elif keyword == "COPY":
            copy(value, here)
        elif keyword == "RUN":
            script = re.sub(r"(?<![\w.*])/(?=\w)", f"{root}/", value)  # every absolute path
            subprocess.run(["sh", "-c", script], cwd=here, env=environment, check=True)
    return root


def copy(value: str, folder: Path) -> None:
    *sources, target = value.split()
    for source in sources:
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, folder / target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (folder / target).mkdir(exist_ok=True)
            shutil.copy2(ROOT / source, folder / target)


def in_image(value: str, root: Path) -> list[str]:
    return [word.replace("/app/", f"{root}/app/") for word in exec_form(value)]


def test_the_build_steps_install_the_entry_point_into_an_empty_environment(root: Path) -> None:
    command, *_ = in_image(IMAGE["ENTRYPOINT"], root)
    said = subprocess.run([command, "--version"], cwd="/", check=True, capture_output=True, text=True).stdout
    assert metadata()["version"] in said


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs root on Linux, for network and user")
def test_the_server_answers_without_a_network_as_a_user_who_can_change_none_of_its_files(root: Path) -> None:
    user, group = IMAGE["USER"].split(":")
    # The user may read all files, as this machine's Python may be in a folder of root's.
    may_read = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    as_user = ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", *may_read]
    offline = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "offline"]
    environment = settings(IMAGE["ENV"]) | {"PATH": os.environ["PATH"]}
    command = [*offline, *as_user, *in_image(IMAGE["ENTRYPOINT"], root)]
    with subprocess.Popen(command, cwd="/", env=environment) as server:
        beside = ["nsenter", f"--net=/proc/{server.pid}/ns/net"]
        give_up = time.monotonic() + SECONDS_TO_GET_READY
        try:
            while subprocess.run([*beside, *in_image(IMAGE["HEALTHCHECK"], root)], check=False).returncode:
                assert server.poll() is None
                assert time.monotonic() < give_up
            asked = [*beside, sys.executable, "-c", ASK]
            answer = subprocess.run(asked, env=environment, check=True, capture_output=True, text=True).stdout
        finally:
            server.kill()
    assert answer == "Checkpoints\n"
