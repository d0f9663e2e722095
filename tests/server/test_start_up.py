import subprocess
import sys
from typing import Final

import pytest

from server.cli.main import COMMANDS

pytestmark = pytest.mark.processes

NUMERIC = ("numpy", "onnxruntime", "tokenizers", "huggingface_hub", "onnx")
OF_HTTP_ALONE = (
    *("prometheus_client", "pythonjsonlogger", "opentelemetry.sdk", "opentelemetry.exporter", "jwt"),
    *("server.http.app", "server.telemetry.metrics", "server.telemetry.middleware", "server.http.oauth"),
)
"""Packages that watch and guard a server over HTTP. The SDK itself loads Starlette and uvicorn."""

OF_CALLS: Final = ("rapidfuzz", "embeddings.training", "embeddings.preflight.finding", "jinja2", "tqdm", "webbrowser")
"""Packages and modules that no list of tools needs."""


@pytest.mark.parametrize("package", NUMERIC)
def test_a_server_lists_its_tools_before_the_numeric_packages_are_loaded(package: str) -> None:
    script = (
        "import sys, server.cli.main as main; main.parser().parse_args(['serve'])\n"
        "from server.protocol.server import build_server; from server.matching.service import open_service\n"
        "from server.paths import shipped_data; import server.protocol.stdio\n"
        "build_server(open_service(shipped_data()))\n"
        f"print({package!r} in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False", done.stderr


def test_a_server_over_stdio_loads_nothing_that_http_alone_needs() -> None:
    script = (
        "import sys, server.cli.main, server.protocol.stdio\n"
        "server.protocol.stdio.run_stdio = lambda server: None\n"
        "assert server.cli.main.main(['serve']) == 0\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "mcp" in loaded
    assert not {*OF_HTTP_ALONE, *NUMERIC} & {*loaded}


SERVE: Final = "assert server.cli.main.main(['serve']) == 0\n"
GATEWAY: Final = (
    "import pathlib, tempfile, server.gateway.gateway\n"
    "server.gateway.gateway.leave = lambda status: None\n"
    "server.gateway.gateway.run_stdio = server.protocol.stdio.run_stdio\n"
    "config = pathlib.Path(tempfile.mkdtemp()) / 'mcp.json'\n"
    'config.write_text(\'{"mcpServers": {"one": {"command": "none"}}}\', encoding=\'utf-8\')\n'
    "assert server.cli.main.main(['gateway', '--config', str(config)]) == 0\n"
)


@pytest.mark.parametrize("started", [SERVE, GATEWAY], ids=["serve", "gateway"])
def test_a_start_over_stdio_loads_no_other_subcommand_and_nothing_that_only_calls_need(started: str) -> None:
    script = (
        "import sys, server.cli.main, server.protocol.stdio\n"
        f"server.protocol.stdio.run_stdio = lambda server, around=None: None\n{started}print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {*done.stdout.split()}
    commands = {f"server.cli.{module}" for module in COMMANDS.values()} & loaded
    assert len(commands) == 1
    assert not {*OF_HTTP_ALONE, *NUMERIC, *OF_CALLS} & loaded


def test_a_start_pauses_the_garbage_collector_and_leaves_it_running() -> None:
    script = (
        "import gc; counts = []; gc.callbacks.append(lambda phase, _: counts.append(phase))\n"
        "import agent_capabilities.command; print(len(counts), gc.isenabled(), gc.get_freeze_count() > 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    collections, *state = done.stdout.split()
    assert int(collections) < 10
    assert state == ["True", "True"]


def test_neither_transport_loads_what_only_a_build_needs() -> None:
    script = (
        "import sys, server.cli.main, server.cli.serve_http, server.cli.serve\n"
        "from embeddings import Encoder, Matcher\n"
        "from server.matching.service import open_service; from server.paths import shipped_data\n"
        "service = open_service(shipped_data()); service.matchers.load()\n"
        "assert service.match('can it undo what it did?').matches[0].name == 'Checkpoints'\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "onnxruntime" in loaded
    assert not {"embeddings.training", "huggingface_hub", "onnx", "matplotlib", "tqdm"} & {*loaded}


@pytest.mark.parametrize("with_page", [False, True])
def test_only_a_server_with_the_page_loads_it(with_page: bool) -> None:
    script = (
        "import sys; from server.cli.main import parser; from server.cli.serve_http import application\n"
        f"application(parser().parse_args(['serve', '--transport', 'http'] + ['--web'] * {with_page}))\n"
        "print(any(name.startswith('server.web') for name in sys.modules))\n"
        "print('embeddings.training' in sys.modules); sys.stdout.flush(); import os; os._exit(0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(with_page), "False"]
