"""The image that the Dockerfile describes, and the files that .dockerignore lets the build see."""

import http.server
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from deploy.project import DEPLOY, ROOT
from server.cli.main import parser
from server.matching.vector_cache import CACHE_VARIABLE
from tests.deploy.dockerfile import exec_form, settings, stages
from tests.threaded_server import serving

BUILD, LAST = stages()
IMAGE = dict(LAST)


def copies(stage: list[tuple[str, str]]) -> list[tuple[list[str], str]]:
    """Sources, with the options before them, and target of each COPY."""
    words = [value.split() for keyword, value in stage if keyword == "COPY"]
    return [(sources, target) for *sources, target in words]


def test_both_stages_start_from_the_same_slim_python_of_a_named_version() -> None:
    default = re.search(r"^ARG PYTHON=(.*)$", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert default
    assert re.fullmatch(r"3\.\d+-slim-\w+", default[1])
    assert [dict(stage)["FROM"] for stage in (BUILD, LAST)] == ["python:${PYTHON} AS build", "python:${PYTHON}"]


def test_the_server_runs_as_a_user_by_number_who_is_not_root() -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", IMAGE["USER"])


def test_the_entry_point_serves_http_to_other_machines() -> None:
    command, *arguments = exec_form(IMAGE["ENTRYPOINT"])
    options = parser().parse_args(arguments)
    assert command.endswith("/agent-capabilities")
    assert (options.transport, options.host, options.port) == ("http", "0.0.0.0", 8000)
    assert IMAGE["EXPOSE"] == "8000"


def test_the_cache_is_in_the_folder_that_can_be_a_tmpfs() -> None:
    assert settings(IMAGE["ENV"])[CACHE_VARIABLE].startswith("/tmp/")


def test_the_image_takes_only_the_servers_environment_from_the_build_stage() -> None:
    assert copies(LAST) == [(["--from=build", "/app"], "/app")]


def test_the_build_context_is_exactly_what_the_build_stage_copies() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    everything, *let_through, bytecode = [line for line in lines if line and not line.startswith("#")]
    copied = [source for sources, _ in copies(BUILD) for source in sources]
    assert (everything, bytecode) == ("*", "**/__pycache__")
    assert sorted(let_through) == sorted(f"!{source}" for source in copied)
    assert [source for source in copied if not (ROOT / source).exists()] == []


@contextmanager
def answering(status: int) -> Iterator[int]:
    """Yield the port of a server that answers /readyz with a status, and everything else with 404."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/readyz" else 404)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
            pass

    with serving(http.server.HTTPServer(("127.0.0.1", 0), Handler)) as server:
        yield server.server_port


@pytest.mark.processes
@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False)])
def test_the_health_check_passes_only_when_the_server_is_ready(status: int, healthy: bool) -> None:
    _, *arguments = exec_form(IMAGE["HEALTHCHECK"])
    with answering(status) as port:
        command = [sys.executable, *(word.replace("8000", str(port)) for word in arguments)]
        assert (subprocess.run(command, check=False).returncode == 0) is healthy


def test_the_image_with_a_store_runs_as_the_same_user() -> None:
    (stage,) = stages("store.Dockerfile")
    assert [value for keyword, value in stage if keyword == "USER"] == ["0:0", IMAGE["USER"]]


def test_the_store_of_an_image_is_an_extra_of_the_package() -> None:
    (stage,) = stages("store.Dockerfile")
    instructions = dict(stage)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert instructions["ARG"].removeprefix("STORE=") in extras
    assert '"agent-capabilities[${STORE}]"' in instructions["RUN"]
