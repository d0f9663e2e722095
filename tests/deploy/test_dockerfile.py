"""The image: what its Dockerfile says, as the rehearsal reads it."""

import http.server
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deploy.build_context import copy_from_context
from deploy.dockerfile import DOCKERFILE, DockerfileError, Stage, read_dockerfile
from server.cli.main import parser
from server.paths import CACHE_VARIABLE
from tests.threaded_server import serving

STAGES = read_dockerfile(DOCKERFILE.read_text(encoding="utf-8"))
LAST = STAGES[-1]


def test_every_stage_starts_from_a_slim_python_of_a_named_version() -> None:
    assert len(STAGES) == 2
    assert all(re.fullmatch(r"python:3\.\d+-slim-\w+", stage.base) for stage in STAGES)


def test_the_server_runs_as_a_user_by_number_who_is_not_root() -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", LAST.last("USER").text)


def test_the_entry_point_serves_http_to_other_machines() -> None:
    command, *arguments = LAST.last("ENTRYPOINT").words
    options = parser().parse_args(arguments)
    assert command.endswith("/agent-capabilities")
    assert (options.transport, options.host, options.port) == ("http", "0.0.0.0", 8000)
    assert LAST.last("EXPOSE").text == "8000"


def test_the_cache_is_where_a_tmpfs_stands() -> None:
    assert LAST.environment({"PATH": ""})[CACHE_VARIABLE].startswith("/tmp/")


def test_nothing_of_the_build_stage_is_in_the_image_but_the_environment_of_the_server() -> None:
    copies = [instruction for instruction in LAST.instructions if instruction.keyword == "COPY"]
    assert [(copy.options, copy.words) for copy in copies] == [({"from": "build"}, ["/app", "/app"])]


def test_all_that_is_copied_is_in_the_build_context(tmp_path: Path) -> None:
    copies = [instruction for instruction in STAGES[0].instructions if instruction.keyword == "COPY"]
    for number, copy in enumerate(copies):
        *sources, target = copy.words
        copy_from_context(sources, tmp_path / str(number), into=target.endswith("/"))
    copied = {path.relative_to(tmp_path).parts[1] for path in tmp_path.rglob("*") if path.is_file()}
    assert {"requirements.txt", "tools.txt", "pyproject.toml", "hatch_build.py", "capabilities.json"} <= copied


@contextmanager
def answering(status: int) -> Iterator[int]:
    """The port of a server that answers /readyz with a status, and everything else with 404."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/readyz" else 404)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
            pass

    with serving(http.server.HTTPServer(("127.0.0.1", 0), Handler)) as server:
        yield server.server_port


@pytest.mark.parametrize(("status", "healthy"), [(200, True), (503, False)])
def test_the_health_check_passes_only_when_the_server_is_ready(status: int, healthy: bool) -> None:
    _, *arguments = LAST.probe()
    with answering(status) as port:
        command = [sys.executable, *(word.replace("8000", str(port)) for word in arguments)]
        assert (subprocess.run(command, check=False).returncode == 0) is healthy


def test_lines_that_go_on_and_comments_between_them_are_one_instruction() -> None:
    text = 'ARG V=3\nFROM a:${V} AS b\nRUN one \\\n# why\n    && two\nENV A="x"\n'
    (stage,) = read_dockerfile(text)
    assert (stage.base, stage.name) == ("a:3", "b")
    assert stage.instructions[0].text.split() == ["one", "&&", "two"]
    assert stage.environment({}) == {"A": "x"}


@pytest.mark.parametrize("text", ["RUN x", "FROM a\nADD x y", "FROM a\nCMD x"])
def test_an_instruction_that_would_not_be_carried_out_is_refused(text: str) -> None:
    with pytest.raises(DockerfileError, match="not known"):
        read_dockerfile(text)


def test_a_name_without_a_value_is_refused() -> None:
    with pytest.raises(DockerfileError, match="MISSING"):
        read_dockerfile("FROM a:${MISSING}")


def test_a_later_instruction_replaces_an_earlier_one() -> None:
    (stage,) = read_dockerfile("FROM a\nUSER 0\nUSER 1:2")
    assert stage.last("USER").text == "1:2"
    with pytest.raises(DockerfileError, match="no ENTRYPOINT"):
        Stage("a", "").last("ENTRYPOINT")
